package undercroft.lab.bench

// How much does the article's own arithmetic cost beside the exact one, and which result does it give?

import org.openjdk.jmh.annotations.*
import undercroft.memory.Region
import undercroft.struct.*

/** The day's balance as the article took it, an Int product summed as a Double, and as a Long.
  *
  * Trade `i` has amount and price `i`, so the article's product overflows from i = 46 341 on.
  */
@State(Scope.Thread)
class ArticleArithmetic extends Measured:
  @Param(Array("10000", "1000000")) var trades = 0

  private var base = 0L
  private var bytes = 0L
  private val region = Region.shared()
  private given Region = region
  private var rows = PackedRows[Trade](0)

  @Setup def open(): Unit =
    bytes = trades * 13L
    base = LibC.map(bytes, huge = false)
    val exchange = UnsafeReused(base, 13)
    StockExchange.day(exchange, trades): Unit
    rows = PackedRows[Trade](trades)
    for i <- 0 until trades do rows(i) = Trade(i, i, i, (i & 1) == 0)

  @TearDown def close(): Unit =
    LibC.unmap(base, bytes)
    region.close()

  @Benchmark def articleUnsafe(): Double =
    var sum = 0.0
    var at = base
    val end = base + bytes
    while at < end do
      sum += Raw.unsafe.getInt(at + 4) * Raw.unsafe.getInt(at + 8) *
        (if Raw.unsafe.getByte(at + 12) != 0 then 1 else -1)
      at += 13
    sum

  @Benchmark def articleRows(): Double =
    rows.sumOf(trade => (trade.amount * trade.price * (if trade.buy then 1 else -1)).toDouble)

  @Benchmark def exactUnsafe(): Long =
    var sum = 0L
    var at = base
    val end = base + bytes
    while at < end do
      sum += Raw.unsafe.getInt(at + 4).toLong * Raw.unsafe.getInt(at + 8) *
        (if Raw.unsafe.getByte(at + 12) != 0 then 1 else -1)
      at += 13
    sum

  @Benchmark def exactRows(): Long = rows.sumOf(_.balance)
end ArticleArithmetic
