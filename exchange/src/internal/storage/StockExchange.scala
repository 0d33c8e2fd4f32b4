package undercroft.exchange
package internal.storage

import internal.text.Formatting

/** One trading day: takes orders, and knows what they come to.
  *
  * For one thread. `close` ends the day and gives its memory back; after it, neither of the other
  * two may be called.
  */
trait StockExchange extends AutoCloseable:

  /** Records one trade. A storage made for N trades takes no more than N. */
  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit

  /** The exact sum of the day's balances. */
  def dayBalance: BigInt

  /** Bytes that the recorded trades take, where the storage itself decides it; None for objects,
    * which only a full collection can weigh.
    */
  def bytesHeld: Option[Long]

/** The day exceeds the capacity of a storage; `reason` becomes the storage's row in the table. */
final class CapacityExceeded(reason: String) extends RuntimeException(reason)

object CapacityExceeded:

  /** The longest array that HotSpot makes: two words short of 2^31. */
  val LongestArray = 2147483639L

  /** The largest size of a ByteBuffer. */
  val LargestBuffer: Long = Int.MaxValue

  /** The bytes or elements that `trades` of `unit` take, if that is no more than `limit`. */
  def orElse(trades: Long, unit: Int, limit: Long, part: String): Int =
    if trades > limit / unit then
      throw CapacityExceeded(s"too large: $part ends at ${Formatting.spaced(limit)}")
    (trades * unit).toInt
