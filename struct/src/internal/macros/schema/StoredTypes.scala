package undercroft.struct
package internal.macros.schema

import scala.quoted.*
import undercroft.struct.{Layout, Reference, Shape, align}

/** Types that are stored as other types: enums as their ordinals, references as their bits, opaque
  * types and named tuples as their underlying types, users' types as defined by a
  * [[Struct.StoredAs]].
  */
private[undercroft] object StoredTypes:

  /** The type that a type is stored as, if it is another type. */
  def of(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[quotes.reflect.TypeRepr] =
    if ShapeDerivation.primitive(tpe).isDefined || ShapeDerivation.text(tpe).isDefined then None
    else if InlineArrayTypes.parts(tpe).isDefined || ShapeDerivation.far(tpe).isDefined then None
    else if UnionTypes.isUnion(tpe) then None
    else if isReference(tpe) then Some(quotes.reflect.TypeRepr.of[Long])
    else if isEnumeration(tpe) then Some(ordinal(tpe))
    else
      users(tpe) match
        case Some(as) => Some(storedBy(as))
        case None     => behind(tpe)

  /** A term of a type, created from a term of its stored type. */
  def decode(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, stored: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    if isReference(tpe) then
      tpe.asType match
        case '[type l <: Layout; Reference[t, `l`]] =>
          '{ Reference.at[t, l](${ stored.asExprOf[Long] }) }.asTerm
    else if isEnumeration(tpe) then
      val number = Cases.number(stored.asExpr).asTerm
      val companion = Prefixes.term(tpe, tpe.typeSymbol.companionModule)
      Select.unique(companion, "fromOrdinal").appliedTo(number)
    else
      users(tpe) match
        case Some(as) => conversion(as, "decode").appliedTo(stored)
        case None     => cast(stored, tpe)

  /** A term of a type's stored type. */
  def encode(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, value: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    if isReference(tpe) then
      tpe.asType match
        case '[type l <: Layout; Reference[t, `l`]] =>
          '{ ${ value.asExprOf[Reference[t, l]] }._address }.asTerm
    else if isEnumeration(tpe) then
      val number = Select.unique(value, "ordinal")
      ShapeDerivation.primitive(ordinal(tpe)) match
        case Some(Shape.Kind.Byte)  => Select.unique(number, "toByte")
        case Some(Shape.Kind.Short) => Select.unique(number, "toShort")
        case _                      => number
    else
      users(tpe) match
        case Some(as) => conversion(as, "encode").appliedTo(value)
        case None     => of(tpe).fold(value)(cast(value, _))

  /** The method `encode` or `decode` of a [[Struct.StoredAs]], whose class may have other methods
    * with that name.
    */
  private def conversion(using
      Quotes
  )(as: quotes.reflect.Term, name: String): quotes.reflect.Term =
    import quotes.reflect.*
    val methods = as.tpe.widen.typeSymbol.methodMember(name)
    if methods.sizeIs <= 1 then Select.unique(as, name)
    else
      val inherited = storedAsClass.methodMember(name).head
      as.select(methods.find(_.allOverriddenSymbols.contains(inherited)).getOrElse(inherited))

  private def storedAsClass(using Quotes): quotes.reflect.Symbol =
    quotes.reflect.Symbol.requiredClass("undercroft.struct.Struct.StoredAs")

  /** Whether a type is a reference to a struct. */
  def isReference(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    tpe.typeSymbol.fullName == "undercroft.struct.Reference"

  /** Whether a type is a run of structs out of line. */
  def isRun(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    tpe.typeSymbol.fullName == "undercroft.struct.RowsRef"

  /** Whether a type is an enum whose cases have no fields. */
  def isEnumeration(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    import quotes.reflect.*
    val symbol = tpe.typeSymbol
    symbol.isClassDef && symbol.flags.is(Flags.Enum) && !symbol.flags.is(Flags.JavaDefined) &&
    symbol.children.nonEmpty && symbol.children.forall(_.isTerm)

  /** The names of the cases, in the order of their numbers, of an enum whose cases have no fields,
    * a type that is stored as such an enum, or an array of them; empty for another type.
    */
  def cases(using Quotes)(tpe: quotes.reflect.TypeRepr): List[String] =
    if ShapeDerivation.primitive(tpe).isDefined then Nil
    else if isEnumeration(tpe) then tpe.typeSymbol.children.map(_.name)
    else if InlineArrayTypes.parts(tpe).isDefined then
      cases(InlineArrayTypes.elementType(tpe).dealias)
    else of(tpe).map(inner => cases(inner.dealias)).getOrElse(Nil)

  /** The smallest integer type for the case numbers of an enum. */
  private def ordinal(using Quotes)(tpe: quotes.reflect.TypeRepr): quotes.reflect.TypeRepr =
    import quotes.reflect.*
    numberOf(tpe.typeSymbol.children.size) match
      case Shape.Kind.Byte  => TypeRepr.of[Byte]
      case Shape.Kind.Short => TypeRepr.of[Short]
      case _                => TypeRepr.of[Int]

  /** The smallest integer kind for `cases` case numbers. */
  def numberOf(cases: Int): Shape.Kind =
    if cases <= 0x100 then Shape.Kind.Byte
    else if cases <= 0x10000 then Shape.Kind.Short else Shape.Kind.Int

  /** The user's [[Struct.StoredAs]] for a type. */
  private def users(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[quotes.reflect.Term] =
    import quotes.reflect.*
    // A type parameter is stored as defined by its caller's Struct, whatever is in scope here.
    if ShapeDerivation.isNothing(tpe) || tpe.typeSymbol.isTypeParam then None
    else
      found(tpe):
        val wanted = storedAsClass.typeRef.appliedTo(List(tpe, TypeBounds.empty))
        Implicits.search(wanted) match
          case success: ImplicitSearchSuccess => Some(success.tree)
          case _                              => None

  private val found = FoundTerms()

  /** The [[Struct.StoredAs]] that stores a type. */
  def storedAs(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[quotes.reflect.Term] =
    if of(tpe).isEmpty || isReference(tpe) || isEnumeration(tpe) then None else users(tpe)

  /** Whether a [[Struct.StoredAs]] converts a type or a type that it is stored as. */
  def isConverted(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    storedAs(tpe).isDefined || of(tpe).exists(inner => isConverted(inner.dealias))

  /** Fails if a [[Struct.StoredAs]] is given for a type whose stored form is fixed, which ignores
    * it, or if an enum without fields is aligned, which is stored as a number. Primitives and texts
    * are not examined, because an opaque type is one of them where it is transparent, but an opaque
    * type that is a primitive by its bound is.
    */
  def check(using Quotes)(tpe: quotes.reflect.TypeRepr)(fail: String => Nothing): Unit =
    import quotes.reflect.*
    val isFixed = isReference(tpe) || isEnumeration(tpe) || UnionTypes.isUnion(tpe) ||
      OptionTypes.of(tpe).isDefined || InlineArrayTypes.parts(tpe).isDefined ||
      ShapeDerivation.far(tpe).isDefined
    if isFixed && users(tpe).isDefined then
      fail(
        s"has a given Struct.StoredAs for ${ShapeDerivation.named(tpe)}, whose stored form is " +
          "fixed: a StoredAs is for a type without a Struct, and not for an enum without fields, " +
          "an Option, an InlineArray, a Union or a reference"
      )
    val isBounded = behind(tpe).exists(inner => !(tpe =:= inner))
    for kind <- ShapeDerivation.primitive(tpe) if isBounded && users(tpe).isDefined do
      val name = ShapeDerivation.named(tpe)
      fail(
        s"has a given Struct.StoredAs for $name, a subtype of $kind, whose stored form is fixed: " +
          s"remove the bound of $name, or the given"
      )
    if isEnumeration(tpe) && tpe.typeSymbol.hasAnnotation(TypeRepr.of[align].typeSymbol) then
      fail(
        s"has an @align of the enum ${tpe.typeSymbol.name}, which has no fields and is stored as " +
          "a number: align a field of that type"
      )
    InlineArrayTypes.parts(tpe).foreach((inner, _) => check(inner)(fail))
  end check

  /** The description of the default [[Struct.StoredAs]] that stores a type, or the elements of an
    * array of it; empty if there is none, or another one.
    */
  def encoding(using Quotes)(tpe: quotes.reflect.TypeRepr): String =
    if ShapeDerivation.primitive(tpe).isDefined then ""
    else if InlineArrayTypes.parts(tpe).isDefined then
      encoding(InlineArrayTypes.elementType(tpe).dealias)
    else
      storedAs(tpe) match
        case Some(as) if isDefault(as) => s"the default StoredAs of ${tpe.typeSymbol.name}"
        case _                         => of(tpe).fold("")(inner => encoding(inner.dealias))

  /** Whether a [[Struct.StoredAs]] is one of the default ones. */
  def isDefault(using Quotes)(as: quotes.reflect.Term): Boolean =
    as.symbol.maybeOwner.fullName == "undercroft.struct.Struct$.StoredAs$"

  private def storedBy(using Quotes)(as: quotes.reflect.Term): quotes.reflect.TypeRepr =
    as.tpe.widen.baseType(storedAsClass).typeArgs.last

  /** The underlying type of an opaque type, and so of a named tuple. */
  private def behind(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr): Option[quotes.reflect.TypeRepr] =
    import quotes.reflect.*
    tpe match
      case ref: TypeRef if ref.isOpaqueAlias => Some(ref.translucentSuperType)
      case AppliedType(ref: TypeRef, arguments) if ref.isOpaqueAlias =>
        Some(ref.translucentSuperType.appliedTo(arguments))
      case _ => None

  /** Whether a type has the same values as the type that it is stored as: it is opaque. */
  def isOpaque(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    !isReference(tpe) && !isEnumeration(tpe) && of(tpe).isDefined && users(tpe).isEmpty

  /** The names of a named tuple; empty for another type. */
  def names(using Quotes)(tpe: quotes.reflect.TypeRepr): List[String] =
    import quotes.reflect.*
    tpe match
      case AppliedType(tuple, List(names, _))
          if tuple.typeSymbol.fullName == "scala.NamedTuple$.NamedTuple" =>
        constants(names.dealias)
      case _ => Nil

  private def constants(using Quotes)(names: quotes.reflect.TypeRepr): List[String] =
    import quotes.reflect.*
    names match
      case AppliedType(_, arguments)          => arguments.flatMap(name => constants(name.dealias))
      case ConstantType(StringConstant(name)) => List(name)
      case _                                  => Nil

  def cast(using
      Quotes
  )(value: quotes.reflect.Term, tpe: quotes.reflect.TypeRepr): quotes.reflect.Term =
    import quotes.reflect.*
    TypeApply(Select.unique(value, "asInstanceOf"), List(Inferred(tpe)))
end StoredTypes
