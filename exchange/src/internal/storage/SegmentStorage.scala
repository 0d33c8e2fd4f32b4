package undercroft.exchange
package internal.storage

import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.{JAVA_BYTE, JAVA_INT_UNALIGNED}

/** Trades packed into 13 bytes each in a MemorySegment of a shared arena, which the JDK zeroes: the
  * JDK's own replacement of Unsafe.
  */
final class SegmentExchange(capacity: Long) extends StockExchange:
  import PackedTrade.*
  private val arena = Arena.ofShared().nn
  private val segment = arena.allocate(capacity * Bytes).nn
  private var end = 0L

  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    segment.set(JAVA_INT_UNALIGNED, end, ticket)
    segment.set(JAVA_INT_UNALIGNED, end + Amount, amount)
    segment.set(JAVA_INT_UNALIGNED, end + Price, price)
    segment.set(JAVA_BYTE, end + Buy, if buy then 1.toByte else 0.toByte)
    end += Bytes

  def dayBalance: BigInt = total(0, end)(balance)

  private def balance(from: Long, until: Long): BigInt =
    var at = from
    ExactSum.sumWhile(at < until):
      val amount = segment.get(JAVA_INT_UNALIGNED, at + Amount)
      val price = segment.get(JAVA_INT_UNALIGNED, at + Price)
      val balance = Trade.balance(amount, price, segment.get(JAVA_BYTE, at + Buy) == 1)
      at += Bytes
      balance

  def bytesHeld: Option[Long] = Some(end)
  def close(): Unit = arena.close()
end SegmentExchange
