package undercroft.struct.internal

import scala.quoted.*
import undercroft.struct.{Inline, Leaf}

/** An element of an [[Inline]] in the function literal of a loop, `_.cells(1)(2)`, or a field of
  * it, `_.corners(1).x`, read alone.
  */
private[struct] final class Elements[Q <: Quotes & Singleton](using val quotes: Q)(
    row: quotes.reflect.Symbol,
    leaves: List[Leaf],
    place: Place
):
  import quotes.reflect.*

  /** What is read: of which leaf, by which indices, and the names of the fields in the element. */
  private final case class Use(leaf: Leaf, tpe: TypeRepr, indices: List[Term], path: List[String])

  /** The indices of an element of the row, if that is what a term is. */
  def isOn(term: Term): Option[List[Term]] = use(term).map(_.indices)

  /** The element, with the indices as `index` makes them. */
  def generated(term: Term)(index: Term => Term): Option[Term] =
    use(term).flatMap: use =>
      val sizes = Inlines.sizes(use.tpe)
      val element = Inlines.elementType(use.tpe)
      val shape = Schema.shapeOf(element)
      val stride = if place.isPacked then shape.packedSize else shape.alignedSize
      val number = use.indices.map(index(_).asExprOf[Int]).zip(sizes).foldLeft('{ 0 }):
        case (sum, (index, size)) =>
          '{ $sum * ${ Expr(size) } + Inline.checked($index, ${ Expr(size) }) }
      val wanted = Projection.typeAt(element, use.path)
      wanted.asType match
        case '[a] =>
          place
            .bytes(use.leaf): (segment, from) =>
              '{
                val at = $from + $number * ${ Expr(stride.toLong) }
                ${
                  val inside =
                    RowPlace(segment, 'at, place.isPacked, guard = place.guardFor(use.leaf))
                  Code.of[a](shape.leaves.filter(_.path.startsWith(use.path)).map(inside.get))
                }
              }
            .map(_.asTerm)

  private def use(term: Term): Option[Use] =
    parts(term).flatMap: (inline, indices, names) =>
      for
        path <- Projection.pathFrom(row, inline)
        leaf <- leaves.find(_.path == path)
        tpe = inline.tpe.widen.dealias
        if Inlines.sizes(tpe).sizeIs == indices.size
        if place.bytes(leaf)((_, _) => '{ () }).isDefined
      yield Use(leaf, tpe, indices, names)

  /** What is indexed, by what, and which fields are then selected. */
  private def parts(term: Term): Option[(Term, List[Term], List[String])] = term match
    case Select(inner, name) if inner.tpe.widen.typeSymbol.caseFields.contains(term.symbol) =>
      parts(inner).map((inline, indices, names) => (inline, indices, names :+ name))
    case _ => indexed(term).map((inline, indices) => (inline, indices, Nil))

  /** What is indexed, and by what, from the outermost dimension on. */
  private def indexed(term: Term): Option[(Term, List[Term])] = term match
    case Apply(function @ Select(inner, "apply"), List(index))
        if function.symbol.owner.fullName == "undercroft.struct.Inline" =>
      val (inline, before) = indexed(inner).getOrElse((inner, Nil))
      Some((inline, before :+ index))
    case _ => None
end Elements
