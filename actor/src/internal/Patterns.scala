package undercroft.actor.internal

import scala.quoted.*
import undercroft.actor.{ActorRef, Slot}

/** Reads patterns as what they ask of a slot, and which of its fields they name. */
private[internal] object Patterns:

  /** One case of a function: which messages it is for, what it binds, and what it does. */
  abstract class Arm[Q <: Quotes & Singleton](val q: Q):
    import q.reflect.*

    final case class Bound(
        name: String,
        symbol: Symbol,
        tpe: TypeRepr,
        /** Its value from a slot, or from the message that was loaded. */
        value: (Expr[Long], Term, Boolean) => Term,

        /** The fields that are handed over instead: nothing is made for it but by who uses it. */
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

    /** The cases in slots that it may match; where all may, `isForAll`. */
    def tags: Set[Int]
    def isForAll: Boolean
    def fieldTests: List[Expr[Long] => Term]
    def bound: List[Bound]

    /** Names for the message as a whole that the body only sends on. */
    def sentOn: Set[Symbol]

    def tests(tag: Expr[Int], slot: Expr[Long]): List[Term] =
      given Quotes = q
      val ofTag =
        if isForAll then Nil
        else
          List(tags.toList.sorted
            .map(one => '{ $tag == ${ Expr(one) } })
            .reduceLeft((a, b) => '{ $a || $b })
            .asTerm)
      ofTag ++ fieldTests.map(_(slot))

    /** A body or guard over the parameters of its method. */
    def substituted(term: Term, parameters: List[Term], owner: Symbol)(
        sending: (Symbol => Option[Term]) => Term => Option[Term]
    ): Term = over(bound, parameters, owner, Nil)(renamed(term, _, owner)(sending))

    private def over(left: List[Bound], parameters: List[Term], owner: Symbol, done: List[Term])(
        body: List[Term] => Term
    ): Term =
      left match
        case Nil => body(done.reverse)
        case one :: more =>
          val (own, others) = parameters.splitAt(one.parameters.size)
          if one.parts.isEmpty then over(more, others, owner, own.head :: done)(body)
          else
            val made = Fields.make(using q)(one.tpe.dealias.typeSymbol, own)
            ValDef.let(owner, one.name, made): whole =>
              over(more, others, owner, whole :: done)(body)

    private def renamed(term: Term, parameters: List[Term], owner: Symbol)(
        sending: (Symbol => Option[Term]) => Term => Option[Term]
    ): Term =
      val send = sending: symbol =>
        if sentOn(symbol) then bound.map(_.symbol).zip(parameters).toMap.get(symbol) else None
      val map = new TreeMap:
        // The names that the pattern binds, and values whose types are made of those.
        private var instead = bound.map(_.symbol).zip(parameters).toMap
        private def fitted(tpe: TypeRepr): TypeRepr =
          tpe.substituteTypes(instead.keys.toList, instead.values.map(_.tpe).toList)
        private def isSame(one: TypeRepr, other: TypeRepr): Boolean =
          one.asInstanceOf[AnyRef] eq other.asInstanceOf[AnyRef]

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

        // What was inlined keeps its arguments in values, whose types may be the names themselves.
        override def transformStatement(tree: Statement)(owner: Symbol): Statement = tree match
          case ValDef(name, tpt, Some(value)) if !isSame(fitted(tpt.tpe), tpt.tpe) =>
            val kept = tree.symbol.flags & (Flags.Mutable | Flags.Lazy | Flags.Given)
            val symbol = Symbol.newVal(owner, name, fitted(tpt.tpe), kept, Symbol.noSymbol)
            instead = instead.updated(tree.symbol, Ref(symbol))
            ValDef(symbol, Some(transformTerm(value)(symbol).changeOwner(symbol)))
          case _ => super.transformStatement(tree)(owner)
      map.transformTerm(term)(owner)
    end renamed

    /** Sends the message of a slot on as a copy of the slot. */
    def forwarding(form: Form, slot: Expr[Long], load: Term, whole: Symbol => Option[Term])(
        term: Term
    ): Option[Term] =
      given Quotes = q
      Patterns.sent(using q)(term).flatMap: (ref, symbol) =>
        whole(symbol).map: message =>
          ref.tpe.widen.baseType(TypeRepr.of[ActorRef[?]].typeSymbol).typeArgs.head.asType match
            case '[t] =>
              ValDef.let(Symbol.spliceOwner, "to", ref): to =>
                val target = to.asExprOf[ActorRef[t]]
                '{
                  if $slot == 0L then $target.tell(${ message.asExprOf[t] })
                  else if !undercroft.actor.Slot.forwarded($target, $slot, ${ Expr(form.kind) })
                  then $target.tell(${ load.appliedTo(slot.asTerm).asExprOf[t] })
                }.asTerm
  end Arm

  /** What is sent by `ref ! name` or `ref.tell(name)`, before the macro or after it. */
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

  /** All cases, if every one of them can be asked of a slot. */
  def arms[T: Type](using
      Quotes
  )(
      form: Form,
      cases: List[quotes.reflect.CaseDef]
  ): Option[List[Arm[quotes.type]]] =
    val read = cases.map(one => arm[T](form, one))
    if read.forall(_.isDefined) then Some(read.flatten) else None

  private def arm[T: Type](using
      Quotes
  )(form: Form, one: quotes.reflect.CaseDef): Option[Arm[quotes.type]] =
    import quotes.reflect.*
    val symbols = Form.casesOf(TypeRepr.of[T].dealias)
    val inSlots = form.cases.filter(_.fields.isDefined).map(_.tag).toSet

    /** What a pattern asks: of which cases it may be, and tests and names of fields. */
    final case class Asked(
        tags: Set[Int],
        tests: List[Expr[Long] => Term] = Nil,
        fields: Map[Symbol, Expr[Long] => Term] = Map.empty
    )

    def classOf(fun: Term): Option[Symbol] =
      Option.when(fun.symbol.name == "unapply")(fun.symbol.owner.companionClass)

    def ofField(stored: Form.Stored, tpe: TypeRepr, p: Tree): Option[Asked] = p match
      case Wildcard() => Some(Asked(inSlots))
      case Bind(_, inner) =>
        ofField(stored, tpe, inner).map: asked =>
          asked.copy(fields =
            asked.fields.updated(p.symbol, slot => Fields.read(stored, tpe, slot))
          )
      case TypedOrTest(inner, tpt) if tpe <:< tpt.tpe => ofField(stored, tpe, inner)
      // The compiler asks for a Some before it takes one apart.
      case TypedOrTest(inner @ Unapply(_, _, _), tpt) if tpt.tpe.typeSymbol == some =>
        ofField(stored, tpe, inner)
      case Unapply(fun, Nil, patterns) =>
        (stored, patterns) match
          case (Form.Stored.Product(parts), _)
              if classOf(fun).contains(tpe.dealias.typeSymbol) && parts.size == patterns.size =>
            all(parts.zip(Form.fieldsOf(tpe.dealias.typeSymbol)), patterns, inSlots)
          case (Form.Stored.Optional(at, part), List(inner)) if classOf(fun).contains(some) =>
            ofField(part, Form.optionOf(tpe).get, inner).map: asked =>
              asked.copy(tests = isThere(at, true) :: asked.tests)
          case _ => None
      case value: Term if isStable(value) =>
        val test: Expr[Long] => Term = stored match
          case Form.Stored.Optional(at, _) if value.symbol == none => isThere(at, false)
          case _ =>
            slot => Select.overloaded(Fields.read(stored, tpe, slot), "==", Nil, List(value))
        Some(Asked(inSlots, List(test)))
      case _ => None

    def some = TypeRepr.of[Some].typeSymbol
    def none = Symbol.requiredModule("scala.None")
    def isThere(at: Int, wanted: Boolean)(slot: Expr[Long]): Term =
      '{ Slot.getBoolean($slot, ${ Expr(at) }) == ${ Expr(wanted) } }.asTerm

    def isStable(value: Term): Boolean = value match
      case Literal(_)              => true
      case Ident(_) | Select(_, _) => value.symbol.isTerm
      case _                       => false

    def all(
        fields: List[(Form.Stored, TypeRepr)],
        patterns: List[Tree],
        tags: Set[Int]
    ): Option[Asked] =
      fields.zip(patterns).foldLeft(Option(Asked(tags))):
        case (Some(before), ((stored, tpe), p)) =>
          ofField(stored, tpe, p).map: asked =>
            Asked(tags, before.tests ++ asked.tests, before.fields ++ asked.fields)
        case (None, _) => None

    def ofMessage(p: Tree): Option[Asked] = p match
      case Wildcard()     => Some(Asked(inSlots))
      case Bind(_, inner) => ofMessage(inner)
      case TypedOrTest(inner, tpt) =>
        val fitting = symbols.zipWithIndex.collect:
          case (symbol, tag) if symbol.isClassDef && symbol.typeRef <:< tpt.tpe => tag
          case (symbol, tag) if symbol.isTerm && symbol.termRef <:< tpt.tpe     => tag
        ofMessage(inner).map(asked => asked.copy(tags = asked.tags & fitting.toSet))
      case Unapply(fun, Nil, patterns) =>
        val at = classOf(fun).fold(-1)(symbols.indexOf)
        if at < 0 then None
        else
          form.cases(at).fields match
            case Some(stored) if stored.size == patterns.size =>
              all(stored.zip(Form.fieldsOf(symbols(at))), patterns, Set(at))
            case Some(_) => None
            case None    => Some(Asked(Set.empty))
      case Alternatives(patterns) =>
        val asked = patterns.map(ofMessage)
        if asked.forall(_.exists(one => one.tests.isEmpty)) then
          Some(Asked(asked.flatten.flatMap(_.tags).toSet))
        else None
      case Ident(_) | Select(_, _) =>
        val at = symbols.indexWhere(one =>
          one == p.symbol || (one.flags.is(Flags.Module) && one.companionModule == p.symbol)
        )
        Option.when(at >= 0)(Asked(Set(at) & inSlots))
      case _ => None

    /** Every name that a pattern binds, in order. */
    def binds(p: Tree): List[Symbol] =
      val collect = new TreeAccumulator[List[Symbol]]:
        def foldTree(found: List[Symbol], tree: Tree)(owner: Symbol): List[Symbol] = tree match
          case Bind(_, _) => foldOverTree(found :+ tree.symbol, tree)(owner)
          case _          => foldOverTree(found, tree)(owner)
      collect.foldTree(Nil, p)(Symbol.spliceOwner)

    def typeOf(symbol: Symbol): TypeRepr = symbol.tree match
      case bind: Bind => bind.pattern match
          case typed: TypedOrTest => typed.tpt.tpe
          case _                  => Ref(symbol).tpe.widen
      case _ => Ref(symbol).tpe.widen

    /** Whether the body does nothing with a name but to send it on. */
    def isOnlySent(name: Symbol): Boolean =
      val count = new TreeAccumulator[(Int, Int)]:
        def foldTree(found: (Int, Int), tree: Tree)(owner: Symbol): (Int, Int) = tree match
          case term: Term if sent(term).exists(_._2 == name) =>
            foldOverTree((found._1 + 1, found._2), tree)(owner)
          case Ident(_) if tree.symbol == name => (found._1, found._2 + 1)
          case _                               => foldOverTree(found, tree)(owner)
      val (sends, uses) = count.foldTree((0, 0), one.rhs)(Symbol.spliceOwner)
      sends > 0 && sends == uses

    ofMessage(one.pattern).map: asked =>
      val names = binds(one.pattern)
      val wholes = names.filterNot(asked.fields.contains)
      val onward = wholes.filter(isOnlySent).toSet
      new Arm[quotes.type](quotes):
        def pattern = one.pattern
        def guard = one.guard
        def body = one.rhs
        def tags = asked.tags
        def isForAll = asked.tags == inSlots
        def fieldTests = asked.tests
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
                  asked.fields.get(symbol) match
                    case Some(read) => read(slot)
                    case None if forBody && onward(symbol) =>
                      '{ null.asInstanceOf[t] }.asTerm
                    case None => '{ ${ loaded.asExpr }.asInstanceOf[t] }.asTerm,
            if asked.fields.contains(symbol) then Form.farPartsOf(tpe) else Nil
          )
      end new
  end arm
end Patterns
