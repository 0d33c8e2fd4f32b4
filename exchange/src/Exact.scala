package undercroft.exchange

import upickle.core.Visitor
import upickle.default.Writer

/** A whole number that JSON shows with all its digits, beyond what a Double holds. */
private[exchange] final case class Exact(value: BigInt)

private[exchange] object Exact:
  given Writer[Exact] = new Writer[Exact]:
    def write0[V](out: Visitor[?, V], exact: Exact): V =
      out.visitFloat64StringParts(exact.value.toString, -1, -1, -1)
