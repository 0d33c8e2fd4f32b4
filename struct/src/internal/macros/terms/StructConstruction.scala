package undercroft.struct
package internal.macros.terms

import internal.macros.access.{InlineArrayAccess, UnionAccess}
import internal.macros.places.Place
import internal.macros.schema.{Cases, OptionTypes, ShapeDerivation, StoredTypes}
import scala.quoted.*

/** Generates the loads of whole structs. */
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
    if ShapeDerivation.primitive(tpe).isDefined || ShapeDerivation.far(tpe).isDefined then
      leaves.next()
    else if ShapeDerivation.text(tpe).isDefined then StoredTypes.cast(leaves.next(), tpe)
    else if UnionAccess.isUnion(tpe) then StoredTypes.cast(leaves.next(), tpe)
    else if InlineArrayAccess.parts(tpe).isDefined then InlineArrayAccess.made(tpe, leaves.next())
    else
      (OptionTypes.of(tpe), StoredTypes.of(tpe)) match
        case (Some(inner), _) =>
          val defined = leaves.next()
          OptionTypes.made(inner, defined, construct(inner, leaves))
        case (_, Some(inner))      => StoredTypes.decode(tpe, construct(inner.dealias, leaves))
        case _ if Cases.isSum(tpe) => Cases.made(tpe, leaves)
        case _                     => made(tpe, ShapeDerivation.fields(tpe).map(_._2), leaves)

  /** A constructor call whose arguments are created from the fields' leaves. */
  def made(using
      Quotes
  )(
      tpe: quotes.reflect.TypeRepr,
      fields: List[quotes.reflect.TypeRepr],
      leaves: Iterator[quotes.reflect.Term]
  ): quotes.reflect.Term =
    import quotes.reflect.*
    val arguments = fields.map(inner => construct(inner.dealias, leaves))
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
    StoredTypes.primitive(TypeRepr.of[A].dealias, value.asTerm).asExpr
end StructConstruction
