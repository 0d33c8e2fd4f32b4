package undercroft.exchange
package internal.storage

import java.nio.{ByteBuffer, ByteOrder}

/** Trades packed into 13 bytes each in a ByteBuffer, on the heap or off it, in the machine's own
  * byte order.
  */
final class BufferExchange(buffer: ByteBuffer) extends StockExchange:
  import PackedTrade.*
  private var end = 0

  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    buffer.putInt(end, ticket)
    buffer.putInt(end + Amount, amount)
    buffer.putInt(end + Price, price)
    buffer.put(end + Buy, if buy then 1.toByte else 0.toByte)
    end += Bytes

  def dayBalance: BigInt =
    var at = 0
    ExactSum.sumWhile(at < end):
      val amount = buffer.getInt(at + Amount)
      val balance = Trade.balance(amount, buffer.getInt(at + Price), buffer.get(at + Buy) == 1)
      at += Bytes
      balance

  def bytesHeld: Option[Long] = Some(end.toLong)
  def close(): Unit = ()
end BufferExchange

object BufferExchange:
  def heap(capacity: Long): BufferExchange =
    val bytes = CapacityExceeded.orElse(
      capacity,
      PackedTrade.Bytes,
      CapacityExceeded.LongestArray,
      "an array"
    )
    BufferExchange(ByteBuffer.allocate(bytes).nn.order(ByteOrder.nativeOrder).nn)

  def direct(capacity: Long): BufferExchange =
    val bytes = CapacityExceeded.orElse(
      capacity,
      PackedTrade.Bytes,
      CapacityExceeded.LargestBuffer,
      "a ByteBuffer"
    )
    BufferExchange(ByteBuffer.allocateDirect(bytes).nn.order(ByteOrder.nativeOrder).nn)

/** The offsets of a trade's fields without padding. */
private[exchange] object PackedTrade:
  final val Amount = 4
  final val Price = 8
  final val Buy = 12
  final val Bytes = 13

  /** The balance of the trades in the bytes `[from, until)`: the sum over parts, each with at most
    * [[ExactSum.MostTerms]] trades.
    */
  def total(from: Long, until: Long)(balance: (Long, Long) => BigInt): BigInt =
    var total = BigInt(0)
    var at = from
    while at < until do
      val end = math.min(at + ExactSum.MostTerms.toLong * Bytes, until)
      total += balance(at, end)
      at = end
    total
end PackedTrade
