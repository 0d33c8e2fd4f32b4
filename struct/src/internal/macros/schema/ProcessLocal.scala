package undercroft.struct
package internal.macros.schema

import scala.quoted.*

/** Finds the process-local fields of a struct. */
private[undercroft] object ProcessLocal:

  /** The path and the type of the first reference in a struct, if there is one. */
  def reference[T: Type](using Quotes): Option[(String, String)] =
    import quotes.reflect.*
    find(TypeRepr.of[T].dealias, Nil, isContentCopied = false)

  /** The path and the type of the first reference in a struct that is left when the contents of
    * texts, bytes and runs out of line are copied with it; runs of structs with such fields are
    * not.
    */
  def referenceBesideContents[T: Type](using Quotes): Option[(String, String)] =
    import quotes.reflect.*
    find(TypeRepr.of[T].dealias, Nil, isContentCopied = true)

  private def find(using
      Quotes
  )(
      tpe: quotes.reflect.TypeRepr,
      path: List[String],
      isContentCopied: Boolean
  ): Option[(String, String)] =
    val isRun = StoredTypes.isRun(tpe)
    val isFar = ShapeDerivation.far(tpe).isDefined
    if StoredTypes.isReference(tpe) || (!isContentCopied && (isFar || isRun)) then
      Some((path.reverse.mkString("."), tpe.typeSymbol.name))
    else if isRun then
      tpe.typeArgs.headOption.flatMap(of => find(of.dealias, path, isContentCopied = false))
    else if isFar then None
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
          find(inner.dealias, if name.isEmpty then path else name :: path, isContentCopied)
        .nextOption()
    end if
  end find
end ProcessLocal
