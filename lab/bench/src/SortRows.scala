package undercroft.lab.bench

// How much does sorting rows by an Int key, or by two, cost, beside sorting objects, and numbers?

import java.util.concurrent.TimeUnit
import java.util.{Arrays, Comparator, SplittableRandom}
import org.openjdk.jmh.annotations.*
import undercroft.memory.Region
import undercroft.struct.*

/** Sorts unsorted data, once for each fork: off-heap rows of 16 bytes, the same number of objects
  * with the same fields, and the same number of Longs. Tickets are any Ints, and prices are below
  * 1000. Each method returns the smallest ticket; with two keys, price and ticket, the smallest
  * price.
  */
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
@Fork(
  value = 3,
  jvmArgs = Array(
    "-Xms5g",
    "-Xmx5g",
    "-XX:+AlwaysPreTouch",
    "-XX:+UseG1GC",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow"
  )
)
abstract class Sorting extends Measured:
  @Param(Array("50000000")) var rows = 0

  protected def keys: SplittableRandom = SplittableRandom(1)

/** Off-heap rows. */
class SortRows extends Sorting:
  @Param(Array("rows", "columns")) var layout = ""
  private var region: Region = scala.compiletime.uninitialized
  private var asRows: Rows[Trade] = scala.compiletime.uninitialized
  private var asColumns: Columns[Trade] = scala.compiletime.uninitialized

  @Setup(Level.Iteration) def fill(): Unit =
    region = Region.shared()
    val random = keys
    if layout == "rows" then
      asRows =
        Rows.tabulate[Trade](rows)(i =>
          Trade(random.nextInt(), i.toInt, random.nextInt(1000), true)
        )(using region)
    else
      asColumns =
        Columns.tabulate[Trade](rows)(i =>
          Trade(random.nextInt(), i.toInt, random.nextInt(1000), true)
        )(using region)
  @TearDown(Level.Iteration) def free(): Unit = region.close()

  @Benchmark def inPlace(): Int =
    if layout == "rows" then
      asRows.sortInPlaceBy(_.ticket)
      asRows(0).ticket
    else
      asColumns.sortInPlaceBy(_.ticket)
      asColumns(0).ticket

  @Benchmark def stable(): Int =
    if layout == "rows" then asRows.sortBy(_.ticket)(using region)(0).ticket
    else asColumns.sortBy(_.ticket)(using region)(0).ticket

  @Benchmark def inPlaceByTwo(): Int =
    if layout == "rows" then
      asRows.sortInPlaceBy(trade => (trade.price, desc(trade.ticket)))
      asRows(0).price
    else
      asColumns.sortInPlaceBy(trade => (trade.price, desc(trade.ticket)))
      asColumns(0).price

  @Benchmark def stableByTwo(): Int =
    if layout == "rows" then
      asRows.sortBy(trade => (trade.price, desc(trade.ticket)))(using region)(0).price
    else asColumns.sortBy(trade => (trade.price, desc(trade.ticket)))(using region)(0).price
end SortRows

/** Objects, by a comparator of their key, which Java sorts stably. */
class SortObjects extends Sorting:
  private var objects: Array[Trade] = scala.compiletime.uninitialized

  @Setup(Level.Iteration) def fill(): Unit =
    val random = keys
    objects = Array.tabulate(rows)(i => Trade(random.nextInt(), i, random.nextInt(1000), true))

  @Benchmark def objectsByKey(): Int =
    Arrays.sort(objects, Comparator.comparingInt[Trade](_.ticket))
    objects(0).ticket

  @Benchmark def objectsByTwoKeys(): Int =
    val byTicket = Comparator.comparingInt[Trade](_.ticket).reversed
    Arrays.sort(objects, Comparator.comparingInt[Trade](_.price).thenComparing(byTicket))
    objects(0).price

/** Longs, which Java sorts with vector instructions. */
class SortLongs extends Sorting:
  private var longs: Array[Long] = scala.compiletime.uninitialized

  @Setup(Level.Iteration) def fill(): Unit =
    val random = keys
    longs = Array.tabulate(rows)(_ => random.nextInt().toLong)

  @Benchmark def longsThemselves(): Int =
    Arrays.sort(longs)
    longs(0).toInt
