package undercroft.actor
package internal.macros

import internal.mailbox.MessageSlot
import scala.quoted.*
import undercroft.actor.ActorRef

/** Translates patterns to tests on a slot and reads of its fields. */
private[internal] object PatternCompiler:

  /** One case of a function: the messages that it matches, the names that it binds, and its body.
    */
  abstract class Arm[Q <: Quotes & Singleton](val q: Q):
    import q.reflect.*

    final case class Bound(
        name: String,
        symbol: Symbol,
        tpe: TypeRepr,
        /** Its value, read from a slot or taken from the loaded message. */
        value: (Expr[Long], Term, Boolean) => Term,

        /** The fields that are passed instead of the value, so that only code that uses it
          * constructs it.
          */
        parts: List[Symbol]
    ):
      def parameters: List[(String, TypeRepr)] =
        if parts.isEmpty then List((name, tpe))
        else parts.map(part => (s"$name$$${part.name}", tpe.memberType(part).widen))
      def arguments(value: Term): List[Term] =
        if parts.isEmpty then List(value) else parts.map(value.select)
    end Bound

    def pattern: Tree
    def guard: Option[Term]
    def body: Term

    /** The cases in slots that it may match; `isForAll` if it may match all. */
    def tags: Set[Int]
    def isForAll: Boolean
    def fieldTests: List[Expr[Long] => Term]
    def bound: List[Bound]

    /** Names of the whole message that the body only forwards. */
    def sentOn: Set[Symbol]

    def tests(tag: Expr[Int], slot: Expr[Long]): List[Term] =
      given Quotes = q
      val ofTag =
        if isForAll then Nil
        else
          List(tags.toList.sorted
            .map(caseTag => '{ $tag == ${ Expr(caseTag) } })
            .reduceLeft((a, b) => '{ $a || $b })
            .asTerm)
      ofTag ++ fieldTests.map(_(slot))

    /** A body or guard, with the bound names replaced by the parameters of its method. */
    def substituted(term: Term, parameters: List[Term], owner: Symbol)(
        sending: (Symbol => Option[Term]) => Term => Option[Term]
    ): Term = over(bound, parameters, owner, Nil)(renamed(term, _, owner)(sending))

    private def over(left: List[Bound], parameters: List[Term], owner: Symbol, done: List[Term])(
        body: List[Term] => Term
    ): Term =
      left match
        case Nil => body(done.reverse)
        case binding :: rest =>
          val (arguments, remaining) = parameters.splitAt(binding.parameters.size)
          if binding.parts.isEmpty then over(rest, remaining, owner, arguments.head :: done)(body)
          else
            val instance = SlotFields.make(using q)(binding.tpe.dealias.typeSymbol, arguments)
            ValDef.let(owner, binding.name, instance): whole =>
              over(rest, remaining, owner, whole :: done)(body)

    private def renamed(term: Term, parameters: List[Term], owner: Symbol)(
        sending: (Symbol => Option[Term]) => Term => Option[Term]
    ): Term =
      val send = sending: symbol =>
        if sentOn(symbol) then bound.map(_.symbol).zip(parameters).toMap.get(symbol) else None
      val map = new TreeMap:
        // The bound names, and local values whose types depend on these.
        private var instead = bound.map(_.symbol).zip(parameters).toMap
        private def fitted(tpe: TypeRepr): TypeRepr =
          tpe.substituteTypes(instead.keys.toList, instead.values.map(_.tpe).toList)
        private def isSame(tpe: TypeRepr, other: TypeRepr): Boolean =
          tpe.asInstanceOf[AnyRef] eq other.asInstanceOf[AnyRef]

        override def transformTerm(tree: Term)(owner: Symbol): Term =
          send(tree) match
            case Some(sent) => super.transformTerm(sent)(owner)
            case None =>
              tree match
                case Ident(_) => instead.getOrElse(tree.symbol, tree)
                case _        => super.transformTerm(tree)(owner)

        override def transformTypeTree(tree: TypeTree)(owner: Symbol): TypeTree =
          val tpe = fitted(tree.tpe)
          if isSame(tpe, tree.tpe) then super.transformTypeTree(tree)(owner) else Inferred(tpe)

        // Inlined code keeps its arguments in values, whose types may be the names' singleton
        // types.
        override def transformStatement(tree: Statement)(owner: Symbol): Statement = tree match
          case ValDef(name, tpt, Some(value)) if !isSame(fitted(tpt.tpe), tpt.tpe) =>
            val flags = tree.symbol.flags & (Flags.Mutable | Flags.Lazy | Flags.Given)
            val symbol = Symbol.newVal(owner, name, fitted(tpt.tpe), flags, Symbol.noSymbol)
            instead = instead.updated(tree.symbol, Ref(symbol))
            ValDef(symbol, Some(transformTerm(value)(symbol).changeOwner(symbol)))
          case _ => super.transformStatement(tree)(owner)
      map.transformTerm(term)(owner)
    end renamed

    /** Forwards the message of a slot as a copy of the slot. */
    def forwarding(form: SlotLayout, slot: Expr[Long], load: Term, whole: Symbol => Option[Term])(
        term: Term
    ): Option[Term] =
      given Quotes = q
      PatternCompiler.sent(using q)(term).flatMap: (ref, symbol) =>
        whole(symbol).map: message =>
          ref.tpe.widen.baseType(TypeRepr.of[ActorRef[?]].typeSymbol).typeArgs.head.asType match
            case '[t] =>
              ValDef.let(Symbol.spliceOwner, "to", ref): to =>
                val target = to.asExprOf[ActorRef[t]]
                '{
                  if $slot == 0L then $target.tell(${ message.asExprOf[t] })
                  else if !undercroft.actor.internal.mailbox.MessageSlot.forwarded(
                      $target,
                      $slot,
                      ${ Expr(form.kind) }
                    )
                  then $target.tell(${ load.appliedTo(slot.asTerm).asExprOf[t] })
                }.asTerm
  end Arm

  /** The receiver and the name in `ref ! name` or `ref.tell(name)`, before or after macro
    * expansion.
    */
  private def sent(using
      Quotes
  )(
      term: quotes.reflect.Term
  ): Option[(quotes.reflect.Term, quotes.reflect.Symbol)] =
    import quotes.reflect.*
    def name(argument: Term): Option[Symbol] = argument match
      case Inlined(_, Nil, inner) => name(inner)
      case Typed(inner, _)        => name(inner)
      case Ident(_)               => Some(argument.symbol)
      case _                      => None
    term match
      case Apply(fun @ Select(ref, "tell" | "!"), List(argument))
          if fun.symbol.owner == TypeRepr.of[ActorRef[?]].typeSymbol =>
        name(argument).map(symbol => (ref, symbol))
      case _ => None

  /** All cases, if each can be tested on a slot. */
  def arms[T: Type](using
      Quotes
  )(
      form: SlotLayout,
      cases: List[quotes.reflect.CaseDef]
  ): Option[List[Arm[quotes.type]]] =
    val read = cases.map(caseDef => arm[T](form, caseDef))
    if read.forall(_.isDefined) then Some(read.flatten) else None

  private def arm[T: Type](using
      Quotes
  )(form: SlotLayout, caseDef: quotes.reflect.CaseDef): Option[Arm[quotes.type]] =
    import quotes.reflect.*
    val symbols = SlotLayout.casesOf(TypeRepr.of[T].dealias)
    val inSlots = form.cases.filter(_.fields.isDefined).map(_.tag).toSet

    /** The translation of a pattern: the cases it may match, its tests, and its named fields. */
    final case class Translation(
        tags: Set[Int],
        tests: List[Expr[Long] => Term] = Nil,
        fields: Map[Symbol, Expr[Long] => Term] = Map.empty
    )

    // A user-written `unapply` may return anything; only the synthetic one returns the fields.
    def classOf(fun: Term): Option[Symbol] =
      val of = fun.symbol.owner.companionClass
      val isItsOwn = fun.symbol.flags.is(Flags.Synthetic) || of.fullName.startsWith("scala.")
      Option.when(fun.symbol.name == "unapply" && isItsOwn)(of)

    def ofField(stored: SlotLayout.Stored, tpe: TypeRepr, p: Tree): Option[Translation] = p match
      case Wildcard() => Some(Translation(inSlots))
      case Bind(_, inner) =>
        ofField(stored, tpe, inner).map: translation =>
          translation.copy(fields =
            translation.fields.updated(p.symbol, slot => SlotFields.read(stored, tpe, slot))
          )
      case TypedOrTest(inner, tpt) if tpe <:< tpt.tpe => ofField(stored, tpe, inner)
      // The compiler tests for Some before it extracts from it.
      case TypedOrTest(inner @ Unapply(_, _, _), tpt) if tpt.tpe.typeSymbol == some =>
        ofField(stored, tpe, inner)
      case Unapply(fun, Nil, patterns) =>
        (stored, patterns) match
          case (SlotLayout.Stored.Product(parts), _)
              if classOf(fun).contains(tpe.dealias.typeSymbol) && parts.size == patterns.size =>
            all(parts.zip(SlotLayout.fieldsOf(tpe.dealias.typeSymbol)), patterns, inSlots)
          case (SlotLayout.Stored.Optional(at, part), List(inner)) if classOf(fun).contains(some) =>
            ofField(part, SlotLayout.optionOf(tpe).get, inner).map: translation =>
              translation.copy(tests = isThere(at, true) :: translation.tests)
          case _ => None
      case value: Term if isStable(value) =>
        val test: Expr[Long] => Term = stored match
          case SlotLayout.Stored.Optional(at, _) if value.symbol == none => isThere(at, false)
          case _ =>
            slot => Select.overloaded(SlotFields.read(stored, tpe, slot), "==", Nil, List(value))
        Some(Translation(inSlots, List(test)))
      case _ => None

    def some = TypeRepr.of[Some].typeSymbol
    def none = Symbol.requiredModule("scala.None")
    def isThere(at: Int, isPresent: Boolean)(slot: Expr[Long]): Term =
      '{ MessageSlot.getBoolean($slot, ${ Expr(at) }) == ${ Expr(isPresent) } }.asTerm

    def isStable(value: Term): Boolean = value match
      case Literal(_)              => true
      case Ident(_) | Select(_, _) => value.symbol.isTerm
      case _                       => false

    def all(
        fields: List[(SlotLayout.Stored, TypeRepr)],
        patterns: List[Tree],
        tags: Set[Int]
    ): Option[Translation] =
      fields.zip(patterns).foldLeft(Option(Translation(tags))):
        case (Some(before), ((stored, tpe), p)) =>
          ofField(stored, tpe, p).map: translation =>
            Translation(
              tags,
              before.tests ++ translation.tests,
              before.fields ++ translation.fields
            )
        case (None, _) => None

    def ofMessage(p: Tree): Option[Translation] = p match
      case Wildcard()     => Some(Translation(inSlots))
      case Bind(_, inner) => ofMessage(inner)
      case TypedOrTest(inner, tpt) =>
        val fitting = symbols.zipWithIndex.collect:
          case (symbol, tag) if symbol.isClassDef && symbol.typeRef <:< tpt.tpe => tag
          case (symbol, tag) if symbol.isTerm && symbol.termRef <:< tpt.tpe     => tag
        ofMessage(inner).map(translation =>
          translation.copy(tags = translation.tags & fitting.toSet)
        )
      case Unapply(fun, Nil, patterns) =>
        val at = classOf(fun).fold(-1)(symbols.indexOf)
        if at < 0 then None
        else
          form.cases(at).fields match
            case Some(stored) if stored.size == patterns.size =>
              all(stored.zip(SlotLayout.fieldsOf(symbols(at))), patterns, Set(at))
            case Some(_) => None
            case None    => Some(Translation(Set.empty))
      case Alternatives(patterns) =>
        val translations = patterns.map(ofMessage)
        if translations.forall(_.exists(translation => translation.tests.isEmpty)) then
          Some(Translation(translations.flatten.flatMap(_.tags).toSet))
        else None
      case Ident(_) | Select(_, _) =>
        val at = symbols.indexWhere(symbol =>
          symbol == p.symbol ||
            (symbol.flags.is(Flags.Module) && symbol.companionModule == p.symbol)
        )
        Option.when(at >= 0)(Translation(Set(at) & inSlots))
      case _ => None

    /** All names that a pattern binds, in order. */
    def binds(p: Tree): List[Symbol] =
      val collect = new TreeAccumulator[List[Symbol]]:
        def foldTree(names: List[Symbol], tree: Tree)(owner: Symbol): List[Symbol] = tree match
          case Bind(_, _) => foldOverTree(names :+ tree.symbol, tree)(owner)
          case _          => foldOverTree(names, tree)(owner)
      collect.foldTree(Nil, p)(Symbol.spliceOwner)

    def typeOf(symbol: Symbol): TypeRepr = symbol.tree match
      case bind: Bind => bind.pattern match
          case typed: TypedOrTest => typed.tpt.tpe
          case _                  => Ref(symbol).tpe.widen
      case _ => Ref(symbol).tpe.widen

    /** Whether the body uses a name only to forward it. */
    def isOnlySent(name: Symbol): Boolean =
      val count = new TreeAccumulator[(Int, Int)]:
        def foldTree(counts: (Int, Int), tree: Tree)(owner: Symbol): (Int, Int) = tree match
          case term: Term if sent(term).exists(_._2 == name) =>
            foldOverTree((counts._1 + 1, counts._2), tree)(owner)
          case Ident(_) if tree.symbol == name => (counts._1, counts._2 + 1)
          case _                               => foldOverTree(counts, tree)(owner)
      val (sends, uses) = count.foldTree((0, 0), caseDef.rhs)(Symbol.spliceOwner)
      sends > 0 && sends == uses

    ofMessage(caseDef.pattern).map: translation =>
      val names = binds(caseDef.pattern)
      val wholes = names.filterNot(translation.fields.contains)
      val onward = wholes.filter(isOnlySent).toSet
      new Arm[quotes.type](quotes):
        def pattern = caseDef.pattern
        def guard = caseDef.guard
        def body = caseDef.rhs
        def tags = translation.tags
        def isForAll = translation.tags == inSlots
        def fieldTests = translation.tests
        def sentOn = onward
        val bound = names.map: symbol =>
          val tpe = typeOf(symbol)
          Bound(
            symbol.name,
            symbol,
            tpe,
            (slot, loaded, forBody) =>
              tpe.asType match
                case '[t] =>
                  translation.fields.get(symbol) match
                    case Some(read) => read(slot)
                    case None if forBody && onward(symbol) =>
                      '{ null.asInstanceOf[t] }.asTerm
                    case None => '{ ${ loaded.asExpr }.asInstanceOf[t] }.asTerm,
            if translation.fields.contains(symbol) then SlotLayout.farPartsOf(tpe) else Nil
          )
      end new
  end arm
end PatternCompiler
