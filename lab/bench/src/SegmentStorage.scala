package undercroft.lab.bench

import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.{JAVA_BYTE, JAVA_INT_UNALIGNED}

/** Packed trades of 13 bytes in a MemorySegment, which its arena zeroes. */
final class SegmentExchange(arena: Arena, trades: Int) extends StockExchange:
  private val segment = arena.allocate(trades * 13L).nn
  private var size = 0L
  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    segment.set(JAVA_INT_UNALIGNED, size, ticket)
    segment.set(JAVA_INT_UNALIGNED, size + 4, amount)
    segment.set(JAVA_INT_UNALIGNED, size + 8, price)
    segment.set(JAVA_BYTE, size + 12, (if buy then 1 else 0).toByte)
    size += 13
  def dayBalance: Long =
    var sum = 0L
    var at = 0L
    val end = size
    while at < end do
      sum += segment.get(JAVA_INT_UNALIGNED, at + 4).toLong *
        segment.get(JAVA_INT_UNALIGNED, at + 8) *
        (if segment.get(JAVA_BYTE, at + 12) != 0 then 1 else -1)
      at += 13
    sum
  def close(): Unit = arena.close()
end SegmentExchange
