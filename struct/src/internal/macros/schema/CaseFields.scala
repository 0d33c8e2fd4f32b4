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
    * or a row, which is called `owner` in the message: the class is stored as another type, or
    * Scala does not permit it.
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
      checkAccess(symbol, member)

  /** Reports an error if a field is private or protected, and Scala does not permit its selection
    * here.
    */
  private def checkAccess(using
      Quotes
  )(of: quotes.reflect.Symbol, field: quotes.reflect.Symbol): Unit =
    import quotes.reflect.*
    def fail(access: String, where: String): Nothing =
      report.errorAndAbort(s"field `${field.name}` of ${of.name} is $access: select it in $where")
    val within = field.privateWithin.orElse(field.protectedWithin).map(_.typeSymbol)
    val around = within.map(_.name.stripSuffix("$"))
    if isInside(of) || within.exists(isInside(_)) then ()
    else if field.flags.is(Flags.Private) then fail("private", of.name)
    else if !field.flags.is(Flags.Protected) then
      around.foreach(name => fail(s"private[$name]", name))
    else if !isInSubclass(of) then fail("protected", s"${of.name} or a subclass")

  /** The definitions around the code here, innermost first. */
  private def owners(using Quotes): Iterator[quotes.reflect.Symbol] =
    import quotes.reflect.*
    Iterator.iterate(Symbol.spliceOwner)(_.maybeOwner).takeWhile(!_.isNoSymbol)

  /** Whether the code here is in a package, or in a class or an object or its companion. */
  private def isInside(using Quotes)(of: quotes.reflect.Symbol): Boolean =
    val companions = List(of.companionModule.moduleClass, of.companionClass)
    owners.exists(owner => owner.equals(of) || companions.exists(owner.equals(_)))

  /** Whether the code here is in a subclass of a class, or in the companion of one. */
  private def isInSubclass(using Quotes)(of: quotes.reflect.Symbol): Boolean =
    def isSubclass(symbol: quotes.reflect.Symbol): Boolean =
      symbol.isClassDef && symbol.typeRef.baseClasses.exists(_.equals(of))
    owners
      .filter(_.isClassDef)
      .exists(owner => isSubclass(owner) || isSubclass(owner.companionClass))
end CaseFields
