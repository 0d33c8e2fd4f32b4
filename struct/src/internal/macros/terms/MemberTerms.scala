package undercroft.struct
package internal.macros.terms

import internal.macros.places.{Place, RowPlace}
import internal.macros.schema.ShapeDerivation
import scala.quoted.*
import undercroft.struct.Shape

/** Reads a member of a union in the function literal of a loop, without loading the rest. */
private[struct] final class MemberTerms[Q <: Quotes & Singleton](using val quotes: Q)(
    row: quotes.reflect.Symbol,
    leaves: List[Shape.Leaf],
    place: Place
):
  import quotes.reflect.*

  /** An empty list if a term is a member of a union: no part of it is other code to transform. */
  def isOn(term: Term): Option[List[Term]] = use(term).map(_ => Nil)

  def generated(term: Term): Option[Term] =
    use(term).flatMap: (leaf, tpe) =>
      tpe.asType match
        case '[a] =>
          place
            .bytes(leaf): (segment, at) =>
              StructConstruction.load[a](RowPlace(
                segment,
                at,
                packed = false,
                guard = place.guardFor(leaf)
              ))
            .map(_.asTerm)

  private def use(term: Term): Option[(Shape.Leaf, TypeRepr)] =
    selected(term).filter((leaf, _) => place.bytes(leaf)((_, _) => '{ () }).isDefined)

  /** The union's leaf and the leaves of a member, if a term is that member, wherever the row is. */
  def leavesOf(term: Term): Option[(Shape.Leaf, List[Shape.Leaf])] =
    selected(term).map((union, tpe) => (union, ShapeDerivation.shapeOf(tpe).leaves))

  private def selected(term: Term): Option[(Shape.Leaf, TypeRepr)] = term match
    case Apply(Apply(TypeApply(function, List(tpt)), List(union)), List(_))
        if function.symbol.name == "member" &&
          function.symbol.owner.fullName == "undercroft.struct.internal.bytes.UnionBytes$" =>
      for
        path <- Projection.pathFrom(row, Projection.strip(union))
        leaf <- leaves.find(_.path == path)
      yield (leaf, tpt.tpe.dealias)
    case _ => None
end MemberTerms
