package undercroft.struct.internal

import scala.quoted.*
import undercroft.struct.{Kind, Layout, Reference, Struct, Union}

/** Types that are stored as other types: enums as their ordinals, references as their bits, opaque
  * types and named tuples as what is behind them, users' types as they say by a [[Struct.As]].
  */
private[undercroft] object Stored:

  /** What a type is stored as, where that is another type. */
  def of(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[quotes.reflect.TypeRepr] =
    if Schema.primitive(tpe).isDefined || Schema.text(tpe).isDefined then None
    else if Inlines.parts(tpe).isDefined || Schema.far(tpe).isDefined then None
    else if Unions.isUnion(tpe) then None
    else if isReference(tpe) then Some(quotes.reflect.TypeRepr.of[Long])
    else if isEnumeration(tpe) then Some(ordinal(tpe))
    else
      users(tpe) match
        case Some(as) => Some(storedBy(as))
        case None     => behind(tpe)

  /** A term of a type, made of a term of what it is stored as. */
  def loaded(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, stored: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    if isReference(tpe) then
      tpe.asType match
        case '[type l <: Layout; Reference[t, `l`]] =>
          '{ Reference.at[t, l](${ stored.asExprOf[Long] }) }.asTerm
    else if isEnumeration(tpe) then
      val number = Cases.number(stored.asExpr).asTerm
      Select.unique(Ref(tpe.typeSymbol.companionModule), "fromOrdinal").appliedTo(number)
    else
      users(tpe) match
        case Some(as) => Select.unique(as, "loaded").appliedTo(stored)
        case None     => cast(stored, tpe)

  /** A term of what a type is stored as. */
  def stored(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, value: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    if isReference(tpe) then
      tpe.asType match
        case '[type l <: Layout; Reference[t, `l`]] =>
          '{ ${ value.asExprOf[Reference[t, l]] }._address }.asTerm
    else if isEnumeration(tpe) then
      val number = Select.unique(value, "ordinal")
      Schema.primitive(ordinal(tpe)) match
        case Some(Kind.Byte)  => Select.unique(number, "toByte")
        case Some(Kind.Short) => Select.unique(number, "toShort")
        case _                => number
    else
      users(tpe) match
        case Some(as) => Select.unique(as, "stored").appliedTo(value)
        case None     => of(tpe).fold(value)(cast(value, _))

  /** The primitive in the end, of a type that is stored as one. */
  def primitive(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, value: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    Schema.text(tpe) match
      case Some(bytes) =>
        val string = cast(value, quotes.reflect.TypeRepr.of[String]).asExprOf[String]
        '{ TextBytes.fitting($string, ${ Expr(bytes) }) }.asTerm
      case None if Inlines.parts(tpe).isDefined => Inlines.array(tpe, value)
      case None if Unions.isUnion(tpe) =>
        val size = Expr(Schema.shapeOf(tpe).alignedSize)
        '{ UnionBytes.sized(${ value.asExprOf[Union[?]] }, $size) }.asTerm
      case None if Schema.far(tpe).isDefined =>
        tpe.asType match
          case '[a] => '{ Far.present[a](${ value.asExprOf[a] }) }.asTerm
      case None => of(tpe).fold(value)(inner => primitive(inner.dealias, stored(tpe, value)))

  /** Whether a type is a reference to a struct. */
  def isReference(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    tpe.typeSymbol.fullName == "undercroft.struct.Reference"

  /** Whether a type is an enum whose cases hold nothing. */
  def isEnumeration(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    import quotes.reflect.*
    val symbol = tpe.typeSymbol
    symbol.isClassDef && symbol.flags.is(Flags.Enum) && !symbol.flags.is(Flags.JavaDefined) &&
    symbol.children.nonEmpty && symbol.children.forall(_.isTerm)

  /** The names of the cases, in the order of their numbers, of an enum whose cases hold nothing, of
    * what is stored as one, and of an array of such; none of another type.
    */
  def cases(using Quotes)(tpe: quotes.reflect.TypeRepr): List[String] =
    if Schema.primitive(tpe).isDefined then Nil
    else if isEnumeration(tpe) then tpe.typeSymbol.children.map(_.name)
    else if Inlines.parts(tpe).isDefined then cases(Inlines.elementType(tpe).dealias)
    else of(tpe).map(inner => cases(inner.dealias)).getOrElse(Nil)

  /** The smallest integer that tells the cases of an enum apart. */
  private def ordinal(using Quotes)(tpe: quotes.reflect.TypeRepr): quotes.reflect.TypeRepr =
    import quotes.reflect.*
    numberOf(tpe.typeSymbol.children.size) match
      case Kind.Byte  => TypeRepr.of[Byte]
      case Kind.Short => TypeRepr.of[Short]
      case _          => TypeRepr.of[Int]

  /** The smallest integer that tells so many cases apart. */
  def numberOf(cases: Int): Kind =
    if cases <= 0x100 then Kind.Byte else if cases <= 0x10000 then Kind.Short else Kind.Int

  /** The user's word on how a type is stored. */
  private def users(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[quotes.reflect.Term] =
    import quotes.reflect.*
    tpe.asType match
      case '[t] => Expr.summon[Struct.As[t, ?]].map(_.asTerm)

  private def storedBy(using Quotes)(as: quotes.reflect.Term): quotes.reflect.TypeRepr =
    import quotes.reflect.*
    as.tpe.widen.baseType(Symbol.requiredClass("undercroft.struct.Struct.As")).typeArgs.last

  /** What is behind an opaque type, and so behind a named tuple. */
  private def behind(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr): Option[quotes.reflect.TypeRepr] =
    import quotes.reflect.*
    tpe match
      case ref: TypeRef if ref.isOpaqueAlias => Some(ref.translucentSuperType)
      case AppliedType(ref: TypeRef, arguments) if ref.isOpaqueAlias =>
        Some(ref.translucentSuperType.appliedTo(arguments))
      case _ => None

  /** The names of a named tuple; none of another type. */
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
end Stored
