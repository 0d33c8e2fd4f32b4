package undercroft.struct.internal

import scala.quoted.*
import undercroft.struct.{Leaf, Shape}

/** Applies function literals to a row that is never made: each field that the literal mentions is
  * loaded, once and before its body runs; a row is made only if the literal uses it as a whole. A
  * match on the row or a field of it reads where it stands: see [[Matching]].
  */
private[struct] object Projection:

  /** The body of `f` over the struct at `place`. `f` must be a literal: see [[isLiteral]]. */
  def apply[T: Type, R: Type](f: Expr[T => R], place: Place)(using Quotes): Expr[R] =
    import quotes.reflect.*
    strip(f.asTerm) match
      case Lambda(List(row), body) =>
        project[T](row.symbol, direct(row.symbol, body), place, Map.empty).asExprOf[R]
      case _ => '{ $f(${ Code.load[T](place) }) }

  /** The body of `op` over an accumulator and the struct at `place`. */
  def fold[B: Type, T: Type](op: Expr[(B, T) => B], accumulator: Expr[B], place: Place)(using
      Quotes
  ): Expr[B] =
    import quotes.reflect.*
    strip(op.asTerm) match
      case Lambda(List(acc, row), body) =>
        ValDef
          .let(Symbol.spliceOwner, "accumulator", accumulator.asTerm): bound =>
            project[T](row.symbol, body, place, Map(acc.symbol -> bound))
          .asExprOf[B]
      case _ => '{ $op($accumulator, ${ Code.load[T](place) }) }

  /** A body without the names that it begins with for parts of the row, as that of `(a, b) => a.x`
    * does: the parts stand in their place.
    */
  private def direct(using
      Quotes
  )(row: quotes.reflect.Symbol, body: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    strip(body) match
      case Block((name @ ValDef(_, _, Some(part))) :: rest, result)
          if !name.symbol.flags.is(Flags.Mutable) && pathFrom(row, strip(part)).isDefined =>
        val substitute = new TreeMap:
          override def transformTerm(tree: Term)(owner: Symbol): Term = tree match
            case Ident(_) if tree.symbol.equals(name.symbol) => strip(part)
            case _                                           => super.transformTerm(tree)(owner)
        val remaining = if rest.isEmpty then result else Block(rest, result)
        direct(row, substitute.transformTerm(remaining)(Symbol.spliceOwner))
      case other => other

  /** Whether a function is written out, so that its body can be generated in place. */
  def isLiteral(f: Expr[Any])(using Quotes): Boolean =
    import quotes.reflect.*
    strip(f.asTerm) match
      case Lambda(_, _) => true
      case _            => false

  /** The leaf that a literal such as `_.price` or `_.at.x` selects. */
  def leaf[T: Type](f: Expr[T => Any], operation: String)(using Quotes): Leaf =
    import quotes.reflect.*
    val path = strip(f.asTerm) match
      case Lambda(List(row), body) => pathFrom(row.symbol, strip(body))
      case _                       => None
    path.flatMap(path => Schema.shape[T].leaves.find(_.path == path)).getOrElse:
      report.errorAndAbort(
        s"$operation needs a primitive field, written as `_.field`; the fields here are " +
          Schema.shape[T].leaves.map(_.path.mkString("_.", ".", "")).mkString(", "),
        f
      )

  def project[T: Type](using
      Quotes
  )(
      row: quotes.reflect.Symbol,
      body: quotes.reflect.Term,
      place: Place,
      others: Map[quotes.reflect.Symbol, quotes.reflect.Term]
  ): quotes.reflect.Term =
    import quotes.reflect.*
    val term = unnamed(row, body)
    val leaves = Schema.shape[T].leaves
    val onBytes = Texts[quotes.type](row, leaves, place)
    val elements = Elements[quotes.type](row, leaves, place)
    val members = Members[quotes.type](row, leaves, place)
    val matching = Matching[quotes.type](row, TypeRepr.of[T].dealias, leaves, place)
    val used = paths(row, term): part =>
      onBytes.isOn(
        part
      ).orElse(elements.isOn(part)).orElse(members.isOn(part)).orElse(matching.isOn(part))
    def under(path: List[String]) = leaves.filter(_.path.startsWith(path))
    val wanted = leaves.filter(leaf => used.exists(path => leaf.path.startsWith(path)))
    def applied(values: Map[List[String], Term]): Term =
      val substitute = new TreeMap:
        override def transformTerm(tree: Term)(owner: Symbol): Term =
          pathFrom(row, tree).flatMap(values.get).getOrElse:
            tree match
              case Ident(_) => others.getOrElse(tree.symbol, tree)
              case _ =>
                onBytes
                  .generated(tree)(argument => transformTerm(argument)(owner))
                  .orElse(elements.generated(tree)(index => transformTerm(index)(owner)))
                  .orElse(members.generated(tree))
                  .orElse(matching.generated(tree)(part => transformTerm(part)(owner)))
                  .getOrElse(super.transformTerm(tree)(owner))
      substitute.transformTerm(term)(Symbol.spliceOwner).changeOwner(Symbol.spliceOwner)

    if used.contains(Nil) then
      ValDef.let(Symbol.spliceOwner, Code.load[T](place).asTerm)(whole =>
        applied(Map(Nil -> whole))
      )
    else
      // A leaf of a case is one only where the tag says so, and is read there.
      val (late, early) = wanted.partition(_.shared)
      ValDef.let(Symbol.spliceOwner, early.map(place.get(_).asTerm)): names =>
        val loaded =
          early.map(_.path).zip(names).toMap ++ late.map(leaf =>
            leaf.path -> place.get(leaf).asTerm
          )
        val (primitives, parts) =
          used.partition(path => Schema.primitive(typeAt(TypeRepr.of[T], path)).isDefined)
        val made = parts.map: path =>
          val values = under(path).map(leaf => loaded(leaf.path))
          Code.construct(typeAt(TypeRepr.of[T], path), values.iterator)
        ValDef.let(Symbol.spliceOwner, made): records =>
          applied(primitives.map(path => path -> loaded(path)).toMap ++ parts.zip(records))
  end project

  /** A body in which no part of the row has a name that the compiler gave it where it inlined a
    * method of that part: the parts stand where they are used.
    */
  def unnamed(using
      Quotes
  )(row: quotes.reflect.Symbol, body: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    var parts = Map.empty[Symbol, Term]
    val replace = new TreeMap:
      override def transformTerm(tree: Term)(owner: Symbol): Term = tree match
        case Inlined(call, bindings, inner) =>
          val others = bindings.filter:
            case definition @ ValDef(_, _, Some(value)) =>
              val part = transformTerm(strip(value))(owner)
              val isPart = pathFrom(row, part).isDefined
              if isPart then parts = parts.updated(definition.symbol, part)
              !isPart
            case _ => true
          val kept = others.map:
            case definition: Definition =>
              transformStatement(definition)(owner).asInstanceOf[Definition]
          Inlined.copy(tree)(call, kept, transformTerm(inner)(owner))
        case Ident(_) => parts.getOrElse(tree.symbol, tree)
        case _        => super.transformTerm(tree)(owner)
    replace.transformTerm(body)(Symbol.spliceOwner)
  end unnamed

  /** Every use of the row in a body, as the longest path of fields; Nil is the row itself. Of a
    * term that is generated in another way only the parts count that `inside` gives.
    */
  def paths(using
      Quotes
  )(row: quotes.reflect.Symbol, body: quotes.reflect.Term)(
      inside: quotes.reflect.Term => Option[List[quotes.reflect.Term]]
  ): List[List[String]] =
    import quotes.reflect.*
    val found = List.newBuilder[List[String]]
    val search = new TreeTraverser:
      override def traverseTree(tree: Tree)(owner: Symbol): Unit = tree match
        case term: Term =>
          (pathFrom(row, term), inside(term)) match
            case (Some(path), _)     => found += path
            case (None, Some(parts)) => parts.foreach(traverseTree(_)(owner))
            case _                   => super.traverseTree(tree)(owner)
        case _ => super.traverseTree(tree)(owner)
    search.traverseTree(body)(Symbol.spliceOwner)
    found.result().distinct

  /** The fields that a term selects from the row, if that is all it does. */
  def pathFrom(using
      Quotes
  )(row: quotes.reflect.Symbol, term: quotes.reflect.Term): Option[List[String]] =
    import quotes.reflect.*
    term match
      case Ident(_) if term.symbol.equals(row) => Some(Nil)
      case Select(inner, name)
          if inner.tpe.widen.typeSymbol.caseFields.contains(term.symbol) =>
        pathFrom(row, inner).map(_ :+ name)
      case _ => None

  def typeAt(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, path: List[String]): quotes.reflect.TypeRepr =
    path.foldLeft(tpe.dealias): (tpe, name) =>
      Schema.fields(tpe).find(_._1 == name).fold(tpe)(_._2.dealias)

  def strip(using Quotes)(term: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    term match
      case Inlined(_, Nil, inner) => strip(inner)
      case Typed(inner, _)        => strip(inner)
      case Block(Nil, inner)      => strip(inner)
      case other                  => other
end Projection
