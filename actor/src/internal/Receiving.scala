package undercroft.actor.internal

import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.actor.{Behavior, Slot}

/** Generates `Behavior.receive`: a function that is written out as cases is compiled for messages
  * in slots as well, where its messages have a form in those. Each case's body becomes one method,
  * whose parameters are the names that the case binds; the cases themselves are kept for objects,
  * and with them the compiler's word on whether they are exhaustive.
  */
@publicInBinary private[actor] object Receiving:

  def apply[T: Type](handle: Expr[T => Behavior[T]])(using Quotes): Expr[Behavior[T]] =
    import quotes.reflect.*
    val translated =
      for
        form <- Form.of(TypeRepr.of[T].dealias)
        cases <- literal(handle.asTerm)
        arms <- Patterns.arms[T](form, cases)
      yield slotted[T](form, arms)
    translated.getOrElse(if isWritten(handle.asTerm) then plain(handle) else other(handle))

  private def other[T: Type](handle: Expr[T => Behavior[T]])(using Quotes): Expr[Behavior[T]] =
    '{ Behavior.receiveObjects[T]($handle) }

  private def plain[T: Type](handle: Expr[T => Behavior[T]])(using Quotes): Expr[Behavior[T]] =
    '{
      new Behavior.Receive[T]:
        def onObject(message: T): Behavior[T] = ${ Expr.betaReduce('{ $handle(message) }) }
    }

  /** Whether a function is written out where it is given. */
  private def isWritten(using Quotes)(term: quotes.reflect.Term): Boolean =
    import quotes.reflect.*
    term match
      case Inlined(_, Nil, inner) => isWritten(inner)
      case Typed(inner, _)        => isWritten(inner)
      case Block(Nil, inner)      => isWritten(inner)
      case Lambda(_, _)           => true
      case _                      => false

  /** The cases of a function that is nothing else. */
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
      def foldTree(found: Boolean, tree: Tree)(owner: Symbol): Boolean =
        found || tree.symbol == symbol || foldOverTree(found, tree)(owner)
    finder.foldTrees(false, trees)(Symbol.spliceOwner)

  private def slotted[T: Type](using
      Quotes
  )(
      form: Form,
      arms: List[Patterns.Arm[quotes.type]]
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

    // Makes the message in a slot.
    val loadMethod = method("load", List("slot" -> long), message)
    val loadDef = define(loadMethod): parameters =>
      val slot = parameters.head.asExprOf[Long]
      val unknown = '{ throw MatchError($slot) }.asTerm
      val symbols = Form.casesOf(message.dealias)
      symbols.zip(form.cases).foldRight[Term](unknown):
        case ((symbol, one), rest) =>
          one.fields.fold(rest): fields =>
            val made =
              if symbol.isTerm then Ref(symbol)
              else if symbol.flags.is(Flags.Module) then Ref(symbol.companionModule)
              else
                val values =
                  fields.zip(Form.fieldsOf(symbol)).map((f, tpe) => Fields.read(f, tpe, slot))
                Fields.make(symbol, values)
            If('{ Slot.caseOf($slot) == ${ Expr(one.tag) } }.asTerm, made, rest)

    // One method for each body and one for each guard, of what the pattern binds.
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
        val names = arm.bound.flatMap(one => one.arguments(Ref(one.symbol)))
        val bound = Literal(LongConstant(0)) :: names
        CaseDef(arm.pattern, guard.map(Ref(_).appliedToArgs(bound)), Ref(body).appliedToArgs(bound))
      Match(parameters.head, cases)

    val onSlotMethod = method("onSlot", List("slot" -> long), behavior)
    val onSlotDef = define(onSlotMethod): parameters =>
      val slot = parameters.head.asExprOf[Long]
      def loaded = Ref(loadMethod).appliedTo(parameters.head)
      val unmatched = '{ throw MatchError(${ loaded.asExpr }) }.asTerm
      ValDef.let(Symbol.spliceOwner, "tag", '{ Slot.caseOf($slot) }.asTerm): tag =>
        named.foldRight[Term](unmatched):
          case ((arm, body, guard), rest) =>
            def bound(forBody: Boolean) =
              parameters.head ::
                arm.bound.flatMap(one => one.arguments(one.value(slot, loaded, forBody)))
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

    val made = '{
      new Behavior.Slotted[T](${ Expr(form.kind) }):
        def onObject(message: T): Behavior[T] =
          ${ Ref(onObjectMethod).appliedTo('message.asTerm).asExprOf[Behavior[T]] }
        def onSlot(slot: Long): Behavior[T] =
          ${ Ref(onSlotMethod).appliedTo('slot.asTerm).asExprOf[Behavior[T]] }
        def load(slot: Long): T = ${ Ref(loadMethod).appliedTo('slot.asTerm).asExprOf[T] }
    }
    Block(loadDef :: bodyDefs ::: List(onObjectDef, onSlotDef), made.asTerm).asExprOf[Behavior[T]]
  end slotted
end Receiving
