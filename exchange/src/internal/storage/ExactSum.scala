package undercroft.exchange
package internal.storage

/** An exact sum of Longs, wider than a Long: `high * 2^32 + low`, with `low` in [0, 2^32). For one
  * thread; adding allocates nothing.
  */
final class ExactSum:
  private var high = 0L
  private var low = 0L
  private var terms = 0L

  def add(term: Long): Unit =
    low += term & ExactSum.Low
    high += (term >> 32) + (low >> 32)
    low &= ExactSum.Low
    terms += 1

  /** How many terms were added. */
  def count: Long = terms

  def value: BigInt = ExactSum.exact(high, low)

object ExactSum:
  private[exchange] final val Low = 0xffffffffL

  /** The most terms whose low halves cannot overflow a Long. */
  final val MostTerms = Int.MaxValue

  /** The exact sum of `term` while `condition` holds, up to [[MostTerms]] terms.
    *
    * The terms, modulo 2^64, and their upper halves add up apart in local variables: the very
    * arithmetic of `exactSumOf` on Undercroft's tables, given to every rival.
    */
  inline def sumWhile(inline condition: Boolean)(inline term: Long): BigInt =
    var high = 0L
    var sum = 0L
    while condition do
      val next = term
      high += next >> 32
      sum += next
    exact(high, sum - (high << 32))

  private[exchange] def exact(high: Long, low: Long): BigInt = (BigInt(high) << 32) + low
end ExactSum
