package undercroft.exchange

import undercroft.duckdb.Cell
import upickle.core.Visitor

/** How the exchange writes JSON.
  *
  * An upickle of its own, because the one that upickle brings was compiled to lazy values that call
  * Unsafe, which this JDK warns of and a later one denies.
  */
private[exchange] object Json extends upickle.AttributeTagged:

  /** A whole number with all its digits, beyond what a Double holds. */
  final case class Exact(value: BigInt)

  object Exact:
    given Writer[Exact] = new Writer[Exact]:
      def write0[V](out: Visitor[?, V], exact: Exact): V =
        out.visitFloat64StringParts(exact.value.toString, -1, -1, -1)

  /** What a query answered: numbers with all their digits. */
  given Writer[Cell] = new Writer[Cell]:
    def write0[V](out: Visitor[?, V], cell: Cell): V = cell match
      case Cell.Null         => out.visitNull(-1)
      case Cell.Truth(value) => if value then out.visitTrue(-1) else out.visitFalse(-1)
      case Cell.Whole(value) => out.visitFloat64StringParts(value.toString, -1, -1, -1)
      case Cell.Real(value) if !value.isNaN && !value.isInfinite => out.visitFloat64(value, -1)
      case other                                                 => out.visitString(other.show, -1)

  /** `value` as text, indented. */
  def text[A: Writer](value: A): String = write(value, indent = 2)
end Json
