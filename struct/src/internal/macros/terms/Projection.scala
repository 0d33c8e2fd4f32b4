package undercroft.struct
package internal.macros.terms

import internal.macros.places.{Bound, Place}
import internal.macros.schema.{OptionTypes, ShapeDerivation, StoredTypes, UnionTypes}
import scala.quoted.*
import undercroft.struct.Shape

/** Applies function literals to a row that is not allocated: each field that the literal mentions
  * is loaded once, before its body runs; a row is created only if the literal uses it as a whole. A
  * match on the row or a field of it reads in place: see [[Matching]].
  */
private[struct] object Projection:

  /** The body of `f` over the struct at `place`. `f` must be a literal: see [[isLiteral]]. */
  def apply[T: Type, R: Type](f: Expr[T => R], place: Place)(using Quotes): Expr[R] =
    import quotes.reflect.*
    strip(f.asTerm) match
      case Lambda(List(row), body) =>
        val written = PatternNames.removed(body)
        val isTuple = row.symbol.flags.is(Flags.Synthetic)
        val term = direct[T](row.symbol, written, isTuple)
        project[T](row.symbol, term, place, Map.empty).asExprOf[R]
      case _ => '{ $f(${ StructConstruction.load[T](place) }) }

  /** The body of `op` over an accumulator and the struct at `place`. */
  def fold[B: Type, T: Type](op: Expr[(B, T) => B], accumulator: Expr[B], place: Place)(using
      Quotes
  ): Expr[B] =
    import quotes.reflect.*
    strip(op.asTerm) match
      case Lambda(List(acc, row), body) =>
        Bound("accumulator", accumulator.asTerm)(bound =>
          project[T](row.symbol, body, place, Map(acc.symbol -> bound))
        ).asExprOf[B]
      case _ => '{ $op($accumulator, ${ StructConstruction.load[T](place) }) }

  /** A body without the names that it binds first to parts of the row, as the body of `(a, b) =>
    * a.x` does: each name is replaced by its part. A name that the program gives to a part has the
    * value of the part at that point, so it is replaced only if no use of it can see a store.
    *
    * @param ofTuple
    *   whether the compiler has made the names, of the parameters in `(a, b) =>`
    */
  private def direct[T: Type](using
      Quotes
  )(row: quotes.reflect.Symbol, body: quotes.reflect.Term, ofTuple: Boolean): quotes.reflect.Term =
    import quotes.reflect.*
    strip(body) match
      case Block((name @ ValDef(_, _, Some(part))) :: rest, result)
          if !name.symbol.flags.is(Flags.Mutable) && pathFrom(row, strip(part)).isDefined &&
            (ofTuple || keepsValue[T](row, name, Block(rest, result))) =>
        val substitute = new TreeMap:
          override def transformTerm(tree: Term)(owner: Symbol): Term = tree match
            case Ident(_) if tree.symbol.equals(name.symbol) => strip(part)
            case _                                           => super.transformTerm(tree)(owner)
        val remaining = if rest.isEmpty then result else Block(rest, result)
        val replaced = substitute.transformTerm(remaining)(Symbol.spliceOwner)
        direct[T](row, replaced, ofTuple && rest.nonEmpty)
      case other => other

  /** Whether a name of a part of the row can be replaced by the part: the body only uses primitives
    * of it, which are loaded before the body runs, or uses it before it calls code that may store.
    */
  private def keepsValue[T: Type](using
      Quotes
  )(
      row: quotes.reflect.Symbol,
      name: quotes.reflect.ValDef,
      body: quotes.reflect.Term
  ): Boolean =
    import quotes.reflect.*
    val part = name.rhs.flatMap(part => pathFrom(row, strip(part))).getOrElse(Nil)
    def isPrimitive(path: List[String]) =
      ShapeDerivation.primitive(typeAt(TypeRepr.of[T], part ++ path)).isDefined
    !name.symbol.flags.is(Flags.Lazy) &&
    (paths(name.symbol, body)(_ => None).forall(isPrimitive) ||
      !UserCode.comesBefore(name.symbol, body))
  end keepsValue

  /** Whether a function is a literal, so that its body can be generated inline. */
  def isLiteral(f: Expr[Any])(using Quotes): Boolean =
    import quotes.reflect.*
    strip(f.asTerm) match
      case Lambda(_, _) => true
      case _            => false

  /** The leaf that a literal such as `_.price` or `_.at.x` selects. */
  def leaf[T: Type](f: Expr[T => Any], operation: String)(using Quotes): Shape.Leaf =
    import quotes.reflect.*
    val path = strip(f.asTerm) match
      case Lambda(List(row), body) => pathFrom(row.symbol, strip(body))
      case _                       => None
    path.flatMap(path => ShapeDerivation.shape[T].leaves.find(_.path == path)).getOrElse:
      report.errorAndAbort(
        s"$operation needs a primitive field, written as `_.field`; ${fieldsHere[T]}",
        f
      )

  /** The primitive fields that a program can select, for an error. */
  def fieldsHere[T: Type](using Quotes): String =
    import quotes.reflect.*
    val paths =
      ShapeDerivation.shape[T].leaves.map(_.path).filter(isSelectable(TypeRepr.of[T].dealias, _))
    paths
      .map(path => if path.isEmpty then "row => row" else path.mkString("_.", ".", ""))
      .mkString("the fields here are ", ", ", "")

  /** Whether a program can select a leaf by its path: not in an Option, a case, a union or a type
    * that is stored as another type.
    */
  private def isSelectable(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, path: List[String]): Boolean = path match
    case Nil => true
    case name :: rest =>
      val isWhole =
        OptionTypes.of(tpe).isDefined || ShapeDerivation.isSum(tpe) || UnionTypes.isUnion(tpe) ||
          StoredTypes.of(tpe).isDefined && StoredTypes.names(tpe).isEmpty
      !isWhole && ShapeDerivation
        .fields(tpe)
        .exists((field, inner) => field == name && isSelectable(inner.dealias, rest))

  def project[T: Type](using
      Quotes
  )(
      row: quotes.reflect.Symbol,
      body: quotes.reflect.Term,
      place: Place,
      substitutes: Map[quotes.reflect.Symbol, quotes.reflect.Term]
  ): quotes.reflect.Term =
    import quotes.reflect.*
    val written = unnamed(row, PatternNames.removed(body.changeOwner(Symbol.spliceOwner)))
    val term = OptionTerms.asMatches(row, written)
    val leaves = ShapeDerivation.shape[T].leaves
    val onBytes = TextTerms[quotes.type](row, leaves, place)
    val elements = ElementTerms[quotes.type](row, leaves, place)
    val members = MemberTerms[quotes.type](row, leaves, place)
    val matching = Matching[quotes.type](row, TypeRepr.of[T].dealias, leaves, place)
    val used = paths(row, term): part =>
      onBytes.isOn(
        part
      ).orElse(elements.isOn(part)).orElse(members.isOn(part)).orElse(matching.isOn(part))
    def under(path: List[String]) = leaves.filter(_.path.startsWith(path))
    val usedLeaves = leaves.filter(leaf => used.exists(path => leaf.path.startsWith(path)))
    def generated(tree: Term)(inner: Term => Term): Option[Term] =
      onBytes
        .generated(tree)(inner)
        .orElse(elements.generated(tree)(inner))
        .orElse(members.generated(tree))
        .orElse(matching.generated(tree)(inner))
    def applied(values: Map[List[String], Term]): Term =
      val substitute = new TreeMap:
        private var isLate = false

        private def within[A](late: Boolean)(body: => A): A =
          val before = isLate
          isLate = before || late
          try body
          finally isLate = before

        override def transformStatement(tree: Statement)(owner: Symbol): Statement =
          within(runsLate(tree))(super.transformStatement(tree)(owner))

        override def transformTerm(tree: Term)(owner: Symbol): Term =
          pathFrom(row, tree).flatMap(values.get).getOrElse:
            tree match
              case Ident(_) => substitutes.getOrElse(tree.symbol, tree)
              case _ =>
                val inPlace =
                  if isLate then None else generated(tree)(transformTerm(_)(owner))
                // The generated names belong to the method around them, which may be in the body.
                inPlace.map(_.changeOwner(owner)).getOrElse(withArguments(tree)(owner))

        private def withArguments(tree: Term)(owner: Symbol): Term = tree match
          case Apply(function, arguments) if byName(function).contains(true) =>
            val transformed = arguments.zipAll(byName(function), tree, false).map:
              (argument, late) => within(late)(transformTerm(argument)(owner))
            Apply.copy(tree)(transformTerm(function)(owner), transformed)
          case _ => super.transformTerm(tree)(owner)
      substitute.transformTerm(term)(Symbol.spliceOwner).changeOwner(Symbol.spliceOwner)
    end applied

    if used.contains(Nil) then
      Bound("row", StructConstruction.load[T](place).asTerm)(whole => applied(Map(Nil -> whole)))
    else
      // A leaf of a case is valid only if the tag says so, and is read there.
      val (late, early) = usedLeaves.partition(_.shared)
      Bound.all(early.map(place.get(_).asTerm)): names =>
        val loaded =
          early.map(_.path).zip(names).toMap ++ late.map(leaf =>
            leaf.path -> place.get(leaf).asTerm
          )
        val (primitives, parts) =
          used.partition(path => ShapeDerivation.primitive(typeAt(TypeRepr.of[T], path)).isDefined)
        val structs = parts.map: path =>
          val values = under(path).map(leaf => loaded(leaf.path))
          StructConstruction.construct(typeAt(TypeRepr.of[T], path), values.iterator)
        Bound.all(structs): records =>
          val values = primitives.map: path =>
            path -> StructConstruction.fitted(loaded(path), typeAt(TypeRepr.of[T], path))
          applied(values.toMap ++ parts.zip(records))
  end project

  /** A body without the names that the compiler bound to parts of the row when it inlined a method
    * of such a part: each name is replaced by its part.
    */
  def unnamed(using
      Quotes
  )(row: quotes.reflect.Symbol, body: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    var parts = Map.empty[Symbol, Term]
    val replace = new TreeMap:
      override def transformTerm(tree: Term)(owner: Symbol): Term = tree match
        case Inlined(call, bindings, inner) =>
          val definitions = bindings.filter:
            case definition @ ValDef(_, _, Some(value)) =>
              val part = transformTerm(strip(value))(owner)
              val isPart = pathFrom(row, part).isDefined
              if isPart then parts = parts.updated(definition.symbol, part)
              !isPart
            case _ => true
          val newBindings = definitions.map:
            case definition: Definition =>
              transformStatement(definition)(owner).asInstanceOf[Definition]
          Inlined.copy(tree)(call, newBindings, transformTerm(inner)(owner))
        case Ident(_) => parts.getOrElse(tree.symbol, tree)
        case _        => super.transformTerm(tree)(owner)
    replace.transformTerm(body)(Symbol.spliceOwner)
  end unnamed

  /** Every use of the row in a body, as the longest path of fields; Nil is the row itself. For a
    * term that is generated in another way, only the parts returned by `inside` count.
    */
  def paths(using
      Quotes
  )(row: quotes.reflect.Symbol, body: quotes.reflect.Term)(
      inside: quotes.reflect.Term => Option[List[quotes.reflect.Term]]
  ): List[List[String]] =
    import quotes.reflect.*
    val usedPaths = List.newBuilder[List[String]]
    val search = new TreeTraverser:
      private var isLate = false

      private def within(late: Boolean)(body: => Unit): Unit =
        val before = isLate
        isLate = before || late
        body
        isLate = before

      override def traverseTree(tree: Tree)(owner: Symbol): Unit = tree match
        case term: Term =>
          val parts = if isLate then None else inside(term)
          (pathFrom(row, term), parts) match
            case (Some(path), _)     => usedPaths += path
            case (None, Some(parts)) => parts.foreach(traverseTree(_)(owner))
            case _                   => traverseArguments(term)(owner)
        case _ => within(runsLate(tree))(super.traverseTree(tree)(owner))

      private def traverseArguments(term: Term)(owner: Symbol): Unit = term match
        case Apply(function, arguments) if byName(function).contains(true) =>
          traverseTree(function)(owner)
          for (argument, late) <- arguments.zipAll(byName(function), term, false) do
            within(late)(traverseTree(argument)(owner))
        case _ => super.traverseTree(term)(owner)
    search.traverseTree(body)(Symbol.spliceOwner)
    usedPaths.result().distinct
  end paths

  /** Whether a definition in a function literal may run after the loop has left the row: a method,
    * which every closure has, a lazy value, or a class or an object, whose instance may be created
    * late. The parts of the row that it uses are loaded before the body runs.
    */
  private def runsLate(using Quotes)(tree: quotes.reflect.Tree): Boolean =
    import quotes.reflect.*
    tree match
      case _: DefDef          => true
      case _: ClassDef        => true
      case definition: ValDef => definition.symbol.flags.is(Flags.Lazy)
      case _                  => false

  /** For each parameter of a method, whether it is by-name: its argument may run late, too. */
  private def byName(using Quotes)(method: quotes.reflect.Term): List[Boolean] =
    import quotes.reflect.*
    method.tpe.widen match
      case MethodType(_, types, _) =>
        types.map:
          case ByNameType(_) => true
          case _             => false
      case _ => Nil

  /** The fields that a term selects from the row, if it does nothing else. */
  def pathFrom(using
      Quotes
  )(row: quotes.reflect.Symbol, term: quotes.reflect.Term): Option[List[String]] =
    import quotes.reflect.*
    term match
      case Ident(_) if term.symbol.equals(row) => Some(Nil)
      case Apply(TypeApply(function, _), List(inner))
          if function.symbol.fullName == "scala.Predef$.identity" =>
        pathFrom(row, inner)
      case Select(inner, name) =>
        pathFrom(row, inner).filter(_ => isField(term)).map(_ :+ name)
      case ElementOfTuple(tuple, index) =>
        for
          path <- pathFrom(row, tuple)
          name <- elementName(tuple, index)
        yield path :+ name
      case _ => None

  /** Whether a term selects a field that is stored as a field: a field of a case class that no
    * [[Struct.StoredAs]] stores as another type.
    */
  def isField(using Quotes)(term: quotes.reflect.Term): Boolean =
    import quotes.reflect.*
    term match
      case Select(inner, _) =>
        val tpe = inner.tpe.widen.dealias
        tpe.typeSymbol.caseFields.contains(term.symbol) && StoredTypes.storedAs(tpe).isEmpty
      case _ => false

  /** The field name of an element of a tuple that is stored by its elements. */
  def elementName(using Quotes)(tuple: quotes.reflect.Term, index: Int): Option[String] =
    val tpe = tuple.tpe.widen.dealias.simplified.dealias
    if StoredTypes.storedAs(tpe).isDefined then None
    else ShapeDerivation.fields(tpe).lift(index).map(_._1)

  /** An element of a tuple, `tuple(1)`, or of a named tuple, whose `pair.left` the compiler writes
    * as `NamedTuple.apply(pair)(0)`: as the call, or inlined. The tree of an inlined call keeps the
    * names of an earlier phase, so the tuple is taken from the binding of its first parameter.
    */
  object ElementOfTuple:
    def unapply(using
        Quotes
    )(term: quotes.reflect.Term): Option[(quotes.reflect.Term, Int)] =
      import quotes.reflect.*
      term match
        case Inlined(Some(written: Term), bindings, _) =>
          val bound = bindings.collect { case ValDef(_, _, Some(value)) => uncast(value) }
          unapply(written).map((tuple, index) => (bound.lastOption.getOrElse(tuple), index))
        case Apply(Apply(function, List(tuple)), List(Literal(IntConstant(index))))
            if methodOf(function).fullName == "scala.NamedTuple$.apply" =>
          Some((tuple, index))
        case Apply(TypeApply(function @ Select(tuple, "apply"), _), List(Literal(IntConstant(k))))
            if function.symbol.fullName == "scala.Tuple.apply" =>
          Some((tuple, k))
        case _ => None

    private def methodOf(using Quotes)(function: quotes.reflect.Term): quotes.reflect.Symbol =
      import quotes.reflect.*
      function match
        case TypeApply(inner, _) => inner.symbol
        case other               => other.symbol

    private def uncast(using Quotes)(value: quotes.reflect.Term): quotes.reflect.Term =
      import quotes.reflect.*
      value match
        case TypeApply(Select(inner, "$asInstanceOf$"), _) => inner
        case other                                         => other
  end ElementOfTuple

  def typeAt(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, path: List[String]): quotes.reflect.TypeRepr =
    path.foldLeft(tpe.dealias): (tpe, name) =>
      ShapeDerivation.fields(tpe).find(_._1 == name).fold(tpe)(_._2.dealias)

  def strip(using Quotes)(term: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    term match
      case Inlined(_, Nil, inner) => strip(inner)
      case Typed(inner, _)        => strip(inner)
      case Block(Nil, inner)      => strip(inner)
      case other                  => other
end Projection
