package undercroft.actor
package internal.macros

import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.actor.Behavior
import undercroft.struct.internal.macros.access.SlotAccess
import undercroft.struct.internal.macros.places.Bound
import undercroft.struct.internal.macros.terms.PatternNames

/** Macro of `Behavior.receive`: compiles a function that is written as cases for messages in slots,
  * too, if its message type has a slot layout. The body of each case becomes a method whose
  * parameters are the bound names. The cases themselves are kept for messages that are objects, so
  * the compiler still checks that they are exhaustive.
  */
@publicInBinary private[actor] object ReceiveMacro:

  def apply[T: Type](handle: Expr[T => Behavior[T]])(using Quotes): Expr[Behavior[T]] =
    import quotes.reflect.*
    val translated =
      for
        cases <- literal(PatternNames.removed(handle.asTerm))
        if !cases.exists(caseDef => bindsTypes(caseDef.pattern))
        layout <- SlotLayout.of[T]
        arms <- armsOf[T](layout, cases)
      yield slotted[T](layout, cases.zip(arms).map(caseOf(_, _)))
    translated.getOrElse(if isWritten(handle.asTerm) then plain(handle) else other(handle))

  private def other[T: Type](handle: Expr[T => Behavior[T]])(using Quotes): Expr[Behavior[T]] =
    '{ Behavior.receiveObjects[T]($handle) }

  private def plain[T: Type](handle: Expr[T => Behavior[T]])(using Quotes): Expr[Behavior[T]] =
    '{
      new Behavior.Receive[T]:
        def onObject(message: T): Behavior[T] = ${ Expr.betaReduce('{ $handle(message) }) }
    }

  /** Whether the argument is a function literal. */
  private def isWritten(using Quotes)(term: quotes.reflect.Term): Boolean =
    import quotes.reflect.*
    stripped(term) match
      case Lambda(_, _) => true
      case _            => false

  /** The cases of a function literal that consists of nothing else. */
  private def literal(using
      Quotes
  )(
      term: quotes.reflect.Term
  ): Option[List[quotes.reflect.CaseDef]] =
    import quotes.reflect.*
    stripped(term) match
      case Lambda(List(message), body) =>
        stripped(body) match
          case Match(Ident(name), cases)
              if name == message.name && !exists(cases)(_.symbol == message.symbol) =>
            Some(cases)
          case _ => None
      case _ => None

  /** A term without the nodes around it that have no effect. */
  private def stripped(using Quotes)(term: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    term match
      case Inlined(_, Nil, inner) => stripped(inner)
      case Typed(inner, _)        => stripped(inner)
      case Block(Nil, inner)      => stripped(inner)
      case _                      => term

  private def exists(using
      Quotes
  )(
      trees: List[quotes.reflect.Tree]
  )(isSought: quotes.reflect.Tree => Boolean): Boolean =
    import quotes.reflect.*
    val search = new TreeAccumulator[Boolean]:
      def foldTree(isFound: Boolean, tree: Tree)(owner: Symbol): Boolean =
        isFound || isSought(tree) || foldOverTree(isFound, tree)(owner)
    search.foldTrees(false, trees)(Symbol.spliceOwner)

  /** Whether a pattern binds types: a method for its body would not know them. */
  private def bindsTypes(using Quotes)(pattern: quotes.reflect.Tree): Boolean =
    import quotes.reflect.*
    exists(List(pattern)):
      case bind: Bind => bind.symbol.isType
      case _          => false

  /** The cases as tests and reads of a slot, to learn what they bind. */
  private def armsOf[T: Type](using
      Quotes
  )(
      layout: SlotLayout,
      cases: List[quotes.reflect.CaseDef]
  ): Option[List[SlotAccess.Arm[quotes.type]]] =
    SlotAccess.arms[T](SlotLayout.slot('{ 0L }), layout.numbers)(cases)

  private def caseOf(using
      Quotes
  )(
      written: quotes.reflect.CaseDef,
      arm: SlotAccess.Arm[quotes.type]
  ): ReceiveCase[quotes.type] =
    val wholes = arm.names.collect { case (name, None) => name }
    ReceiveCase[quotes.type](quotes)(written, arm.names.map(_._1), wholes.toSet)

  private def slotted[T: Type](using
      Quotes
  )(
      layout: SlotLayout,
      cases: List[ReceiveCase[quotes.type]]
  ): Expr[Behavior[T]] =
    import quotes.reflect.*
    val owner = Symbol.spliceOwner
    val (message, behavior, long) = (TypeRepr.of[T], TypeRepr.of[Behavior[T]], TypeRepr.of[Long])

    def method(name: String, parameters: List[(String, TypeRepr)], result: TypeRepr) =
      Symbol.newMethod(
        owner,
        name,
        MethodType(parameters.map(_._1))(_ => parameters.map(_._2), _ => result)
      )
    def define(symbol: Symbol)(body: List[Term] => Term): DefDef =
      DefDef(
        symbol,
        {
          case List(parameters) =>
            Some(body(parameters.map(_.asInstanceOf[Term])).changeOwner(symbol))
          case _ => None
        }
      )

    // Creates the message object from a slot.
    val loadMethod = method("load", List("slot" -> long), message)
    val loadDef = define(loadMethod): parameters =>
      SlotLayout.over(parameters.head.asExprOf[Long]): slot =>
        SlotAccess.load[T](slot, layout.numbers).asTerm

    // One method for each body and each guard, whose parameters are the names of the pattern that it
    // uses.
    val methods = cases.zipWithIndex.map: (written, i) =>
      val bodyParameters = ("slot" -> long) :: written.bodyNames.flatMap(_.parameters)
      val guardParameters = written.guardNames.flatMap(_.parameters)
      val body = method(s"case$i", bodyParameters, behavior)
      val guard =
        written.caseDef.guard.map(_ => method(s"guard$i", guardParameters, TypeRepr.of[Boolean]))
      (written, body, guard)
    val definitions = methods.flatMap: (written, body, guard) =>
      val bodyDef = define(body): parameters =>
        val slot = parameters.head.asExprOf[Long]
        written.substituted(written.caseDef.rhs, written.bodyNames, parameters.tail, body): whole =>
          written.forwarding(Expr(layout.kind), slot, Ref(loadMethod), whole)
      val guardDef = guard.map: symbol =>
        define(symbol): parameters =>
          val term = written.caseDef.guard.get
          written.substituted(term, written.guardNames, parameters, symbol)(_ => _ => None)
      bodyDef :: guardDef.toList

    val onObjectMethod = method("onObject", List("message" -> message), behavior)
    val onObjectDef = define(onObjectMethod): parameters =>
      val caseDefs = methods.map: (written, body, guard) =>
        val noSlot = Literal(LongConstant(0))
        val values = written.bodyNames.flatMap(name => name.arguments(Ref(name.symbol)))
        val tested = written.guardNames.flatMap(name => name.arguments(Ref(name.symbol)))
        CaseDef(
          written.caseDef.pattern,
          guard.map(Ref(_).appliedToArgs(tested)),
          Ref(body).appliedToArgs(noSlot :: values)
        )
      Match(parameters.head, caseDefs)

    val onSlotMethod = method("onSlot", List("slot" -> long), behavior)
    val onSlotDef = define(onSlotMethod): parameters =>
      val slot = parameters.head.asExprOf[Long]
      def loaded = Ref(loadMethod).appliedTo(parameters.head)
      val unmatched = '{ throw MatchError(${ loaded.asExpr }) }.asTerm
      SlotLayout.over(slot): whole =>
        Bound("tag", whole.tag.asTerm): tag =>
          val place = whole.copy(tag = tag.asExprOf[Int])
          val arms =
            SlotAccess.arms[T](place, layout.numbers)(cases.map(_.caseDef)).getOrElse(Nil)
          methods.zip(arms).foldRight[Term](unmatched):
            case (((written, body, guard), arm), rest) =>
              val reads = arm.names.toMap
              def values(names: List[written.Bound])(whole: written.Bound => Term): List[Term] =
                names.flatMap: name =>
                  val value = reads.get(name.symbol).flatten.fold(whole(name))(_())
                  name.arguments(name.fitted(value))
              val isHandled = guard.map: guard =>
                Ref(guard).appliedToArgs(values(written.guardNames)(_ => loaded))
              val tests = arm.tests.map(_.asTerm) ++ isHandled
              def call =
                // A message that is only forwarded is not loaded: its slot is copied.
                def whole(name: written.Bound) =
                  if written.isForwarded(name) then '{ null }.asTerm else loaded
                Ref(body).appliedToArgs(parameters.head :: values(written.bodyNames)(whole))
              if arm.isNever then rest
              else if tests.isEmpty then call
              else
                val condition =
                  tests.reduceLeft((a, b) =>
                    '{ ${ a.asExprOf[Boolean] } && ${ b.asExprOf[Boolean] } }.asTerm
                  )
                If(condition, call, rest)

    val result = '{
      new Behavior.Slotted[T](${ Expr(layout.kind) }):
        def onObject(message: T): Behavior[T] =
          ${ Ref(onObjectMethod).appliedTo('message.asTerm).asExprOf[Behavior[T]] }
        def onSlot(slot: Long): Behavior[T] =
          ${ Ref(onSlotMethod).appliedTo('slot.asTerm).asExprOf[Behavior[T]] }
        def load(slot: Long): T = ${ Ref(loadMethod).appliedTo('slot.asTerm).asExprOf[T] }
    }
    Block(loadDef :: definitions ::: List(onObjectDef, onSlotDef), result.asTerm)
      .asExprOf[Behavior[T]]
  end slotted
end ReceiveMacro
