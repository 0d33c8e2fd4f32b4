package undercroft.lab.bench

/** Trades of `stride` bytes at a raw address: 13 is packed, 16 is C's layout. */
sealed abstract class UnsafeExchange(address: Long, stride: Int) extends StockExchange:
  private var next = address
  final def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    Raw.unsafe.putInt(next, ticket)
    Raw.unsafe.putInt(next + 4, amount)
    Raw.unsafe.putInt(next + 8, price)
    Raw.unsafe.putByte(next + 12, (if buy then 1 else 0).toByte)
    next += stride
  final def dayBalance: Long =
    var sum = 0L
    var at = address
    val end = next
    while at < end do
      sum += Raw.unsafe.getInt(at + 4).toLong * Raw.unsafe.getInt(at + 8) *
        (if Raw.unsafe.getByte(at + 12) != 0 then 1 else -1)
      at += stride
    sum
end UnsafeExchange

/** Memory allocated for the day and freed at its end, as the article does it. */
final class UnsafeDay(address: Long, stride: Int) extends UnsafeExchange(address, stride):
  def close(): Unit = Raw.unsafe.freeMemory(address)

object UnsafeDay:
  def apply(trades: Int, stride: Int): UnsafeDay =
    new UnsafeDay(Raw.unsafe.allocateMemory(trades.toLong * stride), stride)

/** Memory that outlives the day: huge pages, mapped once and used again. */
final class UnsafeReused(address: Long, stride: Int) extends UnsafeExchange(address, stride):
  def close(): Unit = ()
