package undercroft.struct.internal

import scala.quoted.*

/** Finds what in a struct means something in this process's memory alone. */
private[undercroft] object Outside:

  /** The path and the type of the first reference in a struct, if there is one. */
  def reference[T: Type](using Quotes): Option[(String, String)] =
    import quotes.reflect.*
    find(TypeRepr.of[T].dealias, Nil)

  private def find(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, path: List[String]): Option[(String, String)] =
    if Stored.isReference(tpe) || Schema.far(tpe).isDefined then
      Some((path.reverse.mkString("."), tpe.typeSymbol.name))
    else
      val parts =
        if Inlines.parts(tpe).isDefined then Inlines.parts(tpe).toList.map((of, _) => ("", of))
        else if Unions.isUnion(tpe) then Unions.members(tpe)
        else if Schema.primitive(tpe).isDefined || Schema.text(tpe).isDefined then Nil
        else if Stored.isEnumeration(tpe) then Nil
        else if Optional.of(tpe).isEmpty && Stored.of(tpe).isDefined then
          Stored.of(tpe).toList.map(("", _))
        else if Schema.isSum(tpe) then
          Cases.of(tpe).toList.flatten.flatMap: one =>
            Cases.fields(one).map((name, inner) => (s"${Cases.name(one)}.$name", inner))
        else Schema.fields(tpe)
      parts.iterator
        .flatMap: (name, inner) =>
          find(inner.dealias, if name.isEmpty then path else name :: path)
        .nextOption()
end Outside
