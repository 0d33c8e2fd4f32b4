package undercroft.struct
package internal.macros.terms

import internal.bytes.{FixedText, OutOfLine, UnionBytes}
import internal.macros.places.Place
import internal.macros.schema.{
  Cases,
  InlineArrayTypes,
  OptionTypes,
  ShapeDerivation,
  StoredTypes,
  UnionTypes
}
import java.lang.foreign.MemorySegment
import scala.quoted.*
import undercroft.struct.Union

/** Generates the loads of whole structs, and the leaves of values that are stored in one. */
private[struct] object StructConstruction:

  /** An expression that creates a `T` from the struct at `place`. */
  def load[T: Type](place: Place)(using Quotes): Expr[T] =
    val leaves = ShapeDerivation.shape[T].leaves
    place.all(leaves): values =>
      import quotes.reflect.*
      construct(TypeRepr.of[T].dealias, values.map(_.asTerm).iterator).asExprOf[T]

  /** A constructor call of a struct type with the values of its leaves. */
  def construct(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, leaves: Iterator[quotes.reflect.Term]): quotes.reflect.Term =
    fitted(constructed(tpe, leaves), tpe)

  /** A term with a type that is stored as the term's own type is: a Long as an opaque type with the
    * bound Long.
    */
  def fitted(using
      Quotes
  )(term: quotes.reflect.Term, tpe: quotes.reflect.TypeRepr): quotes.reflect.Term =
    if term.tpe <:< tpe then term else StoredTypes.cast(term, tpe)

  private def constructed(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, leaves: Iterator[quotes.reflect.Term]): quotes.reflect.Term =
    if ShapeDerivation.primitive(tpe).isDefined || ShapeDerivation.far(tpe).isDefined then
      leaves.next()
    else if ShapeDerivation.text(tpe).isDefined then StoredTypes.cast(leaves.next(), tpe)
    else if UnionTypes.isUnion(tpe) then StoredTypes.cast(leaves.next(), tpe)
    else if InlineArrayTypes.parts(tpe).isDefined then
      InlineArrayConstruction.made(tpe, leaves.next())
    else
      (OptionTypes.of(tpe), StoredTypes.of(tpe)) match
        case (Some(inner), _) =>
          val defined = leaves.next()
          OptionTypes.made(inner, defined, construct(inner, leaves))
        case (_, Some(inner))      => StoredTypes.decode(tpe, construct(inner.dealias, leaves))
        case _ if Cases.isSum(tpe) => CaseConstruction.made(tpe, leaves)
        case _                     => made(tpe, ShapeDerivation.fields(tpe).map(_._2), leaves)

  /** A constructor call whose arguments are created from the fields' leaves. */
  def made(using
      Quotes
  )(
      tpe: quotes.reflect.TypeRepr,
      fields: List[quotes.reflect.TypeRepr],
      leaves: Iterator[quotes.reflect.Term]
  ): quotes.reflect.Term =
    created(tpe, fields.map(inner => construct(inner.dealias, leaves)))

  /** A constructor call. */
  def created(using
      Quotes
  )(
      tpe: quotes.reflect.TypeRepr,
      arguments: List[quotes.reflect.Term]
  ): quotes.reflect.Term =
    import quotes.reflect.*
    val constructor = New(Inferred(tpe)).select(tpe.typeSymbol.primaryConstructor)
    val typed =
      if tpe.typeArgs.isEmpty then constructor else constructor.appliedToTypes(tpe.typeArgs)
    typed.appliedToArgs(arguments)

  /** The value of a field that is stored in one leaf; [[leafOf]] is the inverse. */
  def single[A: Type](leaf: Expr[Any])(using Quotes): Expr[A] = of(List(leaf))

  /** The value of a type from its leaves. */
  def of[A: Type](leaves: List[Expr[Any]])(using Quotes): Expr[A] =
    import quotes.reflect.*
    construct(TypeRepr.of[A].dealias, leaves.map(_.asTerm).iterator).asExprOf[A]

  def leafOf[A: Type](value: Expr[A])(using Quotes): Expr[Any] =
    import quotes.reflect.*
    leaf(TypeRepr.of[A].dealias, value.asTerm).asExpr

  /** The leaf that a value is stored as, of a type that is stored in one leaf. */
  def leaf(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, value: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    ShapeDerivation.text(tpe) match
      case Some(bytes) =>
        val text = uncheckedText(value)
        '{ FixedText.fitting($text, ${ Expr(bytes) }) }.asTerm
      case None if InlineArrayTypes.parts(tpe).isDefined =>
        InlineArrayConstruction.array(tpe, value)
      case None if UnionTypes.isUnion(tpe) =>
        val size = Expr(ShapeDerivation.shapeOf(tpe).alignedSize)
        '{ UnionBytes.sized(${ value.asExprOf[Union[?]] }, $size) }.asTerm
      case None if ShapeDerivation.far(tpe).isDefined =>
        tpe.asType match
          case '[a] => '{ OutOfLine.present[a](${ value.asExprOf[a] }) }.asTerm
      case None =>
        StoredTypes
          .of(tpe)
          .fold(value)(inner => leaf(inner.dealias, StoredTypes.encode(tpe, value)))
  end leaf

  /** The String of a text, which the caller checks. */
  def uncheckedText(using Quotes)(value: quotes.reflect.Term): Expr[String] =
    import quotes.reflect.*
    textArgument(value).getOrElse(StoredTypes.cast(value, TypeRepr.of[String])).asExprOf[String]

  /** The String of a term `Text[N](string)`, so that it is not checked twice. */
  private def textArgument(using
      Quotes
  )(value: quotes.reflect.Term): Option[quotes.reflect.Term] =
    textArguments(value).collect { case List(string) => string }

  /** The bytes of a term `Text[N](segment, from, until)`. */
  def textBytes(using
      Quotes
  )(value: quotes.reflect.Term): Option[(Expr[MemorySegment], Expr[Long], Expr[Long])] =
    textArguments(value).collect:
      case List(segment, from, until) =>
        (segment.asExprOf[MemorySegment], from.asExprOf[Long], until.asExprOf[Long])

  private def textArguments(using
      Quotes
  )(value: quotes.reflect.Term): Option[List[quotes.reflect.Term]] =
    import quotes.reflect.*
    val constructor = Symbol.requiredModule("undercroft.struct.Text").methodMember("apply")
    value match
      case Inlined(_, Nil, inner) => textArguments(inner)
      case Apply(Apply(call, arguments), _) if constructor.contains(call.symbol) => Some(arguments)
      case _                                                                     => None
end StructConstruction
