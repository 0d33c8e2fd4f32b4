package undercroft.struct
package internal.macros.terms

import internal.macros.places.{Place, RowPlace}
import internal.macros.schema.{InlineArrayTypes, ShapeDerivation}
import scala.quoted.*
import undercroft.struct.{InlineArray, Shape}

/** Reads an element of an [[InlineArray]], `_.cells(1)(2)`, or one field of an element,
  * `_.corners(1).x`, in the function literal of a loop, without loading the rest.
  */
private[struct] final class ElementTerms[Q <: Quotes & Singleton](using val quotes: Q)(
    row: quotes.reflect.Symbol,
    leaves: List[Shape.Leaf],
    place: Place
):
  import quotes.reflect.*

  private type Use = ElementTerms.Selected[TypeRepr, Term]

  /** The indices, if a term is an element of the row. */
  def isOn(term: Term): Option[List[Term]] = use(term).map(_.indices)

  /** The element, with its indices transformed by `index`. */
  def generated(term: Term)(index: Term => Term): Option[Term] =
    use(term).flatMap: use =>
      val sizes = InlineArrayTypes.sizes(use.tpe)
      val element = InlineArrayTypes.elementType(use.tpe)
      val shape = ShapeDerivation.shapeOf(element)
      val isPacked = place.isPackedFor(use.leaf)
      val stride = if isPacked then shape.packedSize else shape.alignedSize
      val number = use.indices.map(index(_).asExprOf[Int]).zip(sizes).foldLeft('{ 0 }):
        case (sum, (index, size)) =>
          '{ $sum * ${ Expr(size) } + InlineArray.checked($index, ${ Expr(size) }) }
      val selectedType = Projection.typeAt(element, use.path)
      selectedType.asType match
        case '[a] =>
          place
            .bytes(use.leaf): (segment, from) =>
              '{
                val at = $from + $number * ${ Expr(stride.toLong) }
                ${
                  val inside =
                    RowPlace(segment, 'at, isPacked, guard = place.guardFor(use.leaf))
                  StructConstruction.of[a](
                    shape.leaves.filter(_.path.startsWith(use.path)).map(inside.get)
                  )
                }
              }
            .map(_.asTerm)

  private def use(term: Term): Option[Use] =
    selected(term).filter(use => place.bytes(use.leaf)((_, _) => '{ () }).isDefined)

  /** The element, if a term is an element of the row, wherever the row is. */
  def selected(term: Term): Option[Use] =
    parts(term).flatMap: (inline, indices, names) =>
      for
        path <- Projection.pathFrom(row, inline)
        leaf <- leaves.find(_.path == path)
        tpe = inline.tpe.widen.dealias
        if InlineArrayTypes.sizes(tpe).sizeIs == indices.size
      yield ElementTerms.Selected(leaf, tpe, indices, names)

  /** The indexed term, its indices, and the fields that are then selected. */
  private def parts(term: Term): Option[(Term, List[Term], List[String])] = term match
    case Select(inner, name) =>
      parts(inner)
        .filter(_ => Projection.isField(term))
        .map((inline, indices, names) => (inline, indices, names :+ name))
    case Projection.ElementOfTuple(tuple, index) =>
      for
        (inline, indices, names) <- parts(tuple)
        name <- Projection.elementName(tuple, index)
      yield (inline, indices, names :+ name)
    case _ => indexed(term).map((inline, indices) => (inline, indices, Nil))

  /** The indexed term and its indices, outermost dimension first. */
  private def indexed(term: Term): Option[(Term, List[Term])] = term match
    case Apply(function @ Select(inner, "apply"), List(index))
        if function.symbol.owner.fullName == "undercroft.struct.InlineArray" =>
      val (inline, before) = indexed(inner).getOrElse((inner, Nil))
      Some((inline, before :+ index))
    case _ => None
end ElementTerms

private[struct] object ElementTerms:

  /** The leaf of an array, its type, the indices of an element, and the names of the fields that
    * are selected from the element.
    */
  final case class Selected[+TypeRepr, +Term](
      leaf: Shape.Leaf,
      tpe: TypeRepr,
      indices: List[Term],
      path: List[String]
  )
