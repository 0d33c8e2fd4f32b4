package undercroft.struct.internal

import scala.quoted.*
import undercroft.struct.{Kind, Leaf}

/** Takes values apart into their leaves, each evaluated once and bound to a name in [[statements]],
  * so that whoever stores them afterwards stores nothing if one fails. A constructor call is never
  * made where all it would do is to hold its arguments.
  */
private[struct] final class Split[Q <: Quotes & Singleton](using val quotes: Q):
  import quotes.reflect.*

  /** A leaf's value, which is stored where all of `when` hold: that the value around it is of the
    * leaf's case.
    */
  final case class Part(value: Term, when: List[Expr[Boolean]])

  private val bound = List.newBuilder[Statement]

  def statements: List[Statement] = bound.result()

  /** What is stored of leaves. */
  def stores(leaves: List[Leaf], parts: List[Option[Part]]): List[Split.Store] =
    leaves.zip(parts).collect:
      case (leaf, Some(part)) => Split.Store(leaf, part.value.asExpr, part.when)

  /** The leaves of a value; None for those of cases that it is not of. */
  def apply(tpe: TypeRepr, value: Term): List[Option[Part]] = value match
    case Inlined(_, Nil, inner)                        => apply(tpe, inner)
    case Typed(inner, _) if Schema.kind(tpe).isEmpty   => apply(tpe, inner)
    case Literal(_) if Schema.primitive(tpe).isDefined => List(Some(Part(value, Nil)))
    case Block(statements, inner) if Schema.kind(tpe).isEmpty =>
      bound ++= statements
      apply(tpe, inner)
    case _ if Schema.kind(tpe).isDefined =>
      List(Some(Part(bind(Stored.primitive(tpe, value)), Nil)))
    case _ if Optional.of(tpe).isEmpty && Stored.of(tpe).isDefined =>
      Stored.of(tpe).toList.flatMap(inner => apply(inner.dealias, Stored.stored(tpe, value)))
    case _ if Schema.isSum(tpe) =>
      known(tpe, value) match
        case Some(number) => ofCase(tpe, number, value)
        case None         => selected(tpe, bind(Typed(value, Inferred(tpe))), Nil, Nil)
    case _ => record(tpe, Schema.fields(tpe).map(_._2.dealias), value)

  /** The leaves of a value that is of the case with a number. */
  def ofCase(tpe: TypeRepr, number: Int, value: Term): List[Option[Part]] =
    val cases = Cases.of(tpe).toList.flatten
    val tag = Some(Part(Cases.leaf(tpe, Expr(number)).asTerm, Nil))
    tag :: cases.zipWithIndex.flatMap: (one, k) =>
      val fields = Cases.fields(one).map(_._2)
      if k == number && fields.nonEmpty then record(one, fields, value)
      else fields.flatMap(Schema.shapeOf(_).leaves.map(_ => None))

  /** The number of the case that a value is known to be of. */
  def known(tpe: TypeRepr, value: Term): Option[Int] =
    val is = Projection.strip(value).tpe.widenTermRefByName
    val number = Cases.of(tpe).toList.flatten.indexWhere: one =>
      if Cases.isObject(one) then Projection.strip(value).tpe <:< one else is <:< one
    Option.when(number >= 0)(number)

  private def record(tpe: TypeRepr, fields: List[TypeRepr], value: Term): List[Option[Part]] =
    value match
      case Inlined(_, Nil, inner) => record(tpe, fields, inner)
      case Typed(inner, _)        => record(tpe, fields, inner)
      case Constructor(arguments) if Optional.of(tpe).isEmpty && Split.onlyHolds(tpe) =>
        fields.zip(arguments).flatMap((inner, argument) => apply(inner, argument))
      case _ => selected(tpe, bind(Typed(value, Inferred(tpe))), Nil, Nil)

  /** The leaves of a value that has a name. */
  private def selected(
      tpe: TypeRepr,
      value: Term,
      guards: List[Expr[Boolean]],
      when: List[Expr[Boolean]]
  ): List[Option[Part]] =
    Schema.kind(tpe) match
      case Some(kind) =>
        List(Some(Part(bind(guarded(Stored.primitive(tpe, value), kind, guards)), when)))
      case None =>
        (Optional.of(tpe), Stored.of(tpe)) match
          case (Some(inner), _) =>
            val is = Select.unique(value, "isDefined")
            val there = bind(guarded(is, Kind.Boolean, guards))
            Some(Part(there, when)) ::
              selected(inner, Select.unique(value, "get"), guards :+ there.asExprOf[Boolean], when)
          case (_, Some(inner)) =>
            val stored = Stored.stored(tpe, value)
            val named = if guards.isEmpty then bind(stored) else stored
            selected(inner.dealias, named, guards, when)
          case _ if Cases.isSum(tpe) => selectedCases(tpe, value, guards, when)
          case _ =>
            Schema.fields(tpe).zip(tpe.typeSymbol.caseFields).flatMap:
              case ((_, inner), symbol) =>
                selected(inner.dealias, value.select(symbol), guards, when)

  private def selectedCases(
      tpe: TypeRepr,
      value: Term,
      guards: List[Expr[Boolean]],
      when: List[Expr[Boolean]]
  ): List[Option[Part]] =
    val number = bind(guarded(Cases.numberOf(tpe, value).asTerm, Kind.Int, guards))
    val tag = Some(Part(Cases.leaf(tpe, number.asExprOf[Int]).asTerm, when))
    tag :: Cases.of(tpe).toList.flatten.zipWithIndex.flatMap: (one, k) =>
      if Cases.isObject(one) then Nil
      else
        val is = '{ ${ number.asExprOf[Int] } == ${ Expr(k) } }
        val inner = Stored.cast(value, one)
        Cases.fields(one).zip(one.typeSymbol.caseFields).flatMap:
          case ((_, field), symbol) =>
            selected(field, inner.select(symbol), guards :+ is, when :+ is)

  private def guarded(leaf: Term, kind: Kind, guards: List[Expr[Boolean]]): Term =
    if guards.isEmpty then leaf
    else
      Optional.leaf(guards.reduce((a, b) => '{ $a && $b }), leaf, kind)

  private def bind(term: Term): Term =
    val symbol = Symbol.newVal(
      Symbol.spliceOwner,
      Symbol.freshName("leaf"),
      term.tpe.widen,
      Flags.EmptyFlags,
      Symbol.noSymbol
    )
    bound += ValDef(symbol, Some(term.changeOwner(symbol)))
    Ref(symbol)

  private object Constructor:
    def unapply(term: Term): Option[List[Term]] =
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
end Split

private[struct] object Split:

  /** Whether making a value of this class has no effect but to hold its arguments. */
  def onlyHolds(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    import quotes.reflect.*
    tpe.baseClasses.forall: base =>
      val name = base.fullName
      base.flags.is(Flags.NoInits) || name.startsWith("java.") || name.startsWith("scala.")

  /** Evaluates the value into its leaves, then stores them all: nothing is stored if it fails.
    * `around` generates what comes between, such as the check of an index, and the place. Memory
    * that is `fresh` was not zeroed.
    */
  def store[T: Type](value: Expr[T], fresh: Boolean = false)(
      around: Quotes ?=> (Quotes ?=> Place => Expr[Unit]) => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    import quotes.reflect.*
    val tpe = TypeRepr.of[T].dealias
    val split = Split[quotes.type]()
    if Schema.isSum(tpe) && split.known(tpe, value.asTerm).isEmpty then
      '{
        val one = $value
        ${ byCase[T]('one, fresh)(around) }
      }
    else stored[T](split)(split(tpe, value.asTerm), fresh)(around)

  /** Stores a value of any case: a branch for each. */
  private def byCase[T: Type](value: Expr[T], fresh: Boolean)(
      around: Quotes ?=> (Quotes ?=> Place => Expr[Unit]) => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    import quotes.reflect.*
    val tpe = TypeRepr.of[T].dealias
    val branches = Cases.of(tpe).toList.flatten.zipWithIndex.map: (one, k) =>
      val split = Split[quotes.type]()
      val parts = split.ofCase(tpe, k, Stored.cast(value.asTerm, one))
      CaseDef(Literal(IntConstant(k)), None, stored[T](split)(parts, fresh)(around).asTerm)
    Match(Cases.numberOf(tpe, value.asTerm).asTerm, branches).asExprOf[Unit]

  private def stored[T: Type](using
      Quotes
  )(split: Split[quotes.type])(
      parts: List[Option[split.Part]],
      fresh: Boolean
  )(
      around: Quotes ?=> (Quotes ?=> Place => Expr[Unit]) => Expr[Unit]
  ): Expr[Unit] =
    import quotes.reflect.*
    val leaves = Schema.shape[T].leaves
    val stores = split.stores(leaves, parts)
    val body = around: place =>
      val clear = if fresh then place.clear(leaves.filter(_.shared)) else Nil
      Expr.block(clear ++ code(stores, place, fresh), '{ () })
    Block(split.statements, body.asTerm).asExprOf[Unit]

  /** A leaf's value, and what has to hold where it is stored. */
  final case class Store(leaf: Leaf, value: Expr[Any], when: List[Expr[Boolean]])

  /** The stores in their order, those of one case behind one condition. */
  def code(stores: List[Store], place: Place, fresh: Boolean)(using Quotes): List[Expr[Unit]] =
    stores match
      case Nil => Nil
      case first :: _ =>
        val (together, rest) = stores.span(_.when.corresponds(first.when)(_ eq _))
        val all = together.map: store =>
          if fresh && !store.leaf.shared then place.setFresh(store.leaf, store.value)
          else place.set(store.leaf, store.value)
        val step = first.when.reduceOption((a, b) => '{ $a && $b }) match
          case None     => all
          case Some(is) => List('{ if $is then ${ Expr.block(all, '{ () }) } })
        step ++ code(rest, place, fresh)
end Split
