package undercroft.struct
package internal.macros.terms

import internal.bytes.{BestKey, FixedText}
import internal.macros.places.Place
import internal.macros.schema.{ShapeDerivation, StoredTypes}
import scala.quoted.*
import undercroft.struct.Shape

/** The operations on a text in the function literal of a loop, generated on its bytes. */
private[struct] final class TextTerms[Q <: Quotes & Singleton](using val quotes: Q)(
    row: quotes.reflect.Symbol,
    leaves: List[Shape.Leaf],
    place: Place
):
  import quotes.reflect.*

  private final case class Use(name: String, leaf: Shape.Leaf, arguments: List[Term])

  /** The arguments, if a term is an operation on a text of the row. */
  def isOn(term: Term): Option[List[Term]] = use(term).map(_.arguments)

  /** The same operation on the bytes, with its arguments transformed by `argument`. */
  def generated(term: Term)(argument: Term => Term): Option[Term] =
    use(term).flatMap: use =>
      val size = Expr(use.leaf.kind.size)
      def text = use.arguments.map(argument).head.asExprOf[String]
      def key = use.arguments.map(argument).head.asExprOf[BestKey]
      def descends = use.arguments.map(argument).last.asExprOf[Boolean]
      place
        .bytes(use.leaf): (segment, at) =>
          use.name match
            case "==" => '{ FixedText.isEqual($segment, $at, $size, $text) }
            case "!=" => '{ !FixedText.isEqual($segment, $at, $size, $text) }
            case "isKey" =>
              val List(key, first, second) = use.arguments.map(argument): @unchecked
              '{
                FixedText.hasWords(
                  $segment,
                  $at,
                  $size,
                  ${ first.asExprOf[Long] },
                  -1,
                  ${ second.asExprOf[Long] },
                  -1
                ) && FixedText.isEqual($segment, $at, $size, ${ key.asExprOf[String] })
              }
            case "startsWithKey" =>
              val key :: words = use.arguments.map(argument): @unchecked
              val List(first, firstMask, second, secondMask) =
                words.map(_.asExprOf[Long]): @unchecked
              '{
                FixedText.hasWords(
                  $segment,
                  $at,
                  $size,
                  $first,
                  $firstMask,
                  $second,
                  $secondMask
                ) && FixedText.startsAfterWords(
                  $segment,
                  $at,
                  $size,
                  ${ key.asExprOf[String] },
                  $secondMask
                )
              }
            case "compareKey" =>
              val List(key, first, second) = use.arguments.map(argument): @unchecked
              '{
                FixedText.compareWords(
                  $segment,
                  $at,
                  $size,
                  ${ key.asExprOf[String] },
                  ${ first.asExprOf[Long] },
                  ${ second.asExprOf[Long] }
                )
              }
            case "startsWith"    => '{ FixedText.startsWith($segment, $at, $size, $text) }
            case "contains"      => '{ FixedText.contains($segment, $at, $size, $text) }
            case "contentEquals" => '{ FixedText.contentEquals($segment, $at, $size, $text) }
            case "compare"       => '{ FixedText.compare($segment, $at, $size, $text) }
            case "addTo"         => '{ ${ key }.add($segment, $at, $size, ${ descends }) }
            case "hash"          => '{ FixedText.hash($segment, $at, $size) }
            case _               => '{ FixedText.length($segment, $at, $size) }
        .map(_.asTerm)

  private def use(term: Term): Option[Use] = term match
    case Apply(Select(a, operator @ ("==" | "!=")), List(b)) =>
      def compared(text: Term, other: Term) =
        for leaf <- Field.unapply(uncast(text)) if isText(leaf) && isText(other.tpe)
        yield Use(operator, leaf, List(StoredTypes.cast(other, TypeRepr.of[String])))
      compared(a, b).orElse(if Matching.isStable(a) then compared(b, a) else None)
    case Apply(inner, text :: arguments) if TextKeys.isComparison(inner.symbol) =>
      for leaf <- Field.unapply(uncast(text)) if isText(leaf)
      yield Use(inner.symbol.name, leaf, arguments)
    case Apply(inner, arguments) =>
      inner match
        case Operation(name, leaf) if TextTerms.withText(name) => Some(Use(name, leaf, arguments))
        case _ =>
          term match
            case Operation(name, leaf) if TextTerms.alone(name) => Some(Use(name, leaf, Nil))
            case _                                              => None
    case _ => None

  private object Operation:
    def unapply(term: Term): Option[(String, Shape.Leaf)] = term match
      case Apply(TypeApply(function, _), List(text))
          if TextTerms.isOfText(function.symbol) =>
        for leaf <- Field.unapply(uncast(text)) if isText(leaf) yield (function.symbol.name, leaf)
      case _ => None

  /** A text that is stored as another type is cast to it. */
  private def uncast(text: Term): Term = text match
    case TypeApply(Select(inner, "asInstanceOf"), _) => inner
    case other                                       => other

  /** A field of the row whose bytes are in a segment. */
  private object Field:
    def unapply(term: Term): Option[Shape.Leaf] =
      for
        path <- Projection.pathFrom(row, term)
        leaf <- leaves.find(_.path == path)
        if place.bytes(leaf)((_, _) => '{ () }).isDefined
      yield leaf

  private def isText(tpe: TypeRepr): Boolean = ShapeDerivation.text(tpe.widen.dealias).isDefined

  private def isText(leaf: Shape.Leaf): Boolean = leaf.kind match
    case Shape.Kind.Text(_) => true
    case _                  => false
end TextTerms

private[struct] object TextTerms:
  private val owner = "undercroft.struct.Text$package$.Text$"

  /** Whether a method is an operation on a text. */
  def isOfText(using Quotes)(method: quotes.reflect.Symbol): Boolean =
    method.owner.fullName == owner

  private val withText = Set("startsWith", "contains", "contentEquals", "compare", "addTo")
  private val alone = Set("hash", "byteLength")
