package undercroft.struct
package internal.macros.terms

import internal.bytes.{CaseTag, FixedText}
import internal.macros.places.{Bound, Place}
import internal.macros.schema.{Cases, OptionTypes, ShapeDerivation, StoredTypes}
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.Shape

/** A match on a struct in place, or on a part of it, in the function literal of a loop or a
  * reference: generated as tests of tags and fields. Fields that a pattern binds are read once,
  * when the pattern has matched and before the guard and the body run; unnamed fields are not read.
  *
  * Supported are patterns of case classes, of cases and their types, of tuples and Options,
  * objects, literals, stable names, alternatives and wildcards. A match with another kind of
  * pattern is a match on the value, loaded whole, and so is a match with a guard or a comparison
  * that calls code of the program: it may store into the row before the next case is tested. The
  * compiler checks the original match: it warns of missing and unreachable cases, as for any match.
  */
private[struct] final class Matching[Q <: Quotes & Singleton](using val quotes: Q)(
    row: quotes.reflect.Symbol,
    tpe: quotes.reflect.TypeRepr,
    leaves: List[Shape.Leaf],
    place: Place,
    absent: Set[Int] = Set.empty
):
  import quotes.reflect.*

  /** A part of the struct: its type, and its path; of an Option, also whether it has a value. */
  private final case class Spot(tpe: TypeRepr, path: List[String], isPresent: Boolean = false):
    def leaf(name: String): Option[Shape.Leaf] = leaves.find(_.path == path :+ name)
    def at(names: List[String]): Spot = names.foldLeft(this): (spot, name) =>
      if spot.isPresent && name == "value" then spot.content
      else spot.fields.find(_.path.last == name).getOrElse(spot)

    /** The value of an Option. */
    def content: Spot = fields.find(_.path.last == "get").getOrElse(this)
    def fields: List[Spot] =
      val members = if isCase then Cases.fields(tpe) else ShapeDerivation.fields(tpe)
      members.map((name, inner) => Spot(inner.dealias, path :+ name))
    def load: Term = if isPresent then OptionTypes.some(content.tpe, content.load) else loadWhole

    private def loadWhole: Term =
      val values = leaves.filter(_.path.startsWith(path)).map(place.get(_).asTerm).iterator
      if isCase then CaseConstruction.one(tpe, values)
      else StructConstruction.construct(tpe, values)

    /** Whether it is an enum's case. */
    def isCase: Boolean =
      val flags = tpe.typeSymbol.flags
      Cases.isObject(tpe) || flags.is(Flags.Enum) && flags.is(Flags.Case)
  end Spot

  /** The tests of a pattern, the names that it binds, and whether a test calls code of the program.
    */
  private final case class Asked(
      tests: List[Expr[Boolean]],
      names: List[(Symbol, Spot)],
      runsCode: Boolean = false
  ):
    def ++(other: Asked): Asked =
      Asked(tests ++ other.tests, names ++ other.names, runsCode || other.runsCode)
    def test: Expr[Boolean] = tests.reduceOption((a, b) => '{ $a && $b }).getOrElse('{ true })

  private object Asked:
    val nothing: Asked = Asked(Nil, Nil)

  /** The guards and bodies of a match, if the match is generated here. */
  def isOn(term: Term): Option[List[Term]] = term match
    case Match(scrutinee, cases) =>
      spot(scrutinee)
        .filter(spot => cases.forall(caseDef => asked(caseDef.pattern, spot).exists(!_.runsCode)))
        .filter(_ => !cases.dropRight(1).flatMap(_.guard).exists(UserCode.isIn(_)))
        .map(_ => cases.flatMap(caseDef => caseDef.guard.toList :+ caseDef.rhs))
    case _ => None

  /** The cases of a match on the whole struct, if all can be generated. `absent` has the numbers of
    * the cases that are never stored: their fields are not read.
    */
  def arms(cases: List[CaseDef]): Option[List[Matching.Arm[quotes.type]]] =
    val root = Spot(tpe, Nil)
    def isWhole(spot: Spot): Boolean =
      spot.path.isEmpty || isSum(root) && spot.path.sizeIs == 1
    val results = cases.map: caseDef =>
      asked(caseDef.pattern, root).map: asked =>
        val names = asked.names.map: (name, spot) =>
          (name, Option.when(!isWhole(spot))(() => spot.load))
        Matching.Arm[quotes.type](quotes)(asked.tests, names)
    Option.when(results.forall(_.isDefined))(results.flatten)

  /** The same match on the memory, with its guards and bodies transformed by `inner`. */
  def generated(term: Term)(inner: Term => Term): Option[Term] = term match
    case Match(scrutinee, cases) if isOn(term).isDefined =>
      spot(scrutinee).map: spot =>
        val tag = Option.when(isSum(spot))(tagOf(spot)).flatten
        val outer = tags
        val result = Bound.all(tag.map(_.asTerm).toList): bound =>
          bound.foreach(tag => tags = tags.updated(spot.path, tag.asExprOf[Int]))
          matched(term, scrutinee, spot, cases, inner)
        // The name of the tag is known in this match only.
        tags = outer
        result
    case _ => None

  private def matched(
      term: Term,
      scrutinee: Term,
      spot: Spot,
      cases: List[CaseDef],
      inner: Term => Term
  ): Term =
    val result = Inferred(widened(term.tpe))
    val steps = cases.flatMap(caseDef => asked(caseDef.pattern, spot).map(caseDef -> _))
    val failure: Term = '{ throw MatchError(${ spot.load.asExpr }) }.asTerm
    val chain = steps.foldRight(failure): (step, rest) =>
      Typed(branch(step._1, step._2, rest, inner), result)
    Block(List(checked(scrutinee, spot, cases)), chain)

  /** The type of a match without the types of values, such as `r.id` in `1 | r.id`: the generated
    * code has other names for a row's fields. Constants and objects keep their types in a union.
    */
  private def widened(tpe: TypeRepr): TypeRepr =
    def member(part: TypeRepr): TypeRepr = part match
      case OrType(left, right) =>
        val (a, b) = (member(left), member(right))
        if b <:< a then a else if a <:< b then b else OrType(a, b)
      case value: TermRef
          if !value.termSymbol.flags.is(Flags.Module) && !value.termSymbol.flags.is(Flags.Enum) =>
        value.widen
      case other => other
    member(tpe.widen)

  private def spot(scrutinee: Term): Option[Spot] =
    Projection.pathFrom(row, Projection.strip(scrutinee)).map: path =>
      Spot(Projection.typeAt(tpe, path), path)

  /** One case: its tests, its guard, and its body or the rest. */
  private def branch(written: CaseDef, asked: Asked, rest: Term, inner: Term => Term): Term =
    def unnamed(term: Term): Term = asked.names.foldLeft(term): (term, name) =>
      Projection.unnamed(name._1, term)
    val caseDef = CaseDef(written.pattern, written.guard.map(unnamed), unnamed(written.rhs))
    val code = caseDef.guard.toList :+ caseDef.rhs
    val pieces = asked.names.flatMap((name, spot) => read(name, spot, code))
    def withPieces(term: Term, values: List[Term]): Term =
      val outer = tags
      // Code of the program may store: a match inside the term reads its tags again.
      if UserCode.isIn(term) then tags = Map.empty
      val result = inner(replaced(term, pieces.map(piece => (piece.name, piece.path)).zip(values)))
        .changeOwner(Symbol.spliceOwner)
      tags = outer
      result
    val tests = asked.tests.reduceOption((a, b) => '{ $a && $b })
    caseDef.guard match
      case None =>
        val body = Bound.all(pieces.map(_.value)): values =>
          withPieces(caseDef.rhs, values)
        tests.fold(body)(test => If(test.asTerm, body, rest))
      case Some(guard) =>
        // The guard and the body see the same values: values that are read for the guard are kept
        // for the body.
        val variables = pieces.map(piece => variable(piece.value.tpe.widen))
        val holds = Bound.all(pieces.map(_.value)): values =>
          val keep = variables.zip(values).map((to, value) => Assign(Ref(to.symbol), value))
          Block(keep, withPieces(guard, values))
        val test = tests.fold(holds)(tests => '{ $tests && ${ holds.asExprOf[Boolean] } }.asTerm)
        val body = Bound.all(variables.map(to => Ref(to.symbol))): values =>
          withPieces(caseDef.rhs, values)
        Block(variables, If(test, body, rest))
  end branch

  /** A value that is read from a name's spot: all of it, or a field that the code selects from it.
    */
  private final case class Piece(name: Symbol, path: List[String], value: Term)

  private def read(name: Symbol, spot: Spot, code: List[Term]): List[Piece] =
    val used = code.flatMap(Projection.paths(name, _)(_ => None)).distinct
    if used.isEmpty then Nil
    else if used.contains(Nil) then List(Piece(name, Nil, valueFor(name, spot)))
    else used.map(path => Piece(name, path, spot.at(path).load))

  /** The value at a spot, with the type of its name if the pattern tests for several cases. */
  private def valueFor(name: Symbol, spot: Spot): Term =
    val tpe = Ref(name).tpe.widen
    if isSum(spot) && !(spot.tpe <:< tpe) then StoredTypes.cast(spot.load, tpe) else spot.load

  private def replaced(term: Term, values: List[((Symbol, List[String]), Term)]): Term =
    val substitute = new TreeMap:
      override def transformTerm(tree: Term)(owner: Symbol): Term =
        values
          .collectFirst:
            case ((name, path), value) if Projection.pathFrom(name, tree).contains(path) => value
          .getOrElse(super.transformTerm(tree)(owner))
    substitute.transformTerm(term)(Symbol.spliceOwner)

  private def variable(tpe: TypeRepr): ValDef =
    val name = Symbol.freshName("kept")
    val symbol = Symbol.newVal(Symbol.spliceOwner, name, tpe, Flags.Mutable, Symbol.noSymbol)
    ValDef(symbol, Some(StoredTypes.cast(Literal(NullConstant()), tpe)))

  /** The annotated type of a term, such as `row.side: @unchecked`, without the term's own type. */
  private def annotated(term: Term, plain: TypeRepr): TypeRepr = term match
    case Inlined(_, _, inner) => annotated(inner, plain)
    case Block(Nil, inner)    => annotated(inner, plain)
    case Typed(inner, tpt) =>
      val outer = annotated(inner, plain)
      tpt.tpe match
        case AnnotatedType(_, annotation) => AnnotatedType(outer, annotation)
        case _                            => outer
    case _ => plain

  /** The original match without names and bodies, never run: for the compiler to check, as the
    * annotations of the scrutinee request.
    */
  private def checked(scrutinee: Term, spot: Spot, cases: List[CaseDef]): DefDef =
    val nameless = new TreeMap:
      override def transformTree(tree: Tree)(owner: Symbol): Tree = tree match
        case Bind(_, pattern) => transformTree(pattern)(owner)
        case other            => super.transformTree(other)(owner)
    val patterns = cases.map: caseDef =>
      val guard = caseDef.guard.map(_ => '{ Matching.perhaps }.asTerm)
      CaseDef(nameless.transformTree(caseDef.pattern)(Symbol.spliceOwner), guard, '{ () }.asTerm)
    val tpe = MethodType(List("value"))(_ => List(spot.tpe), _ => TypeRepr.of[Unit])
    val symbol = Symbol.newMethod(
      Symbol.spliceOwner,
      Symbol.freshName("checked"),
      tpe,
      Flags.Synthetic,
      Symbol.noSymbol
    )
    def body(parameters: List[List[Tree]]): Option[Term] = parameters match
      case List(List(value: Term)) =>
        val subject = Typed(value, Inferred(annotated(scrutinee, spot.tpe)))
        Some(Match(subject, patterns).changeOwner(symbol))
      case _ => None
    DefDef(symbol, body)
  end checked

  private def asked(pattern: Tree, spot: Spot): Option[Asked] = pattern match
    case Wildcard()                                                           => Some(Asked.nothing)
    case Ident("_")                                                           => Some(Asked.nothing)
    case TypedOrTest(inner, tpt) if isTaken(inner) && isAlways(tpt.tpe, spot) => asked(inner, spot)
    case TypedOrTest(inner, tpt) => ofType(tpt.tpe, spot).flatMap(_.and(asked(inner, _)))
    case Bind(_, inner) =>
      narrowed(inner, spot).map: result =>
        result.asked.copy(names = (pattern.symbol -> result.spot) :: result.asked.names)
    case Unapply(function, Nil, parts) => taken(function, parts, spot)
    case Alternatives(parts) =>
      val alternatives = parts.map(asked(_, spot))
      Option.when(alternatives.forall(_.exists(_.names.isEmpty))):
        val runsCode = alternatives.flatten.exists(_.runsCode)
        Asked(List(anyOf(alternatives.flatten.map(_.test))), Nil, runsCode)
    case term: Term => same(term, spot)
    case _          => None

  /** A pattern and the spot of its name, narrowed to one case if the pattern tests for it. */
  private final case class Narrowed(spot: Spot, asked: Asked)

  private def narrowed(pattern: Tree, spot: Spot): Option[Narrowed] = pattern match
    case TypedOrTest(inner, tpt) if isTaken(inner) && isAlways(tpt.tpe, spot) =>
      narrowed(inner, spot)
    case TypedOrTest(inner, tpt) =>
      ofType(tpt.tpe, spot).flatMap: outer =>
        narrowed(inner, outer.spot).map: nested =>
          nested.copy(asked = outer.asked ++ nested.asked)
    case Unapply(function, Nil, _) =>
      val of = companion(function)
      val isSome = of.fullName == "scala.Some" && OptionTypes.of(spot.tpe).isDefined
      val caseSpot =
        if isSome then Some(spot.copy(isPresent = true)) else ofCase(of, spot).map(_.spot)
      asked(pattern, spot).map(Narrowed(caseSpot.getOrElse(spot), _))
    case other => asked(other, spot).map(Narrowed(spot, _))

  extension (narrow: Narrowed)
    private def and(next: Spot => Option[Asked]): Option[Asked] =
      next(narrow.spot).map(narrow.asked ++ _)

  /** A spot seen as a type: itself, or one or several of its cases. */
  private def ofType(target: TypeRepr, spot: Spot): Option[Narrowed] =
    if spot.tpe <:< target then Some(Narrowed(spot, Asked.nothing))
    else if isSome(target, spot) then
      isDefined(spot).map(test => Narrowed(spot.copy(isPresent = true), Asked(List(test), Nil)))
    else
      Option.when(isSum(spot)):
        val cases = casesOf(spot).zipWithIndex.filter((caseType, _) => caseType <:< target)
        val test = anyOf(cases.map((_, k) => isCase(spot, k)))
        val inside = cases match
          case List((caseType, _)) => inCase(spot, caseType)
          case _                   => spot
        Narrowed(inside, Asked(List(test), Nil))

  /** Whether a type is the one of Options that have a value, and the spot an Option. */
  private def isSome(target: TypeRepr, spot: Spot): Boolean =
    target.typeSymbol.fullName == "scala.Some" && OptionTypes.of(spot.tpe).isDefined

  /** Whether a test of a type says no more than the pattern that takes the value apart. */
  private def isAlways(target: TypeRepr, spot: Spot): Boolean =
    isSome(target, spot) || isNamedTuple(target.typeSymbol, spot)

  /** Whether a class is a tuple's, and the spot a named tuple. */
  private def isNamedTuple(of: Symbol, spot: Spot): Boolean =
    StoredTypes.names(spot.tpe).nonEmpty && of.fullName.startsWith("scala.Tuple")

  /** Whether a pattern takes a value apart, and so tests its class itself. */
  private def isTaken(pattern: Tree): Boolean = pattern match
    case Unapply(_, _, _) => true
    case _                => false

  private def isDefined(spot: Spot): Option[Expr[Boolean]] =
    spot.leaf("isDefined").map(place.get(_).asExprOf[Boolean])

  private def anyOf(tests: List[Expr[Boolean]]): Expr[Boolean] =
    tests.filterNot(Matching.isNever).reduceOption((a, b) => '{ $a || $b }).getOrElse('{ false })

  /** The spot of a case with a class, in a sum or if the case is already known. */
  private def ofCase(of: Symbol, spot: Spot): Option[Narrowed] =
    if spot.tpe.typeSymbol.equals(of) && OptionTypes.of(spot.tpe).isEmpty ||
      isNamedTuple(of, spot)
    then
      Some(Narrowed(spot, Asked.nothing))
    else if !isSum(spot) then None
    else
      casesOf(spot).zipWithIndex.collectFirst:
        case (caseType, k) if !Cases.isObject(caseType) && caseType.typeSymbol.equals(of) =>
          Narrowed(inCase(spot, caseType), Asked(List(isCase(spot, k)), Nil))

  /** A pattern of a case class over its fields. */
  private def taken(function: Term, parts: List[Tree], spot: Spot): Option[Asked] =
    val of = companion(function)
    if of.isNoSymbol then None
    else if of.fullName == "scala.Some" then
      OptionTypes.of(spot.tpe).flatMap: inner =>
        isDefined(spot).flatMap: isDefined =>
          all(parts, List(Spot(inner, spot.path :+ "get"))).map(Asked(List(isDefined), Nil) ++ _)
    else
      ofCase(of, spot).flatMap: result =>
        if StoredTypes.of(result.spot.tpe).isDefined && !isNamedTuple(of, spot) then None
        else all(parts, result.spot.fields).map(result.asked ++ _)

  private def all(parts: List[Tree], spots: List[Spot]): Option[Asked] =
    if parts.size != spots.size then None
    else
      val results = parts.zip(spots).map(asked)
      Option.when(results.forall(_.isDefined))(results.flatten.foldLeft(Asked.nothing)(_ ++ _))

  /** The case class whose own `unapply` a pattern calls. */
  private def companion(function: Term): Symbol = function match
    case TypeApply(inner, _) => companion(inner)
    case Select(module, "unapply") =>
      val of = module.symbol.companionClass
      val isItsOwn = function.symbol.flags.is(Flags.Synthetic) || of.fullName.startsWith("scala.")
      if !of.isNoSymbol && of.flags.is(Flags.Case) && isItsOwn then of else Symbol.noSymbol
    case _ => Symbol.noSymbol

  /** A pattern that is a literal, a stable name or an object. */
  private def same(term: Term, spot: Spot): Option[Asked] =
    val ofCase: Option[Expr[Boolean]] =
      if !isSum(spot) then None
      // A stored case is not null, whose type conforms to every case without explicit nulls.
      else if term.tpe <:< TypeRepr.of[Null] then Some('{ false })
      else
        casesOf(spot).zipWithIndex.collectFirst:
          case (caseType, k) if Cases.isObject(caseType) && term.tpe <:< caseType => isCase(spot, k)
    val isNone = OptionTypes.of(spot.tpe).isDefined && term.symbol.fullName == "scala.None"
    val test =
      if isNone then isDefined(spot).map(isDefined => '{ ! $isDefined })
      else ofCase.orElse(equal(term, spot))
    val runsCode = !isNone && ofCase.isEmpty && !UserCode.isPlain(spot.tpe, term)
    test.map(test => Asked(List(test), Nil, runsCode))

  private def equal(term: Term, spot: Spot): Option[Expr[Boolean]] =
    def fits = term.tpe.widen <:< spot.tpe
    textOf(spot) match
      case Some(leaf) if fits && Matching.isStable(term) =>
        val text = StoredTypes.cast(term, TypeRepr.of[String]).asExprOf[String]
        place.bytes(leaf): (segment, at) =>
          '{ FixedText.contentEquals($segment, $at, ${ Expr(leaf.kind.size) }, $text) }
      case None if fits =>
        Matching
          .equal(term, spot.tpe, spot.load)
          .orElse(Option.when(Matching.isStable(term))(Matching.any(term, spot.load)))
      case _ => None

  /** The leaf of a spot that is a text. */
  private def textOf(spot: Spot): Option[Shape.Leaf] =
    if ShapeDerivation.text(spot.tpe).isEmpty then None else leaves.find(_.path == spot.path)

  private def isSum(spot: Spot): Boolean = !spot.isCase && ShapeDerivation.isSum(spot.tpe)
  private def casesOf(spot: Spot): List[TypeRepr] = Cases.of(spot.tpe).toList.flatten
  private def inCase(spot: Spot, caseType: TypeRepr): Spot =
    Spot(caseType, spot.path :+ Cases.name(caseType))

  private def isCase(spot: Spot, number: Int): Expr[Boolean] =
    if spot.path.isEmpty && absent(number) then '{ false }
    else
      tags.get(spot.path).orElse(tagOf(spot)) match
        case Some(tag) => '{ $tag == ${ Expr(number) } }
        case None      => '{ false }

  private def tagOf(spot: Spot): Option[Expr[Int]] =
    spot.leaf(CaseTag.name).map(leaf => Cases.number(place.get(leaf)))

  /** The tags that have been read already, by the path of their sum type. */
  private var tags = Map.empty[List[String], Expr[Int]]
end Matching

@publicInBinary private[struct] object Matching:

  /** Replaces a guard in the match that the compiler checks. */
  @publicInBinary private[struct] def perhaps: Boolean = false

  /** One case of a match: its tests, and the names that it binds, each with the term that reads its
    * value; without a term if the name is the whole struct.
    */
  final class Arm[Q <: Quotes & Singleton](val q: Q)(
      val tests: List[Expr[Boolean]],
      val names: List[(q.reflect.Symbol, Option[() => q.reflect.Term])]
  ):
    /** Whether no stored value can match. */
    def isNever: Boolean = tests.exists(Matching.isNever(_)(using q))

  private def isNever(test: Expr[Boolean])(using Quotes): Boolean = test.value.contains(false)

  /** Whether a term is a literal or a name, so that evaluating it again has no effect. */
  def isStable(using Quotes)(term: quotes.reflect.Term): Boolean =
    import quotes.reflect.*
    term match
      case Literal(_)              => true
      case Ident(_) | Select(_, _) => term.symbol.isTerm
      case _                       => false

  /** Whether two values are equal, as in a match on the loaded value. */
  private def any(using
      Quotes
  )(a: quotes.reflect.Term, b: quotes.reflect.Term): Expr[Boolean] =
    import quotes.reflect.*
    val objects = List(a, b).map(StoredTypes.cast(_, TypeRepr.of[Any]))
    Select.overloaded(objects(0), "==", Nil, List(objects(1))).asExprOf[Boolean]

  /** Whether a primitive or an enum's case is the same as another. `a` may be a name with the value
    * null.
    */
  private def equal(using
      Quotes
  )(a: quotes.reflect.Term, tpe: quotes.reflect.TypeRepr, b: quotes.reflect.Term): Option[
    Expr[Boolean]
  ] =
    import quotes.reflect.*
    ShapeDerivation.primitive(tpe) match
      case Some(_) => Some(Select.overloaded(a, "==", Nil, List(b)).asExprOf[Boolean])
      case _ if StoredTypes.isEnumeration(tpe) =>
        Some('{ ${ b.asExprOf[Any] }.equals(${ a.asExprOf[Any] }) })
      case _ => None
end Matching
