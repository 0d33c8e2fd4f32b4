package undercroft.lab.bench

// What does a trade appended to growing rows cost at 1 M to 1 G trades, over pages touched before?

import org.openjdk.jmh.annotations.*
import undercroft.memory.Region
import undercroft.struct.*

/** Packed trades of 13 bytes, appended until there are `trades`; small sizes in several rounds, so
  * that every call appends at least [[Growth.least]] trades. The page pool may keep all of it, as
  * C's program keeps its block.
  */
@State(Scope.Thread)
@Fork(
  value = 3,
  jvmArgs = Array(
    "-Xms1g",
    "-Xmx1g",
    "-XX:+UseG1GC",
    "-Dundercroft.idle=16g",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow"
  )
)
class Growth extends Measured:
  @Param(Array("1000000", "10000000", "100000000", "1000000000")) var trades = 0L

  private var c: Option[CTrades] = None

  private def rounds: Long = Math.max(1, Growth.least / trades)

  @Setup def open(): Unit = c = Option.when(CTrades.program.isDefined)(CTrades.start())
  @TearDown def close(): Unit = c.foreach(_.close())

  @Benchmark def compiledC(): Long = c.getOrElse(CTrades.start()).grow("packed", trades, rounds)

  @Benchmark def packedRows(): Long =
    var round = 0L
    var last = 0L
    while round < rounds do
      last = Growth.appended(trades)
      round += 1
    last
end Growth

object Growth:
  final val least = 100_000_000L

  /** Appends trades to rows of their own; the last ticket. */
  private def appended(trades: Long): Long =
    Region.scoped:
      val rows = PackedRows.growing[Trade]
      var i = 0L
      while i < trades do
        val number = i.toInt
        rows += Trade(number, number, number, (number & 1) == 0)
        i += 1
      rows(trades - 1).ticket
