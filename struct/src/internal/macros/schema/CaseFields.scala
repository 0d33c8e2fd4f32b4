package undercroft.struct
package internal.macros.schema

import scala.quoted.*

/** The fields of case classes, as generated code and the code of users select them. */
private[struct] object CaseFields:

  /** The field of a value by its number. Generated code is outside the class and cannot select a
    * private field: it calls the public method `_1`, `_2`, ..., which each case class has.
    */
  def select(using
      Quotes
  )(
      value: quotes.reflect.Term,
      tpe: quotes.reflect.TypeRepr,
      number: Int
  ): quotes.reflect.Term =
    import quotes.reflect.*
    val field = tpe.typeSymbol.caseFields(number)
    val isPrivate = field.flags.is(Flags.Private)
    val public =
      if isPrivate then
        tpe.typeSymbol.methodMember(s"_${number + 1}").find(_.paramSymss.isEmpty)
      else None
    value.select(public.getOrElse(field))

  /** Reports an error if the field of a class cannot be selected by its name here from a reference
    * or a row, which is called `owner` in the message: the class is stored as another type, or the
    * field is private.
    */
  def checkSelectable(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, field: String, owner: String): Unit =
    import quotes.reflect.*
    val symbol = tpe.typeSymbol
    val name = symbol.name
    symbol.caseFields.find(_.name == field).foreach: member =>
      if StoredTypes.storedAs(tpe).isDefined then
        report.errorAndAbort(
          s"field `$field` of $name is not stored: a given Struct.StoredAs stores a $name as " +
            s"another type; load the whole value, as in `$owner().$field`, or store a whole $name"
        )
      if member.flags.is(Flags.Private) && !isInside(symbol) then
        report.errorAndAbort(s"field `$field` of $name is private: select it in $name")

  /** Whether the code here is in a class or in its companion. */
  private def isInside(using Quotes)(of: quotes.reflect.Symbol): Boolean =
    import quotes.reflect.*
    val companion = of.companionModule.moduleClass
    Iterator
      .iterate(Symbol.spliceOwner)(_.maybeOwner)
      .takeWhile(!_.isNoSymbol)
      .exists(owner => owner.equals(of) || owner.equals(companion))
end CaseFields
