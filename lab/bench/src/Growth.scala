package undercroft.lab.bench

// How much does a trade appended to growing rows cost at 1 M to 1 G trades, over pages touched before?

import org.openjdk.jmh.annotations.*
import undercroft.memory.Region
import undercroft.struct.*

/** Trades appended until there are `trades`; small sizes in several rounds, so that every call
  * appends at least [[Growth.least]] trades. Packed rows and columns have 13 bytes per trade, the
  * layout of C 16. The page pool may keep all of it, as C's program and Unsafe keep their block.
  */
@State(Scope.Thread)
@Fork(
  value = 3,
  jvmArgs = Array(
    "-Xms1g",
    "-Xmx1g",
    "-XX:+AlwaysPreTouch",
    "-XX:+UseG1GC",
    "-Dundercroft.idle=16g",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow"
  )
)
class Growth extends Measured:
  @Param(Array("1000000", "10000000", "100000000", "1000000000")) var trades = 0L

  private var c: Option[CTrades] = None
  private var base = 0L

  private def rounds: Long = Math.max(1, Growth.least / trades)

  @Setup def open(): Unit = c = Option.when(CTrades.program.isDefined)(CTrades.start())
  @TearDown def close(): Unit =
    c.foreach(_.close())
    if base != 0 then LibC.unmap(base, trades * 13)

  private def grown(layout: String) = c.getOrElse(CTrades.start()).grow(layout, trades, rounds)

  @Benchmark def compiledC(): Long = grown("packed")

  @Benchmark def compiledCLayout(): Long = grown("c")

  @Benchmark def unsafe(): Long =
    if base == 0 then base = LibC.map(trades * 13, huge = false)
    repeated(Growth.written(base, trades))

  @Benchmark def packedRows(): Long = repeated(Growth.packedRows(trades))

  /** By number, as C's loop counts: see `GrowingTable.appendAll`. */
  @Benchmark def packedRowsByNumber(): Long = repeated(Growth.packedRowsByNumber(trades))

  /** In batches of up to [[Growth.BatchRows]] rows. */
  @Benchmark def packedRowsInBatches(): Long = repeated(Growth.packedRowsInBatches(trades))

  /** By an object that has the address of the next trade in a field, as a table has its row count.
    */
  @Benchmark def unsafeOneByOne(): Long =
    if base == 0 then base = LibC.map(trades * 13, huge = false)
    repeated(Growth.written(Growth.RawTrades(base), trades))

  @Benchmark def rows(): Long = repeated(Growth.rows(trades))

  @Benchmark def columns(): Long = repeated(Growth.columns(trades))

  private inline def repeated(inline fill: Long): Long =
    var round = 0L
    var last = 0L
    while round < rounds do
      last = fill
      round += 1
    last
end Growth

object Growth:
  final val least = 100_000_000L
  final val BatchRows = 65_536L

  /** Packed trades at raw addresses, appended by a method that keeps its position in a field. */
  final class RawTrades(base: Long):
    private var at = base
    def last: Int = Raw.unsafe.getInt(at - 13)
    def append(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
      Raw.unsafe.putInt(at, ticket)
      Raw.unsafe.putInt(at + 4, amount)
      Raw.unsafe.putInt(at + 8, price)
      Raw.unsafe.putByte(at + 12, if buy then 1.toByte else 0.toByte)
      at += 13

  // Each layout has a method of its own, as it has in a program that uses one.
  private def packedRows(trades: Long): Long =
    Region.scoped(appended(PackedRows.growing[Trade], trades))
  private def packedRowsByNumber(trades: Long): Long =
    Region.scoped:
      val table = PackedRows.growing[Trade]
      table.appendAll(trades): i =>
        val number = i.toInt
        Trade(number, number, number, (number & 1) == 0)
      table(trades - 1).ticket
  private def packedRowsInBatches(trades: Long): Long =
    Region.scoped:
      val table = PackedRows.growing[Trade]
      var i = 0L
      while i < trades do
        val count = Math.min(BatchRows, trades - i).toInt
        val first = i.toInt
        table.appending(count): batch =>
          var number = first
          while number < first + count do
            batch += Trade(number, number, number, (number & 1) == 0)
            number += 1
        i += count
      table(trades - 1).ticket
  private def rows(trades: Long): Long =
    Region.scoped(appended(Rows.growing[Trade], trades))
  private def columns(trades: Long): Long =
    Region.scoped(appended(Columns.growingTo[Trade](trades), trades))

  /** Appends trades to a table; returns the last ticket. */
  private inline def appended[L <: Layout](table: GrowingTable[Trade, L], trades: Long): Long =
    var i = 0L
    while i < trades do
      val number = i.toInt
      table += Trade(number, number, number, (number & 1) == 0)
      i += 1
    table(trades - 1).ticket

  /** Writes packed trades at raw addresses; returns the last ticket. */
  private def written(base: Long, trades: Long): Long =
    var at = base
    var i = 0L
    while i < trades do
      val number = i.toInt
      Raw.unsafe.putInt(at, number)
      Raw.unsafe.putInt(at + 4, number)
      Raw.unsafe.putInt(at + 8, number)
      Raw.unsafe.putByte(at + 12, (1 - (number & 1)).toByte)
      at += 13
      i += 1
    Raw.unsafe.getInt(at - 13)

  private def written(target: RawTrades, trades: Long): Long =
    var i = 0L
    while i < trades do
      val number = i.toInt
      target.append(number, number, number, (number & 1) == 0)
      i += 1
    target.last
end Growth
