package undercroft.struct.internal

import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.{Field, Kind, Shape}

/** Enums whose cases hold something, and sealed hierarchies: stored as the number of the case, the
  * tag, and a union of what the cases hold.
  */
private[struct] object Cases:

  /** The name of the leaf that tells which case it is. */
  val tag = "tag"

  /** The cases of a type in the order of their numbers, those of sealed types inside included. */
  def of(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[List[quotes.reflect.TypeRepr]] =
    if isSum(tpe) then Some(cases(tpe)) else None

  /** Whether a type is one of several cases. */
  def isSum(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    import quotes.reflect.*
    val symbol = tpe.typeSymbol
    symbol.isClassDef && !symbol.flags.is(Flags.JavaDefined) && !symbol.flags.is(Flags.Case) &&
    symbol.flags.is(Flags.Sealed) && symbol.children.nonEmpty

  private def cases(using Quotes)(tpe: quotes.reflect.TypeRepr): List[quotes.reflect.TypeRepr] =
    tpe.typeSymbol.children.flatMap: child =>
      val inner = applied(tpe, child)
      if child.isType && isSum(inner) then cases(inner) else List(inner)

  /** The type of a case, with the arguments that the type around it gives it. */
  private def applied(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, child: quotes.reflect.Symbol): quotes.reflect.TypeRepr =
    import quotes.reflect.*
    if child.isTerm then child.termRef
    else
      val parameters = child.declaredTypes.filter(_.isTypeParam)
      val reference: TypeRepr = child.typeRef
      if parameters.isEmpty then reference
      else
        val own = reference.appliedTo(parameters.map(_.typeRef))
        val known = own.baseType(tpe.typeSymbol).typeArgs.zip(tpe.typeArgs)
        val arguments = parameters.map: parameter =>
          known
            .collectFirst { case (to, from) if to.typeSymbol.equals(parameter) => from }
            .getOrElse:
              report.errorAndAbort(
                s"${tpe.typeSymbol.name} cannot derive Struct: the type parameter " +
                  s"${parameter.name} of its case ${child.name} is not known from it"
              )
        reference.appliedTo(arguments)
  end applied

  /** Whether a case is an object, which holds nothing. */
  def isObject(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    import quotes.reflect.*
    tpe.termSymbol.isTerm && !tpe.termSymbol.isNoSymbol || tpe.typeSymbol.flags.is(Flags.Module)

  def name(using Quotes)(tpe: quotes.reflect.TypeRepr): String =
    if isObject(tpe) && !tpe.termSymbol.isNoSymbol then tpe.termSymbol.name
    else tpe.typeSymbol.name.stripSuffix("$")

  /** What a case holds. */
  def fields(using Quotes)(tpe: quotes.reflect.TypeRepr): List[(String, quotes.reflect.TypeRepr)] =
    if isObject(tpe) then Nil
    else tpe.typeSymbol.caseFields.map(field => (field.name, tpe.memberType(field).widen.dealias))

  def shape(using Quotes)(tpe: quotes.reflect.TypeRepr): Shape =
    val members = cases(tpe).map: one =>
      Field(name(one), Shape.Record(name(one), Annotated.fields(one, fields(one))))
    val isEmpty = members.forall(_.shape.leaves.isEmpty)
    val payload = if isEmpty then Nil else List(Field("", Shape.Union("", members)))
    val number = Shape.Primitive(Stored.numberOf(cases(tpe).size), cases(tpe).map(name(_)))
    Shape.Record(tpe.typeSymbol.name, Field(tag, number) :: payload)

  /** The number of a case from its leaf. */
  def number(tag: Expr[Any])(using Quotes): Expr[Int] = tag match
    case '{ $n: Byte }  => '{ $n & 0xff }
    case '{ $n: Short } => '{ $n & 0xffff }
    case '{ $n: Int }   => n

  /** The leaf of the tag from the number of a case. */
  def leaf(using Quotes)(tpe: quotes.reflect.TypeRepr, number: Expr[Int]): Expr[Any] =
    Stored.numberOf(cases(tpe).size) match
      case Kind.Byte  => '{ $number.toByte }
      case Kind.Short => '{ $number.toShort }
      case _          => number

  /** A value of the case that the tag names, of the leaves of all cases. */
  def made(using
      Quotes
  )(
      tpe: quotes.reflect.TypeRepr,
      leaves: Iterator[quotes.reflect.Term]
  ): quotes.reflect.Term =
    import quotes.reflect.*
    val number = Cases.number(leaves.next().asExpr).asTerm
    val all = cases(tpe)
    val values = all.map(Cases.one(_, leaves))
    ValDef.let(Symbol.spliceOwner, number): number =>
      val found = values.zipWithIndex.map: (value, k) =>
        CaseDef(Literal(IntConstant(k)), None, Typed(value, Inferred(tpe)))
      Typed(Match(number, found :+ none(tpe, number)), Inferred(tpe))

  /** One case, of its leaves alone. */
  def one(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, leaves: Iterator[quotes.reflect.Term]): quotes.reflect.Term =
    import quotes.reflect.*
    if tpe.termSymbol.isTerm && !tpe.termSymbol.isNoSymbol then Ref(tpe.termSymbol)
    else if isObject(tpe) then Ref(tpe.typeSymbol.companionModule)
    else Code.made(tpe, fields(tpe).map(_._2), leaves)

  /** What happens where the tag names no case. */
  private def none(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, number: quotes.reflect.Term): quotes.reflect.CaseDef =
    import quotes.reflect.*
    val (name, count) = (Expr(tpe.typeSymbol.name), Expr(cases(tpe).size))
    val error = '{ Cases.unknown(${ number.asExprOf[Int] }, $name, $count) }
    CaseDef(Wildcard(), None, error.asTerm)

  /** The number of a value's case. */
  def numberOf(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, value: quotes.reflect.Term): Expr[Int] =
    import quotes.reflect.*
    if tpe.typeSymbol.flags.is(Flags.Enum) then Select.unique(value, "ordinal").asExprOf[Int]
    else
      val unknown: Expr[Int] = '{ throw NullPointerException(${ Expr(tpe.typeSymbol.name) }) }
      cases(tpe).zipWithIndex.foldRight(unknown):
        case ((one, k), other) =>
          val isOne = is(one, value)
          '{ if $isOne then ${ Expr(k) } else $other }

  private def is(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, value: quotes.reflect.Term): Expr[Boolean] =
    import quotes.reflect.*
    TypeApply(Select.unique(value, "isInstanceOf"), List(Inferred(tpe))).asExprOf[Boolean]

  @publicInBinary private[struct] def unknown(number: Int, name: String, cases: Int): Nothing =
    throw java.util.NoSuchElementException(s"case $number of $name, which has $cases cases")
end Cases
