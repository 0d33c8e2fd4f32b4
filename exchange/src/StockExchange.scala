package undercroft.exchange

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

/** A storage says in words why it cannot hold the day; the words become its row in the table. */
final class CannotHold(reason: String) extends RuntimeException(reason)

object CannotHold:

  /** The longest array that HotSpot makes: two words short of 2^31. */
  val LongestArray = 2147483639L

  /** The largest size of a ByteBuffer. */
  val LargestBuffer: Long = Int.MaxValue

  /** The bytes or elements that `trades` of `each` take, if that is no more than `limit`. */
  def orElse(trades: Long, each: Int, limit: Long, what: String): Int =
    if trades > limit / each then
      throw CannotHold(s"too large: $what ends at ${Figures.spaced(limit)}")
    (trades * each).toInt
