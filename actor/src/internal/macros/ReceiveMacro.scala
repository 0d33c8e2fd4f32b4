package undercroft.actor
package internal.macros

import internal.mailbox.MessageSlot
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.actor.Behavior

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
        form <- SlotLayout.of(TypeRepr.of[T].dealias)
        cases <- literal(handle.asTerm)
        arms <- PatternCompiler.arms[T](form, cases)
      yield slotted[T](form, arms)
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
    term match
      case Inlined(_, Nil, inner) => isWritten(inner)
      case Typed(inner, _)        => isWritten(inner)
      case Block(Nil, inner)      => isWritten(inner)
      case Lambda(_, _)           => true
      case _                      => false

  /** The cases of a function literal that consists of nothing else. */
  private def literal(using
      Quotes
  )(
      term: quotes.reflect.Term
  ): Option[List[quotes.reflect.CaseDef]] =
    import quotes.reflect.*
    term match
      case Inlined(_, Nil, inner) => literal(inner)
      case Typed(inner, _)        => literal(inner)
      case Block(Nil, inner)      => literal(inner)
      case Lambda(List(message), body) =>
        def casesIn(body: Term): Option[List[CaseDef]] = body match
          case Inlined(_, Nil, inner) => casesIn(inner)
          case Typed(inner, _)        => casesIn(inner)
          case Block(Nil, inner)      => casesIn(inner)
          case Match(Ident(name), cases) if name == message.name && !uses(message.symbol, cases) =>
            Some(cases)
          case _ => None
        casesIn(body)
      case _ => None
  end literal

  private def uses(using
      Quotes
  )(
      symbol: quotes.reflect.Symbol,
      trees: List[quotes.reflect.Tree]
  ): Boolean =
    import quotes.reflect.*
    val finder = new TreeAccumulator[Boolean]:
      def foldTree(isUsed: Boolean, tree: Tree)(owner: Symbol): Boolean =
        isUsed || tree.symbol == symbol || foldOverTree(isUsed, tree)(owner)
    finder.foldTrees(false, trees)(Symbol.spliceOwner)

  private def slotted[T: Type](using
      Quotes
  )(
      form: SlotLayout,
      arms: List[PatternCompiler.Arm[quotes.type]]
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
      val slot = parameters.head.asExprOf[Long]
      val unknown = '{ throw MatchError($slot) }.asTerm
      val symbols = SlotLayout.casesOf(message.dealias)
      symbols.zip(form.cases).foldRight[Term](unknown):
        case ((symbol, slotCase), rest) =>
          slotCase.fields.fold(rest): fields =>
            val instance =
              if symbol.isTerm then Ref(symbol)
              else if symbol.flags.is(Flags.Module) then Ref(symbol.companionModule)
              else
                val values =
                  fields.zip(SlotLayout.fieldsOf(symbol)).map((f, tpe) =>
                    SlotFields.read(f, tpe, slot)
                  )
                SlotFields.make(symbol, values)
            If('{ MessageSlot.caseOf($slot) == ${ Expr(slotCase.tag) } }.asTerm, instance, rest)

    // One method for each body and each guard, whose parameters are the names that the pattern
    // binds.
    val named = arms.zipWithIndex.map: (arm, i) =>
      val parameters = ("slot" -> long) :: arm.bound.flatMap(_.parameters)
      val body = method(s"case$i", parameters, behavior)
      val guard = arm.guard.map(_ => method(s"guard$i", parameters, TypeRepr.of[Boolean]))
      (arm, body, guard)
    val bodyDefs = named.flatMap: (arm, body, guard) =>
      val bodyDef = define(body): parameters =>
        arm.substituted(arm.body, parameters.tail, body): whole =>
          val slot = parameters.head.asExprOf[Long]
          arm.forwarding(form, slot, Ref(loadMethod), whole)
      val guardDef = guard.map: symbol =>
        define(symbol)(parameters =>
          arm.substituted(arm.guard.get, parameters.tail, symbol)(_ => _ => None)
        )
      bodyDef :: guardDef.toList

    val onObjectMethod = method("onObject", List("message" -> message), behavior)
    val onObjectDef = define(onObjectMethod): parameters =>
      val cases = named.map: (arm, body, guard) =>
        val names = arm.bound.flatMap(entry => entry.arguments(Ref(entry.symbol)))
        val bound = Literal(LongConstant(0)) :: names
        CaseDef(arm.pattern, guard.map(Ref(_).appliedToArgs(bound)), Ref(body).appliedToArgs(bound))
      Match(parameters.head, cases)

    val onSlotMethod = method("onSlot", List("slot" -> long), behavior)
    val onSlotDef = define(onSlotMethod): parameters =>
      val slot = parameters.head.asExprOf[Long]
      def loaded = Ref(loadMethod).appliedTo(parameters.head)
      val unmatched = '{ throw MatchError(${ loaded.asExpr }) }.asTerm
      ValDef.let(Symbol.spliceOwner, "tag", '{ MessageSlot.caseOf($slot) }.asTerm): tag =>
        named.foldRight[Term](unmatched):
          case ((arm, body, guard), rest) =>
            def bound(forBody: Boolean) =
              parameters.head ::
                arm.bound.flatMap(entry => entry.arguments(entry.value(slot, loaded, forBody)))
            def call = Ref(body).appliedToArgs(bound(forBody = true))
            lazy val tests = arm.tests(tag.asExprOf[Int], slot) ++
              guard.map(Ref(_).appliedToArgs(bound(forBody = false)))
            if arm.tags.isEmpty then rest
            else if tests.isEmpty then call
            else
              val condition =
                tests.reduceLeft((a, b) =>
                  '{ ${ a.asExprOf[Boolean] } && ${ b.asExprOf[Boolean] } }.asTerm
                )
              If(condition, call, rest)

    val result = '{
      new Behavior.Slotted[T](${ Expr(form.kind) }):
        def onObject(message: T): Behavior[T] =
          ${ Ref(onObjectMethod).appliedTo('message.asTerm).asExprOf[Behavior[T]] }
        def onSlot(slot: Long): Behavior[T] =
          ${ Ref(onSlotMethod).appliedTo('slot.asTerm).asExprOf[Behavior[T]] }
        def load(slot: Long): T = ${ Ref(loadMethod).appliedTo('slot.asTerm).asExprOf[T] }
    }
    Block(loadDef :: bodyDefs ::: List(onObjectDef, onSlotDef), result.asTerm).asExprOf[Behavior[T]]
  end slotted
end ReceiveMacro
