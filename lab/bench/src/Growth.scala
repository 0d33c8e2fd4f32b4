package undercroft.lab.bench

// What does a trade appended to growing rows cost at 1 M to 1 G trades, over pages touched before?

import org.openjdk.jmh.annotations.*

/** Packed trades of 13 bytes, appended until there are `trades`; small sizes in several rounds, so
  * that every call appends at least [[Growth.least]] trades.
  */
@State(Scope.Thread)
class Growth extends Measured:
  @Param(Array("1000000", "10000000", "100000000", "1000000000")) var trades = 0L

  private var c: CTrades = scala.compiletime.uninitialized

  private def rounds: Long = Math.max(1, Growth.least / trades)

  @Setup def open(): Unit = c = CTrades.start()
  @TearDown def close(): Unit = c.close()

  @Benchmark def compiledC(): Long = c.grow("packed", trades, rounds)
end Growth

object Growth:
  final val least = 100_000_000L
