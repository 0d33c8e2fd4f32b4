package undercroft.struct.internal

import scala.quoted.*
import undercroft.struct.Leaf

/** A member of a union in the function literal of a loop, read alone. */
private[struct] final class Members[Q <: Quotes & Singleton](using val quotes: Q)(
    row: quotes.reflect.Symbol,
    leaves: List[Leaf],
    place: Place
):
  import quotes.reflect.*

  /** No part of the term is code of its own. */
  def isOn(term: Term): Option[List[Term]] = use(term).map(_ => Nil)

  def generated(term: Term): Option[Term] =
    use(term).flatMap: (leaf, tpe) =>
      tpe.asType match
        case '[a] =>
          place
            .bytes(leaf): (segment, at) =>
              Code.load[a](RowPlace(segment, at, packed = false, guard = place.guardFor(leaf)))
            .map(_.asTerm)

  private def use(term: Term): Option[(Leaf, TypeRepr)] = term match
    case Apply(Apply(TypeApply(function, List(tpt)), List(union)), List(_))
        if function.symbol.name == "member" &&
          function.symbol.owner.fullName == "undercroft.struct.internal.UnionBytes$" =>
      for
        path <- Projection.pathFrom(row, Projection.strip(union))
        leaf <- leaves.find(_.path == path)
        if place.bytes(leaf)((_, _) => '{ () }).isDefined
      yield (leaf, tpt.tpe.dealias)
    case _ => None
end Members
