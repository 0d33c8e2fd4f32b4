package undercroft.struct.internal

import scala.quoted.*

/** Finds the names of the cases of the enums in a struct, which its shape has as numbers alone. */
private[undercroft] object CaseNames:

  /** The path of each number of a case, with dots, and the names in the order of the numbers. */
  def of[T: Type](using Quotes): List[(String, List[String])] =
    import quotes.reflect.*
    val tpe = TypeRepr.of[T].dealias
    // A struct that is a single value has one field of this name.
    if Schema.kind(tpe).isDefined then find(tpe, List("value")) else find(tpe, Nil)

  private def find(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, path: List[String]): List[(String, List[String])] =
    if Stored.isEnumeration(tpe) then List(dotted(path) -> tpe.typeSymbol.children.map(_.name))
    else if Schema.kind(tpe).isDefined then Nil
    else if Schema.isSum(tpe) then
      val cases = Cases.of(tpe).toList.flatten
      val inside = cases.flatMap: one =>
        all(Cases.fields(one), Cases.name(one) :: path)
      (dotted(Cases.tag :: path), cases.map(Cases.name(_))) :: inside
    else all(Schema.fields(tpe), path)

  private def all(using
      Quotes
  )(
      fields: List[(String, quotes.reflect.TypeRepr)],
      path: List[String]
  ): List[(String, List[String])] =
    fields.flatMap((name, inner) => find(inner.dealias, name :: path))

  private def dotted(path: List[String]): String = path.reverse.mkString(".")
end CaseNames
