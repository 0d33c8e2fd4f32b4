package undercroft.struct.internal

import scala.quoted.*

/** Generates the loads of whole structs. */
private[struct] object Code:

  /** An expression that makes a `T` of what lies at `place`. */
  def load[T: Type](place: Place)(using Quotes): Expr[T] =
    val leaves = Schema.shape[T].leaves
    place.all(leaves): values =>
      import quotes.reflect.*
      construct(TypeRepr.of[T].dealias, values.map(_.asTerm).iterator).asExprOf[T]

  /** A constructor call of a struct type over the values of its leaves. */
  def construct(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, leaves: Iterator[quotes.reflect.Term]): quotes.reflect.Term =
    if Schema.primitive(tpe).isDefined || Schema.far(tpe).isDefined then leaves.next()
    else if Schema.text(tpe).isDefined then Stored.cast(leaves.next(), tpe)
    else if Unions.isUnion(tpe) then Stored.cast(leaves.next(), tpe)
    else if Inlines.parts(tpe).isDefined then Inlines.made(tpe, leaves.next())
    else
      (Optional.of(tpe), Stored.of(tpe)) match
        case (Some(inner), _) =>
          val defined = leaves.next()
          Optional.made(inner, defined, construct(inner, leaves))
        case (_, Some(inner))      => Stored.loaded(tpe, construct(inner.dealias, leaves))
        case _ if Cases.isSum(tpe) => Cases.made(tpe, leaves)
        case _                     => made(tpe, Schema.fields(tpe).map(_._2), leaves)

  /** A constructor call over the fields' leaves. */
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

  /** The value of a field that is stored in one leaf, and its leaf from the value. */
  def single[A: Type](leaf: Expr[Any])(using Quotes): Expr[A] = of(List(leaf))

  /** The value of a type from its leaves. */
  def of[A: Type](leaves: List[Expr[Any]])(using Quotes): Expr[A] =
    import quotes.reflect.*
    construct(TypeRepr.of[A].dealias, leaves.map(_.asTerm).iterator).asExprOf[A]

  def leafOf[A: Type](value: Expr[A])(using Quotes): Expr[Any] =
    import quotes.reflect.*
    Stored.primitive(TypeRepr.of[A].dealias, value.asTerm).asExpr
end Code
