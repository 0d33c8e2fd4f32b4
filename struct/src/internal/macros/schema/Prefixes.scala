package undercroft.struct
package internal.macros.schema

import scala.quoted.*

/** The companions and the cases of a type, selected from the same object as the type. An enum in a
  * trait is another enum in each object of the trait: the companion of `P.Side` is in `P`.
  */
private[struct] object Prefixes:

  /** The type of a class or of an object that is beside the class of a type, or in an object beside
    * it.
    */
  def beside(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, member: quotes.reflect.Symbol): quotes.reflect.TypeRepr =
    path(tpe, member).getOrElse(if member.isTerm then member.termRef else member.typeRef)

  /** An object that is beside the class of a type, or in an object beside it. */
  def term(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, member: quotes.reflect.Symbol): quotes.reflect.Term =
    import quotes.reflect.*
    path(tpe, member) match
      case Some(reference: TermRef) => Ref.term(reference)
      case _                        => Ref(member)

  /** The path of a member through the prefix of a type; None if the type has no prefix that differs
    * from one use to another.
    */
  private def path(using
      Quotes
  )(
      tpe: quotes.reflect.TypeRepr,
      member: quotes.reflect.Symbol
  ): Option[quotes.reflect.TypeRepr] =
    import quotes.reflect.*
    val around = tpe.widen.dealias.typeSymbol.maybeOwner
    def within(prefix: TypeRepr, of: Symbol): Option[TypeRepr] =
      val owner = of.maybeOwner
      if owner.equals(around) then Some(prefix.select(of))
      else if owner.flags.is(Flags.Module) && !owner.isPackageDef then
        within(prefix, owner.companionModule).map(_.select(of))
      else None
    prefixOf(tpe).flatMap(within(_, member))

  private def prefixOf(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr): Option[quotes.reflect.TypeRepr] =
    import quotes.reflect.*
    val symbol = tpe.widen.dealias.typeSymbol
    tpe.widen.dealias match
      case AppliedType(constructor, _)       => prefixOf(constructor)
      case TypeRef(_, _) if isStatic(symbol) => None
      case TypeRef(NoPrefix(), _)            => None
      case TypeRef(prefix: TermRef, _)       => Some(prefix)
      case TypeRef(_: ThisType, _)           => None // as in the class itself
      case TypeRef(_, _) if symbol.isClassDef =>
        val (name, owner) = (symbol.name, symbol.maybeOwner.name)
        report.errorAndAbort(
          s"$name is a member of $owner, and the type here names no $owner that has its cases: " +
            s"select $name from a val or an object, as in `value.$name`"
        )
      case _ => None

  /** Whether a class is in packages and objects alone. */
  private def isStatic(using Quotes)(symbol: quotes.reflect.Symbol): Boolean =
    import quotes.reflect.*
    Iterator
      .iterate(symbol.maybeOwner)(_.maybeOwner)
      .takeWhile(owner => !owner.isNoSymbol && !owner.isPackageDef)
      .forall(_.flags.is(Flags.Module))
end Prefixes
