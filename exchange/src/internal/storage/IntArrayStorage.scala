package undercroft.exchange
package internal.storage

/** Trades as four Ints in a row in one heap array, read by a flyweight's offsets: 16 bytes each. */
final class IntArrayExchange(capacity: Long) extends StockExchange:
  import IntArrayExchange.*
  private val ints =
    new Array[Int](CapacityExceeded.orElse(
      capacity,
      Ints,
      CapacityExceeded.LongestArray,
      "an array"
    ))
  private var end = 0

  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    ints(end) = ticket
    ints(end + Amount) = amount
    ints(end + Price) = price
    ints(end + Buy) = if buy then 1 else 0
    end += Ints

  def dayBalance: BigInt =
    var at = 0
    ExactSum.sumWhile(at < end):
      val balance = Trade.balance(ints(at + Amount), ints(at + Price), ints(at + Buy) == 1)
      at += Ints
      balance

  def bytesHeld: Option[Long] = Some(end * 4L)
  def close(): Unit = ()
end IntArrayExchange

private[exchange] object IntArrayExchange:
  val Amount = 1
  val Price = 2
  val Buy = 3
  val Ints = 4
