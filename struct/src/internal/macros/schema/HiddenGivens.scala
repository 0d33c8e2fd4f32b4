package undercroft.struct
package internal.macros.schema

import scala.quoted.*
import undercroft.struct.Struct

/** Finds fields that the Struct of a class stores by a given `Struct.StoredAs` next to the class,
  * in its companion or in an object around it, which code elsewhere has not imported. That code
  * would find the default given, which has other bytes.
  */
private[struct] object HiddenGivens:

  /** A field whose given is not in scope.
    *
    * @param owner
    *   the name of the class with the field
    * @param scope
    *   the path of the object that has the given
    */
  final case class Hidden(owner: String, field: String, scope: String) derives CanEqual:
    def show: String =
      s"`$field` of $owner is stored by a given of $scope, which is not in scope here"
    def cure: String = s"import $scope.given"

  /** The first such field in a type, at any depth. */
  def find(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Hidden] =
    if UnionTypes.isUnion(tpe) then first(UnionTypes.members(tpe))
    else if InlineArrayTypes.parts(tpe).isDefined then
      find(InlineArrayTypes.elementType(tpe).dealias)
    else if StoredTypes.isEnumeration(tpe) || ShapeDerivation.isLeaf(tpe) then None
    else
      OptionTypes.of(tpe) match
        case Some(inner) => find(inner)
        case None =>
          if StoredTypes.names(tpe).nonEmpty then first(ShapeDerivation.fields(tpe))
          else if StoredTypes.of(tpe).isDefined then None
          else if Cases.isSum(tpe) then
            Cases
              .of(tpe)
              .toList
              .flatten
              .flatMap(caseType => inClass(caseType, Cases.fields(caseType)))
              .headOption
          else if ShapeDerivation.isCaseClass(tpe) then inClass(tpe, ShapeDerivation.fields(tpe))
          else None

  private def first(using
      Quotes
  )(members: List[(String, quotes.reflect.TypeRepr)]): Option[Hidden] =
    members.flatMap((_, inner) => find(inner.dealias)).headOption

  private def inClass(using
      Quotes
  )(
      owner: quotes.reflect.TypeRepr,
      members: List[(String, quotes.reflect.TypeRepr)]
  ): Option[Hidden] =
    val direct = members
      .flatMap: (name, inner) =>
        val leaf = element(inner.dealias)
        val scope = if isDefault(leaf) then scopeWith(owner, leaf) else None
        scope.map(module => Hidden(owner.typeSymbol.name, name, path(module)))
      .headOption
    direct.orElse(first(members))

  /** The type of the value of an Option or of the elements of an array. */
  private def element(using Quotes)(tpe: quotes.reflect.TypeRepr): quotes.reflect.TypeRepr =
    if InlineArrayTypes.parts(tpe).isDefined then
      element(InlineArrayTypes.elementType(tpe).dealias)
    else OptionTypes.of(tpe).fold(tpe)(inner => element(inner.dealias))

  /** Whether a type is stored by a default given here. */
  private def isDefault(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    !ShapeDerivation.isLeaf(tpe) && StoredTypes.storedAs(tpe).exists(StoredTypes.isDefault(_))

  /** The innermost object, next to or around a class, with a given that stores a type. */
  private def scopeWith(using
      Quotes
  )(
      owner: quotes.reflect.TypeRepr,
      stored: quotes.reflect.TypeRepr
  ): Option[quotes.reflect.Symbol] =
    import quotes.reflect.*
    val symbol = owner.typeSymbol
    val around =
      Iterator.iterate(symbol.owner)(_.owner).takeWhile(_.flags.is(Flags.Module)).toList
    val modules = symbol.companionModule :: around.map(_.companionModule)
    stored.asType match
      case '[t] =>
        val storedAs = TypeRepr.of[Struct.StoredAs[t, ?]]
        modules
          .filter(!_.isNoSymbol)
          .find: module =>
            (module.fieldMembers ++ module.methodMembers).exists: member =>
              isGiven(member) && module.termRef.memberType(member).widenByName <:< storedAs
  end scopeWith

  /** Whether a member is a given. The compiler completes a member to know its flags, and reports a
    * cycle for the method around the macro, if its type is inferred; that method is not a given.
    */
  private def isGiven(using Quotes)(member: quotes.reflect.Symbol): Boolean =
    import quotes.reflect.*
    try member.flags.is(Flags.Given) || member.flags.is(Flags.Implicit)
    catch case error: Exception if error.getClass.getSimpleName == "CyclicReference" => false

  /** The path of an object, as an import has it. */
  private def path(using Quotes)(module: quotes.reflect.Symbol): String =
    module.fullName.split('.').map(_.stripSuffix("$")).mkString(".")
end HiddenGivens
