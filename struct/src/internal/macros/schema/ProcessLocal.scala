package undercroft.struct
package internal.macros.schema

import scala.quoted.*

/** Finds the process-local fields of a struct. */
private[undercroft] object ProcessLocal:

  /** The path and the type of the first reference in a struct, if there is one. */
  def reference[T: Type](using Quotes): Option[(String, String)] =
    import quotes.reflect.*
    find(TypeRepr.of[T].dealias, Nil)

  private def find(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, path: List[String]): Option[(String, String)] =
    val isFar = ShapeDerivation.far(tpe).isDefined || StoredTypes.isRun(tpe)
    if StoredTypes.isReference(tpe) || isFar then
      Some((path.reverse.mkString("."), tpe.typeSymbol.name))
    else
      val parts =
        if InlineArrayTypes.parts(tpe).isDefined then
          InlineArrayTypes.parts(tpe).toList.map((of, _) => ("", of))
        else if UnionTypes.isUnion(tpe) then UnionTypes.members(tpe)
        else if ShapeDerivation.primitive(tpe).isDefined || ShapeDerivation.text(tpe).isDefined then
          Nil
        else if StoredTypes.isEnumeration(tpe) then Nil
        else if OptionTypes.of(tpe).isEmpty && StoredTypes.of(tpe).isDefined then
          StoredTypes.of(tpe).toList.map(("", _))
        else if ShapeDerivation.isSum(tpe) then
          Cases.of(tpe).toList.flatten.flatMap: caseType =>
            Cases.fields(caseType).map((name, inner) => (s"${Cases.name(caseType)}.$name", inner))
        else ShapeDerivation.fields(tpe)
      parts.iterator
        .flatMap: (name, inner) =>
          find(inner.dealias, if name.isEmpty then path else name :: path)
        .nextOption()
    end if
  end find
end ProcessLocal
