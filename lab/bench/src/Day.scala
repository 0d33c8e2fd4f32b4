package undercroft.lab.bench

// How much do 50 million trades and the day's balance cost, on a first day and from the second on?

import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*

/** A day in one storage: trades recorded, balance taken, memory freed.
  *
  * `storage` is a name that [[Storages]] knows. The heap is large enough for objects.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
  value = 5,
  jvmArgs = Array(
    "-Xms8g",
    "-Xmx8g",
    "-XX:+AlwaysPreTouch",
    "-XX:+UseG1GC",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow"
  )
)
abstract class Day:
  @Param(Array("50000000")) var trades = 0

  // format: off
  @Param(Array(
    "list-buffer", "array-buffer", "int-array", "heap-buffer", "direct-buffer", "unsafe",
    "unsafe-c-layout", "unsafe-huge", "segment-confined", "segment-shared", "scala-offheap", "rows",
    "rows-huge", "packed-rows", "packed-rows-huge", "growing-rows", "growing-rows-huge",
    "zeroed-rows", "zeroed-rows-huge", "columns", "columns-huge", "java-array-list",
    "java-int-array", "java-heap-buffer", "java-direct-buffer", "java-unsafe",
    "java-segment-confined", "c-malloc", "c-malloc-c-layout", "c-huge", "c-huge-c-layout"
  ))
  // format: on
  var storage = ""

  private var tradingDay: TradingDay = scala.compiletime.uninitialized

  @Setup def open(): Unit = tradingDay = Storages.open(storage, trades)
  @TearDown def close(): Unit = tradingDay.close()

  @Benchmark def day(): Long = tradingDay.run(trades)
end Day

/** The first day in a JVM: nothing is compiled, no page was touched. */
@State(Scope.Thread)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
class FirstDay extends Day

/** The days from the second on: in the same process, on pages that the first day gave back. */
@State(Scope.Thread)
@Warmup(iterations = 1)
@Measurement(iterations = 9)
class SecondDay extends Day
