package undercroft.struct.internal

import scala.quoted.*

/** Generates the loads and stores of whole structs. */
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
    import quotes.reflect.*
    if Schema.primitive(tpe).isDefined then leaves.next()
    else if Schema.text(tpe).isDefined then Stored.cast(leaves.next(), tpe)
    else
      (Optional.of(tpe), Stored.of(tpe)) match
        case (Some(inner), _) =>
          val defined = leaves.next()
          Optional.made(inner, defined, construct(inner, leaves))
        case (_, Some(inner)) => Stored.loaded(tpe, construct(inner.dealias, leaves))
        case _ =>
          val arguments = Schema.fields(tpe).map((_, inner) => construct(inner.dealias, leaves))
          val constructor = New(Inferred(tpe)).select(tpe.typeSymbol.primaryConstructor)
          val typed =
            if tpe.typeArgs.isEmpty then constructor else constructor.appliedToTypes(tpe.typeArgs)
          typed.appliedToArgs(arguments)

  /** Evaluates the value into its leaves, then stores them all: nothing is stored if it fails.
    * `around` generates what comes between, such as the check of an index, and the place. Memory
    * that is `fresh` was not zeroed.
    */
  def store[T: Type](value: Expr[T], fresh: Boolean = false)(
      around: Quotes ?=> (Quotes ?=> Place => Expr[Unit]) => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    import quotes.reflect.*
    val leaves = Schema.shape[T].leaves
    split(TypeRepr.of[T].dealias, value.asTerm): parts =>
      val values = parts.map(_.asExpr)
      around: place =>
        val stores = leaves.zip(values).map: (leaf, value) =>
          if fresh then place.setFresh(leaf, value) else place.set(leaf, value)
        Expr.block(stores, '{ () })
      .asTerm
    .asExprOf[Unit]

  /** Binds each leaf of a value to a name and goes on with the names. A constructor call is never
    * made where all it would do is to hold its arguments.
    */
  def split(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, value: quotes.reflect.Term)(
      next: List[quotes.reflect.Term] => quotes.reflect.Term
  ): quotes.reflect.Term =
    import quotes.reflect.*
    def all(
        fields: List[(TypeRepr, Term)],
        done: List[Term]
    ): Term = fields match
      case Nil                  => next(done)
      case (tpe, value) :: rest => split(tpe, value)(parts => all(rest, done ++ parts))

    value match
      case Inlined(_, Nil, inner)                        => split(tpe, inner)(next)
      case Typed(inner, _) if Schema.kind(tpe).isEmpty   => split(tpe, inner)(next)
      case Literal(_) if Schema.primitive(tpe).isDefined => next(List(value))
      case Block(statements, inner) if Schema.kind(tpe).isEmpty =>
        Block(statements, split(tpe, inner)(next))
      case _ if Schema.kind(tpe).isDefined =>
        ValDef.let(Symbol.spliceOwner, Stored.primitive(tpe, value))(name => next(List(name)))
      case _ if Optional.of(tpe).isEmpty && Stored.of(tpe).isDefined =>
        Stored.of(tpe).fold(value)(inner => split(inner.dealias, Stored.stored(tpe, value))(next))
      case Constructor(arguments) if Optional.of(tpe).isEmpty && onlyHolds(tpe) =>
        all(Schema.fields(tpe).map(_._2.dealias).zip(arguments), Nil)
      case _ =>
        ValDef.let(Symbol.spliceOwner, Typed(value, Inferred(tpe))): name =>
          ValDef.let(Symbol.spliceOwner, selected(tpe, name))(next)
  end split

  /** The leaves of a value that has a name. */
  private def selected(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, value: quotes.reflect.Term): List[quotes.reflect.Term] =
    import quotes.reflect.*
    if Schema.kind(tpe).isDefined then List(Stored.primitive(tpe, value))
    else
      (Optional.of(tpe), Stored.of(tpe)) match
        case (Some(inner), _) =>
          val kinds = Schema.shapeOf(inner).leaves.map(_.kind)
          val leaves = selected(inner, Select.unique(value, "get")).zip(kinds)
          Select.unique(value, "isDefined") ::
            leaves.map((leaf, kind) => Optional.leaf(value, leaf, kind))
        case (_, Some(inner)) => selected(inner.dealias, Stored.stored(tpe, value))
        case _ =>
          Schema.fields(tpe).zip(tpe.typeSymbol.caseFields).flatMap:
            case ((_, inner), symbol) => selected(inner.dealias, value.select(symbol))

  /** The value of a field that is stored in one leaf, and its leaf from the value. */
  def single[A: Type](leaf: Expr[Any])(using Quotes): Expr[A] =
    import quotes.reflect.*
    construct(TypeRepr.of[A].dealias, Iterator(leaf.asTerm)).asExprOf[A]

  def leafOf[A: Type](value: Expr[A])(using Quotes): Expr[Any] =
    import quotes.reflect.*
    Stored.primitive(TypeRepr.of[A].dealias, value.asTerm).asExpr

  /** Whether making a value of this class has no effect but to hold its arguments. */
  private def onlyHolds(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    import quotes.reflect.*
    tpe.typeSymbol.flags.is(Flags.NoInits)

  private object Constructor:
    def unapply(using Quotes)(term: quotes.reflect.Term): Option[List[quotes.reflect.Term]] =
      import quotes.reflect.*
      def isConstruction(function: Term): Boolean = function match
        case TypeApply(inner, _)      => isConstruction(inner)
        case Select(New(_), "<init>") => true
        case Select(companion, "apply") =>
          function.symbol.flags.is(Flags.Synthetic) &&
          companion.symbol.flags.is(Flags.Module) &&
          companion.symbol.companionClass.fullName == term.tpe.widen.typeSymbol.fullName
        case _ => false
      term match
        case Apply(function, arguments)
            if isConstruction(function) &&
              arguments.forall { case NamedArg(_, _) => false; case _ => true } =>
          Some(arguments)
        case _ => None
  end Constructor
end Code
