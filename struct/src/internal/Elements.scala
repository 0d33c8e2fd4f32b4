package undercroft.struct.internal

import scala.quoted.*
import undercroft.struct.{Inline, Kind, Leaf}

/** An element of an [[Inline]] in the function literal of a loop, `_.cells(1)(2)`, read alone. */
private[struct] final class Elements[Q <: Quotes & Singleton](using val quotes: Q)(
    row: quotes.reflect.Symbol,
    leaves: List[Leaf],
    place: Place
):
  import quotes.reflect.*

  private final case class Use(leaf: Leaf, of: Kind, sizes: List[Int], indices: List[Term])

  /** The indices of an element of the row, if that is what a term is. */
  def isOn(term: Term): Option[List[Term]] = use(term).map(_.indices)

  /** The element, with the indices as `index` makes them. */
  def generated(term: Term)(index: Term => Term): Option[Term] =
    use(term).flatMap: use =>
      val at = use.indices.map(index(_).asExprOf[Int]).zip(use.sizes).foldLeft('{ 0 }):
        case (sum, (index, size)) =>
          '{ $sum * ${ Expr(size) } + Inline.checked($index, ${ Expr(size) }) }
      place.bytes(
        use.leaf
      )((segment, from) => Place.element(use.of, segment, from, at)).map(_.asTerm)

  private def use(term: Term): Option[Use] =
    indexed(term).flatMap: (inline, indices) =>
      for
        path <- Projection.pathFrom(row, inline)
        leaf <- leaves.find(_.path == path)
        sizes = Inlines.sizes(inline.tpe.widen.dealias)
        of <- kind(leaf)
        if sizes.sizeIs == indices.size && place.bytes(leaf)((_, _) => '{ () }).isDefined
      yield Use(leaf, of, sizes, indices)

  /** What is indexed, and by what, from the outermost dimension on. */
  private def indexed(term: Term): Option[(Term, List[Term])] = term match
    case Apply(function @ Select(inner, "apply"), List(index))
        if function.symbol.owner.fullName == "undercroft.struct.Inline" =>
      val (inline, before) = indexed(inner).getOrElse((inner, Nil))
      Some((inline, before :+ index))
    case _ => None

  private def kind(leaf: Leaf): Option[Kind] = leaf.kind match
    case Kind.Elements(of, _) => Some(of)
    case _                    => None
end Elements
