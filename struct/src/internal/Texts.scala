package undercroft.struct.internal

import scala.quoted.*
import undercroft.struct.{Kind, Leaf}

/** The operations of a text in the function literal of a loop, generated on its bytes. */
private[struct] final class Texts[Q <: Quotes & Singleton](using val quotes: Q)(
    row: quotes.reflect.Symbol,
    leaves: List[Leaf],
    place: Place
):
  import quotes.reflect.*

  private final case class Use(name: String, leaf: Leaf, arguments: List[Term])

  /** The arguments of an operation on a text of the row, if that is what a term is. */
  def isOn(term: Term): Option[List[Term]] = use(term).map(_.arguments)

  /** The same operation on the bytes, with its arguments as `argument` makes them. */
  def generated(term: Term)(argument: Term => Term): Option[Term] =
    use(term).flatMap: use =>
      val size = Expr(use.leaf.kind.size)
      def text = use.arguments.map(argument).head.asExprOf[String]
      place
        .bytes(use.leaf): (segment, at) =>
          use.name match
            case "startsWith" => '{ TextBytes.startsWith($segment, $at, $size, $text) }
            case "contains"   => '{ TextBytes.contains($segment, $at, $size, $text) }
            case "sameAs"     => '{ TextBytes.compare($segment, $at, $size, $text) == 0 }
            case "compare"    => '{ TextBytes.compare($segment, $at, $size, $text) }
            case "hash"       => '{ TextBytes.hash($segment, $at, $size) }
            case _            => '{ TextBytes.length($segment, $at, $size) }
        .map(_.asTerm)

  private def use(term: Term): Option[Use] = term match
    case Apply(inner, arguments) =>
      inner match
        case Operation(name, leaf) if Texts.withText(name) => Some(Use(name, leaf, arguments))
        case _ =>
          term match
            case Operation(name, leaf) if Texts.alone(name) => Some(Use(name, leaf, Nil))
            case _                                          => None
    case _ => None

  private object Operation:
    def unapply(term: Term): Option[(String, Leaf)] = term match
      case Apply(TypeApply(function, _), List(text))
          if function.symbol.owner.fullName == Texts.owner =>
        for leaf <- Field.unapply(text) if isText(leaf) yield (function.symbol.name, leaf)
      case _ => None

  /** A field of the row whose bytes are in a segment. */
  private object Field:
    def unapply(term: Term): Option[Leaf] =
      for
        path <- Projection.pathFrom(row, term)
        leaf <- leaves.find(_.path == path)
        if place.bytes(leaf)((_, _) => '{ () }).isDefined
      yield leaf

  private def isText(leaf: Leaf): Boolean = leaf.kind match
    case Kind.Text(_) => true
    case _            => false
end Texts

private[struct] object Texts:
  private val owner = "undercroft.struct.Text$package$.Text$"
  private val withText = Set("startsWith", "contains", "sameAs", "compare")
  private val alone = Set("hash", "byteLength")
