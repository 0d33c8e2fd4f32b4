package undercroft.actor
package internal.macros

import internal.mailbox.MessageSlot
import scala.quoted.*
import undercroft.actor.ActorRef
import undercroft.struct.internal.macros.places

/** One case of a `receive`. Its guard and its body become methods, whose parameters are the names
  * of the pattern that they use.
  */
private[internal] final class ReceiveCase[Q <: Quotes & Singleton](val q: Q)(
    val caseDef: q.reflect.CaseDef,
    names: List[q.reflect.Symbol],
    wholes: Set[q.reflect.Symbol]
):
  import q.reflect.*

  /** A name of the pattern. */
  final case class Bound(symbol: Symbol):
    def isWhole: Boolean = wholes(symbol)

    val tpe: TypeRepr = symbol.tree match
      case bind: Bind => bind.pattern match
          case typed: TypedOrTest => typed.tpt.tpe
          case _                  => Ref(symbol).tpe.widen
      case _ => Ref(symbol).tpe.widen

    /** The fields that are passed instead of the value, so that only code that uses it constructs
      * it.
      */
    private val parts: List[Symbol] =
      val of = tpe.dealias.typeSymbol
      if isWhole || !isOutOfLine(of) then Nil
      else of.primaryConstructor.paramSymss.head.map(field => of.fieldMember(field.name))

    def parameters: List[(String, TypeRepr)] =
      if parts.isEmpty then List((symbol.name, tpe))
      else parts.map(part => (s"${symbol.name}$$${part.name}", tpe.memberType(part).widen))

    def arguments(value: Term): List[Term] =
      if parts.isEmpty then List(value) else parts.map(value.select)

    /** Continues with the value of the name. */
    def from(parameters: List[Term], owner: Symbol)(body: Term => Term): Term =
      if parts.isEmpty then body(parameters.head)
      else
        val of = tpe.dealias.typeSymbol
        val instance = New(Inferred(tpe)).select(of.primaryConstructor).appliedToArgs(parameters)
        places.Bound.in(using q)(owner, symbol.name, instance)(body)

    /** The same value as this name's type. */
    def fitted(value: Term): Term =
      given Quotes = q
      if value.tpe <:< tpe then value
      else
        tpe.asType match
          case '[t] => '{ ${ value.asExpr }.asInstanceOf[t] }.asTerm
  end Bound

  private def isOutOfLine(of: Symbol): Boolean =
    of.fullName == "undercroft.struct.TextRef" || of.fullName == "undercroft.struct.BytesRef"

  val guardNames: List[Bound] = caseDef.guard.toList.flatMap(usedIn)
  val bodyNames: List[Bound] = usedIn(caseDef.rhs)

  /** Whether the body uses a name only to forward the whole message. */
  def isForwarded(name: Bound): Boolean = forwarded(name.symbol)

  private lazy val forwarded: Set[Symbol] = wholes.filter(isOnlySent)

  private def usedIn(term: Term): List[Bound] =
    names.filter(uses(term, _)).map(Bound(_))

  /** Whether a term uses a name, as a value or as a part of a type. */
  private def uses(term: Term, name: Symbol): Boolean =
    val search = new TreeAccumulator[Boolean]:
      def foldTree(isUsed: Boolean, tree: Tree)(owner: Symbol): Boolean = isUsed || (tree match
        case Ident(_) if tree.symbol == name => true
        case tpt: TypeTree =>
          !isSame(tpt.tpe.substituteTypes(List(name), List(defn.AnyClass.typeRef)), tpt.tpe) ||
          foldOverTree(isUsed, tree)(owner)
        case _ => foldOverTree(isUsed, tree)(owner))
    search.foldTree(false, term)(Symbol.spliceOwner)

  private def isSame(tpe: TypeRepr, other: TypeRepr): Boolean =
    tpe.asInstanceOf[AnyRef] eq other.asInstanceOf[AnyRef]

  /** The guard or the body, with the names replaced by the parameters of its method. */
  def substituted(term: Term, names: List[Bound], parameters: List[Term], owner: Symbol)(
      sending: (Symbol => Option[Term]) => Term => Option[Term]
  ): Term =
    def over(names: List[Bound], parameters: List[Term], values: Map[Symbol, Term]): Term =
      names match
        case Nil => renamed(term, values, owner)(sending)
        case name :: rest =>
          val (first, remaining) = parameters.splitAt(name.parameters.size)
          name.from(first, owner)(value => over(rest, remaining, values + (name.symbol -> value)))
    over(names, parameters, Map.empty)

  private def renamed(term: Term, values: Map[Symbol, Term], owner: Symbol)(
      sending: (Symbol => Option[Term]) => Term => Option[Term]
  ): Term =
    val send = sending(symbol => if forwarded(symbol) then values.get(symbol) else None)
    val map = new TreeMap:
      // The names of the pattern, and local values whose types depend on these.
      private var instead = values
      private def fitted(tpe: TypeRepr): TypeRepr =
        tpe.substituteTypes(instead.keys.toList, instead.values.map(_.tpe).toList)

      override def transformTerm(tree: Term)(owner: Symbol): Term =
        send(tree) match
          case Some(sent) => super.transformTerm(sent.changeOwner(owner))(owner)
          case None =>
            tree match
              case Ident(_) => instead.getOrElse(tree.symbol, tree)
              case _        => super.transformTerm(tree)(owner)

      override def transformTypeTree(tree: TypeTree)(owner: Symbol): TypeTree =
        val tpe = fitted(tree.tpe)
        if isSame(tpe, tree.tpe) then super.transformTypeTree(tree)(owner) else Inferred(tpe)

      // Inlined code keeps its arguments in values, whose types may be the names' singleton types.
      override def transformStatement(tree: Statement)(owner: Symbol): Statement = tree match
        case ValDef(name, tpt, Some(value)) if !isSame(fitted(tpt.tpe), tpt.tpe) =>
          val flags = tree.symbol.flags & (Flags.Mutable | Flags.Lazy | Flags.Given)
          val symbol = Symbol.newVal(owner, name, fitted(tpt.tpe), flags, Symbol.noSymbol)
          instead = instead.updated(tree.symbol, Ref(symbol))
          ValDef(symbol, Some(transformTerm(value)(symbol).changeOwner(symbol)))
        case _ => super.transformStatement(tree)(owner)
    map.transformTerm(term.changeOwner(owner))(owner)
  end renamed

  /** Forwards the message of a slot as a copy of the slot. */
  def forwarding(kind: Expr[Long], slot: Expr[Long], load: Term, whole: Symbol => Option[Term])(
      term: Term
  ): Option[Term] =
    given Quotes = q
    sent(term).flatMap: (ref, symbol) =>
      whole(symbol).map: message =>
        ref.tpe.widen.baseType(actorRef).typeArgs.head.asType match
          case '[t] =>
            places.Bound(using q)("to", ref): to =>
              val target = to.asExprOf[ActorRef[t]]
              '{
                if $slot == 0L then $target.tell(${ message.asExprOf[t] })
                else if !MessageSlot.forwarded($target, $slot, $kind) then
                  $target.tell(${ load.appliedTo(slot.asTerm).asExprOf[t] })
              }.asTerm

  private def actorRef: Symbol = Symbol.requiredClass("undercroft.actor.ActorRef")

  /** The receiver and the name in `ref ! name` or `ref.tell(name)`, before or after macro
    * expansion.
    */
  private def sent(term: Term): Option[(Term, Symbol)] =
    def name(argument: Term): Option[Symbol] = argument match
      case Inlined(_, Nil, inner) => name(inner)
      case Typed(inner, _)        => name(inner)
      case Ident(_)               => Some(argument.symbol)
      case _                      => None
    term match
      case Apply(fun @ Select(ref, "tell" | "!"), List(argument))
          if fun.symbol.owner == actorRef =>
        name(argument).map(symbol => (ref, symbol))
      case _ => None

  private def isOnlySent(name: Symbol): Boolean =
    val uses = new TreeAccumulator[Int]:
      def foldTree(count: Int, tree: Tree)(owner: Symbol): Int = tree match
        case Ident(_) if tree.symbol == name => count + 1
        case _                               => foldOverTree(count, tree)(owner)
    val sends = sendsIn(caseDef.rhs, name)
    sends > 0 && sends == uses.foldTree(0, caseDef.rhs)(Symbol.spliceOwner)

  /** The number of sends of a name among the statements of the body. Other code, such as a closure
    * or an argument by name, may run after the slot was released.
    */
  private def sendsIn(tree: Tree, name: Symbol): Int =
    def sum(trees: List[Tree]): Int = trees.map(sendsIn(_, name)).sum
    tree match
      case term: Term if sent(term).exists(_._2 == name) => 1
      case Inlined(_, _, inner)                          => sendsIn(inner, name)
      case Typed(inner, _)                               => sendsIn(inner, name)
      case Block(statements, last)                       => sum(last :: statements)
      case If(_, first, second)                          => sum(List(first, second))
      case While(_, inner)                               => sendsIn(inner, name)
      case Match(_, cases)                               => sum(cases)
      case CaseDef(_, _, inner)                          => sendsIn(inner, name)
      case Try(inner, cases, last)                       => sum(inner :: cases ::: last.toList)
      case _                                             => 0
end ReceiveCase
