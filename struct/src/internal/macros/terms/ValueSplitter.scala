package undercroft.struct
package internal.macros.terms

import internal.macros.places.Place
import internal.macros.schema.{CaseFields, Cases, OptionTypes, ShapeDerivation, StoredTypes}
import scala.quoted.*
import undercroft.struct.Shape

/** Splits values into their leaves, each evaluated once and bound to a name in [[statements]], so
  * that nothing is stored if one evaluation fails. A constructor call is omitted if the constructor
  * only stores its arguments.
  */
private[struct] final class ValueSplitter[Q <: Quotes & Singleton](using val quotes: Q):
  import quotes.reflect.*

  /** A leaf's value, which is stored if all of `when` hold: the enclosing value is of the leaf's
    * case.
    */
  final case class Part(value: Term, when: List[Expr[Boolean]])

  private val bound = List.newBuilder[Statement]

  def statements: List[Statement] = bound.result()

  /** The stores of leaves that have a value. */
  def stores(leaves: List[Shape.Leaf], parts: List[Option[Part]]): List[ValueSplitter.Store] =
    leaves.zip(parts).collect:
      case (leaf, Some(part)) => ValueSplitter.Store(leaf, part.value.asExpr, part.when)

  /** The leaves of a value; None for the leaves of other cases. */
  def apply(tpe: TypeRepr, value: Term): List[Option[Part]] = value match
    case Inlined(_, Nil, inner)                                 => apply(tpe, inner)
    case Typed(inner, _) if ShapeDerivation.kind(tpe).isEmpty   => apply(tpe, inner)
    case Literal(_) if ShapeDerivation.primitive(tpe).isDefined => List(Some(Part(value, Nil)))
    case Block(statements, inner) if ShapeDerivation.kind(tpe).isEmpty =>
      bound ++= statements
      apply(tpe, inner)
    case _ if ShapeDerivation.kind(tpe).isDefined =>
      List(Some(Part(bind(StructConstruction.leaf(tpe, value)), Nil)))
    case _ if OptionTypes.of(tpe).isEmpty && StoredTypes.of(tpe).isDefined =>
      StoredTypes.of(tpe).toList.flatMap(inner =>
        apply(inner.dealias, StoredTypes.encode(tpe, value))
      )
    case _ if ShapeDerivation.isSum(tpe) =>
      known(tpe, value) match
        case Some(number) =>
          // No leaf of it would evaluate the term.
          if Cases.of(tpe).toList.flatten.lift(number).exists(Cases.fields(_).isEmpty) &&
            !isObject(value)
          then bind(Typed(value, Inferred(tpe))): Unit
          ofCase(tpe, number, value)
        case None => selected(tpe, bind(Typed(value, Inferred(tpe))), Nil, Nil)
    case _ => record(tpe, ShapeDerivation.fields(tpe).map(_._2.dealias), value)

  /** Whether a term is the path of an object or an enum's case: evaluating it has no effect. */
  private def isObject(term: Term): Boolean = Projection.strip(term) match
    case path @ Ident(_)         => namesObject(path.symbol)
    case path @ Select(inner, _) => namesObject(path.symbol) && isObject(inner)
    case This(_)                 => true
    case _                       => false

  private def namesObject(symbol: Symbol): Boolean =
    symbol.isPackageDef || symbol.flags.is(Flags.Module) ||
      symbol.flags.is(Flags.Enum) && !symbol.flags.is(Flags.Method)

  /** The leaves of a value whose case has the number `number`. */
  def ofCase(tpe: TypeRepr, number: Int, value: Term): List[Option[Part]] =
    tagged(tpe, number): (caseType, fields) =>
      if fields.isEmpty then Nil else record(caseType, fields, value)

  /** The leaves of a case: its number, its fields, and None for the fields of the other cases. */
  private def tagged(tpe: TypeRepr, number: Int)(
      parts: (TypeRepr, List[TypeRepr]) => List[Option[Part]]
  ): List[Option[Part]] =
    val cases = Cases.of(tpe).toList.flatten
    val tag = Some(Part(Cases.leaf(tpe, Expr(number)).asTerm, Nil))
    tag :: cases.zipWithIndex.flatMap: (caseType, k) =>
      val fields = Cases.fields(caseType).map(_._2)
      if k == number then parts(caseType, fields)
      else fields.flatMap(ShapeDerivation.shapeOf(_).leaves.map(_ => None))

  /** The case number of a value, if it is known at compile time. Without explicit nulls, null has
    * the type of an enum's case without fields, so a value of that type is known only if it is
    * written as the case.
    */
  def known(tpe: TypeRepr, value: Term): Option[Int] =
    val term = Projection.strip(value)
    val valueType = term.tpe.widenTermRefByName
    val number = Cases.of(tpe).toList.flatten.indexWhere: caseType =>
      if !Cases.isObject(caseType) then valueType <:< caseType
      else
        term.tpe <:< caseType &&
        (caseType.typeSymbol.flags.is(Flags.Module) || namesObject(term.symbol))
    Option.when(number >= 0 && !(term.tpe <:< TypeRepr.of[Null]))(number)

  private def record(tpe: TypeRepr, fields: List[TypeRepr], value: Term): List[Option[Part]] =
    val Construction = Constructor(tpe)
    value match
      case Inlined(_, Nil, inner) => record(tpe, fields, inner)
      case Typed(inner, _)        => record(tpe, fields, inner)
      case Construction(arguments)
          if OptionTypes.of(tpe).isEmpty && ValueSplitter.onlyHolds(tpe) =>
        fields.zip(arguments).flatMap((inner, argument) => apply(inner, argument))
      case _ => selected(tpe, bind(Typed(value, Inferred(tpe))), Nil, Nil)

  /** The leaves of a value, and the value again, for a place that may turn out to be missing.
    *
    * @param again
    *   creates the value from bound names, or names it. A part that the value creates in place is
    *   created by this term alone, so nothing is allocated if the term does not run.
    */
  final case class Evaluated(parts: List[Option[Part]], again: Term)

  def evaluated(tpe: TypeRepr, value: Term): Evaluated =
    val isLeaf = ShapeDerivation.kind(tpe).isDefined
    value match
      case Inlined(_, Nil, inner)     => evaluated(tpe, inner)
      case Typed(inner, _) if !isLeaf => evaluated(tpe, inner)
      case Literal(_) if ShapeDerivation.primitive(tpe).isDefined =>
        Evaluated(List(Some(Part(value, Nil))), value)
      case Block(statements, inner) if !isLeaf =>
        bound ++= statements
        evaluated(tpe, inner)
      case _ if ShapeDerivation.far(tpe).isDefined =>
        val name = named(tpe, value)
        Evaluated(apply(tpe, name), copied(tpe, name))
      case _ if isLeaf =>
        val name = named(tpe, value)
        val isPrimitive = ShapeDerivation.primitive(tpe).isDefined
        Evaluated(if isPrimitive then List(Some(Part(name, Nil))) else apply(tpe, name), name)
      case _ if OptionTypes.of(tpe).isDefined =>
        OptionTypes.of(tpe).map(evaluatedOption(tpe, _, value)).get
      case _ if StoredTypes.isOpaque(tpe) =>
        val stored = StoredTypes.of(tpe).map(_.dealias).get
        val inner = evaluated(stored, StoredTypes.encode(tpe, value))
        inner.copy(again = StoredTypes.cast(inner.again, tpe))
      case _ if StoredTypes.of(tpe).isDefined =>
        val name = named(tpe, value)
        Evaluated(apply(tpe, name), name)
      case _ if ShapeDerivation.isSum(tpe) =>
        known(tpe, value) match
          case Some(number) => evaluatedCase(tpe, number, value)
          case None =>
            val name = named(tpe, value)
            Evaluated(selected(tpe, name, Nil, Nil), name)
      case _ => evaluatedRecord(tpe, ShapeDerivation.fields(tpe).map(_._2.dealias), value)
    end match
  end evaluated

  /** A reference to the same out-of-line bytes. */
  private def copied(tpe: TypeRepr, name: Term): Term =
    val fields = tpe.typeSymbol.primaryConstructor.paramSymss.head.map: field =>
      name.select(tpe.typeSymbol.fieldMember(field.name))
    StructConstruction.created(tpe, fields)

  private def evaluatedCase(tpe: TypeRepr, number: Int, value: Term): Evaluated =
    val caseType = Cases.of(tpe).toList.flatten.apply(number)
    if Cases.isObject(caseType) then
      val again = if isObject(value) then value else named(caseType, value)
      Evaluated(tagged(tpe, number)((_, _) => Nil), again)
    else
      val fields = evaluatedRecord(caseType, Cases.fields(caseType).map(_._2), value)
      Evaluated(tagged(tpe, number)((_, _) => fields.parts), fields.again)

  private def evaluatedOption(tpe: TypeRepr, inner: TypeRepr, value: Term): Evaluated =
    value match
      case ValueSplitter.Present(content) =>
        val part = evaluated(inner, content)
        val isDefined = Some(Part(Literal(BooleanConstant(true)), Nil))
        Evaluated(isDefined :: part.parts, OptionTypes.some(inner, part.again))
      case _ =>
        val name = named(tpe, value)
        val parts = selected(tpe, name, Nil, Nil)
        Evaluated(parts, again(tpe, name, parts))

  private def evaluatedRecord(tpe: TypeRepr, fields: List[TypeRepr], value: Term): Evaluated =
    val Construction = Constructor(tpe)
    value match
      case Inlined(_, Nil, inner) => evaluatedRecord(tpe, fields, inner)
      case Typed(inner, _)        => evaluatedRecord(tpe, fields, inner)
      case Construction(arguments) if ValueSplitter.onlyHolds(tpe) =>
        val parts = fields.zip(arguments).map((inner, value) => evaluated(inner.dealias, value))
        Evaluated(parts.flatMap(_.parts), StructConstruction.created(tpe, parts.map(_.again)))
      case _ =>
        val name = named(tpe, value)
        val parts = selected(tpe, name, Nil, Nil)
        Evaluated(parts, again(tpe, name, parts))

  /** A value that was bound to a name: created again, if that runs no code of users, because the
    * JIT does not allocate an object that only its fields are used of.
    */
  private def again(tpe: TypeRepr, name: Term, parts: List[Option[Part]]): Term =
    val values = parts.flatten.map(_.value)
    if ValueSplitter.isPlain(tpe) && values.sizeIs == parts.size then
      StructConstruction.construct(tpe, values.iterator)
    else name

  private def named(tpe: TypeRepr, value: Term): Term = bind(Typed(value, Inferred(tpe)))

  /** The leaves of a value that is bound to a name. */
  private def selected(
      tpe: TypeRepr,
      value: Term,
      guards: List[Expr[Boolean]],
      when: List[Expr[Boolean]]
  ): List[Option[Part]] =
    ShapeDerivation.kind(tpe) match
      case Some(kind) =>
        List(Some(Part(bind(guarded(StructConstruction.leaf(tpe, value), kind, guards)), when)))
      case None =>
        (OptionTypes.of(tpe), StoredTypes.of(tpe)) match
          case (Some(inner), _) =>
            val isDefined = Select.unique(value, "isDefined")
            val there = bind(guarded(isDefined, Shape.Kind.Boolean, guards))
            Some(Part(there, when)) ::
              selected(inner, Select.unique(value, "get"), guards :+ there.asExprOf[Boolean], when)
          case (_, Some(inner)) =>
            selected(inner.dealias, encoded(tpe, inner.dealias, value, guards), guards, when)
          case _ if Cases.isSum(tpe) => selectedCases(tpe, value, guards, when)
          case _ =>
            ShapeDerivation.fields(tpe).zipWithIndex.flatMap:
              case ((_, inner), k) =>
                selected(inner.dealias, CaseFields.select(value, tpe, k), guards, when)

  /** The value of the stored type, computed once; null if one of the guards does not hold. */
  private def encoded(
      tpe: TypeRepr,
      inner: TypeRepr,
      value: Term,
      guards: List[Expr[Boolean]]
  ): Term =
    val stored = StoredTypes.encode(tpe, value)
    if guards.isEmpty then bind(stored)
    else if StoredTypes.isOpaque(tpe) then stored
    else
      inner.asType match
        case '[s] =>
          val holds = guards.reduce((a, b) => '{ $a && $b })
          val ifPresent = '{ if $holds then ${ stored.asExprOf[s] } else null.asInstanceOf[s] }
          bind(Typed(ifPresent.asTerm, Inferred(inner)))

  private def selectedCases(
      tpe: TypeRepr,
      value: Term,
      guards: List[Expr[Boolean]],
      when: List[Expr[Boolean]]
  ): List[Option[Part]] =
    val number = bind(guarded(Cases.numberOf(tpe, value).asTerm, Shape.Kind.Int, guards))
    val tag = Some(Part(Cases.leaf(tpe, number.asExprOf[Int]).asTerm, when))
    tag :: Cases.of(tpe).toList.flatten.zipWithIndex.flatMap: (caseType, k) =>
      if Cases.isObject(caseType) then Nil
      else
        val isCase = '{ ${ number.asExprOf[Int] } == ${ Expr(k) } }
        val inner = StoredTypes.cast(value, caseType)
        Cases.fields(caseType).zipWithIndex.flatMap:
          case ((_, field), n) =>
            val fieldValue = CaseFields.select(inner, caseType, n)
            selected(field, fieldValue, guards :+ isCase, when :+ isCase)

  private def guarded(leaf: Term, kind: Shape.Kind, guards: List[Expr[Boolean]]): Term =
    if guards.isEmpty then leaf
    else
      OptionTypes.leaf(guards.reduce((a, b) => '{ $a && $b }), leaf, kind)

  /** Binds a value to a name in [[statements]]. */
  def bind(term: Term): Term =
    val symbol = Symbol.newVal(
      Symbol.spliceOwner,
      Symbol.freshName("leaf"),
      term.tpe.widen,
      Flags.EmptyFlags,
      Symbol.noSymbol
    )
    bound += ValDef(symbol, Some(term.changeOwner(symbol)))
    Ref(symbol)

  /** The arguments of a term, if it is a call of the primary constructor of a class. */
  def arguments(tpe: TypeRepr, term: Term): Option[List[Term]] = Constructor(tpe).unapply(term)

  /** The arguments of a call of the primary constructor of a class. A subclass passes other
    * arguments to it than it has itself.
    */
  private final class Constructor(tpe: TypeRepr):
    private given CanEqual[Symbol, Symbol] = CanEqual.derived
    def unapply(term: Term): Option[List[Term]] =
      def isConstruction(function: Term): Boolean = function match
        case TypeApply(inner, _) => isConstruction(inner)
        // A secondary constructor of the class computes the fields from its arguments.
        case Select(New(_), "<init>") => function.symbol == tpe.typeSymbol.primaryConstructor
        case Select(companion, "apply") =>
          function.symbol.flags.is(Flags.Synthetic) &&
          companion.symbol.flags.is(Flags.Module) &&
          companion.symbol.companionClass.fullName == tpe.typeSymbol.fullName
        case _ => false
      term match
        case Apply(function, arguments)
            if isConstruction(function) &&
              arguments.forall { case NamedArg(_, _) => false; case _ => true } =>
          Some(arguments)
        case _ => None
  end Constructor
end ValueSplitter

private[undercroft] object ValueSplitter:

  /** Whether constructing a value of this class has no effect but to store its arguments. */
  def onlyHolds(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    import quotes.reflect.*
    tpe.baseClasses.forall: base =>
      val name = base.fullName
      base.flags.is(Flags.NoInits) || name.startsWith("java.") || name.startsWith("scala.")

  /** Whether creating a value from its leaves only calls constructors without code. */
  def isPlain(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    ShapeDerivation.primitive(tpe).isDefined || ShapeDerivation.text(tpe).isDefined ||
      ShapeDerivation.far(tpe).isDefined || StoredTypes.isReference(tpe) ||
      StoredTypes.isEnumeration(tpe) || OptionTypes.of(tpe).exists(isPlain(_)) ||
      StoredTypes.isOpaque(tpe) && StoredTypes.of(tpe).exists(inner => isPlain(inner.dealias)) ||
      ShapeDerivation.kind(tpe).isEmpty && StoredTypes.of(tpe).isEmpty &&
      ShapeDerivation.isCaseClass(tpe) && onlyHolds(tpe) &&
      ShapeDerivation.fields(tpe).forall((_, inner) => isPlain(inner.dealias))

  /** `Some(content)`. */
  private object Present:
    def unapply(using
        Quotes
    )(term: quotes.reflect.Term): Option[quotes.reflect.Term] =
      import quotes.reflect.*
      term match
        case Typed(inner, _)        => unapply(inner)
        case Inlined(_, Nil, inner) => unapply(inner)
        case Apply(TypeApply(Select(module, "apply"), _), List(content))
            if module.symbol.fullName == "scala.Some" =>
          Some(content)
        case _ => None

  /** Evaluates the value into its leaves, then stores them all: nothing is stored if it fails.
    * `around` generates the code in between, such as the check of an index, and provides the place.
    * `fresh` memory was not zeroed.
    */
  def store[T: Type](value: Expr[T], fresh: Boolean = false)(
      around: Quotes ?=> (Quotes ?=> Place => Expr[Unit]) => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    import quotes.reflect.*
    val tpe = TypeRepr.of[T].dealias
    val split = ValueSplitter[quotes.type]()
    if ShapeDerivation.isSum(tpe) && split.known(tpe, value.asTerm).isEmpty then
      '{
        val whole = $value
        ${ byCase[T]('whole, fresh)(around) }
      }
    else stored[T](split)(split(tpe, value.asTerm), fresh)(around)

  /** Stores a value of any case: one branch per case. */
  private def byCase[T: Type](value: Expr[T], fresh: Boolean)(
      around: Quotes ?=> (Quotes ?=> Place => Expr[Unit]) => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    import quotes.reflect.*
    val tpe = TypeRepr.of[T].dealias
    val branches = Cases.of(tpe).toList.flatten.zipWithIndex.map: (caseType, k) =>
      val split = ValueSplitter[quotes.type]()
      val parts = split.ofCase(tpe, k, StoredTypes.cast(value.asTerm, caseType))
      CaseDef(Literal(IntConstant(k)), None, stored[T](split)(parts, fresh)(around).asTerm)
    Match(Cases.numberOf(tpe, value.asTerm).asTerm, branches).asExprOf[Unit]

  private def stored[T: Type](using
      Quotes
  )(split: ValueSplitter[quotes.type])(
      parts: List[Option[split.Part]],
      fresh: Boolean
  )(
      around: Quotes ?=> (Quotes ?=> Place => Expr[Unit]) => Expr[Unit]
  ): Expr[Unit] =
    import quotes.reflect.*
    val shape = ShapeDerivation.shape[T]
    val stores = split.stores(shape.leaves, parts)
    val body = around: place =>
      val clear = if fresh then place.clear(shape) else Nil
      Expr.block(clear ++ code(stores, place, fresh), '{ () })
    Block(split.statements, body.asTerm).asExprOf[Unit]

  /** A leaf's value, and the conditions under which it is stored. */
  final case class Store(leaf: Shape.Leaf, value: Expr[Any], when: List[Expr[Boolean]])

  /** The stores in order, with the stores of one case behind one condition. */
  def code(stores: List[Store], place: Place, fresh: Boolean)(using Quotes): List[Expr[Unit]] =
    stores match
      case Nil => Nil
      case first :: _ =>
        val (together, rest) = stores.span(_.when.corresponds(first.when)(_ eq _))
        val assignments = together.map: store =>
          if fresh && !store.leaf.shared then place.setFresh(store.leaf, store.value)
          else place.set(store.leaf, store.value)
        val step = first.when.reduceOption((a, b) => '{ $a && $b }) match
          case None => assignments
          case Some(condition) =>
            List('{ if $condition then ${ Expr.block(assignments, '{ () }) } })
        step ++ code(rest, place, fresh)
end ValueSplitter
