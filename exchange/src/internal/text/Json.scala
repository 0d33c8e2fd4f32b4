package undercroft.exchange
package internal.text

import undercroft.duckdb.SqlValue
import upickle.core.Visitor

/** How the exchange writes JSON.
  *
  * An upickle of its own, because the one that upickle brings was compiled to lazy values that call
  * Unsafe, which this JDK warns of and a later one denies.
  */
private[exchange] object Json extends upickle.AttributeTagged:

  /** An integer with all its digits, beyond the precision of a Double. */
  final case class Exact(value: BigInt)

  object Exact:
    given Writer[Exact] = new Writer[Exact]:
      def write0[V](out: Visitor[?, V], exact: Exact): V =
        out.visitFloat64StringParts(exact.value.toString, -1, -1, -1)

  /** The result of a query: numbers with all their digits. */
  given Writer[SqlValue] = new Writer[SqlValue]:
    def write0[V](out: Visitor[?, V], cell: SqlValue): V = cell match
      case SqlValue.Null           => out.visitNull(-1)
      case SqlValue.Bool(value)    => if value then out.visitTrue(-1) else out.visitFalse(-1)
      case SqlValue.Integer(value) => out.visitFloat64StringParts(value.toString, -1, -1, -1)
      case SqlValue.Double(value) if !value.isNaN && !value.isInfinite =>
        out.visitFloat64(cell.shownDouble, -1)
      case _ => out.visitString(cell.show, -1)

  /** `value` as text, indented. */
  def text[A: Writer](value: A): String = write(value, indent = 2)
end Json
