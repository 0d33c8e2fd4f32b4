package undercroft.lab.bench

// How long does the first day of the exchange take, and how long with the JDK's AOT cache?

import java.nio.file.{Files, Path}
import java.util.Comparator
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*
import scala.compiletime.uninitialized
import undercroft.exchange.internal.run.{AotCaches, StorageRunner}
import undercroft.exchange.internal.storage.Storage

/** A call is the exchange's two days in a storage, in a JVM of its own, as `./mill exchange.run`
  * runs them. Counted: the milliseconds of the first day. With `aot` the JVM uses a cache of
  * classes and profiles, which an earlier run of the same storage wrote.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 3)
class ExchangeFirstDay extends Measured:
  @Param(Array("50000000")) var trades = 0L
  @Param(Array("unsafe", "packed-rows")) var storage = ""
  @Param(Array("none", "aot")) var cache = ""

  private var folder: Path = uninitialized
  private var runner: StorageRunner = uninitialized
  private def kind = Storage.named(storage).get

  @Setup def open(): Unit =
    folder = Files.createTempDirectory("undercroft-lab")
    val caches = Option.when(cache == "aot")(AotCaches(folder))
    runner = StorageRunner("1g", 120, Seq(), caches)
    for file <- runner.missingCache(kind); failed <- runner.train(kind, trades, file, _ => ()) do
      throw IllegalStateException(s"$storage: ${failed.reason}")

  @TearDown def close(): Unit =
    runner.close()
    val paths = Files.walk(folder)
    try paths.sorted(Comparator.reverseOrder).forEach(path => Files.delete(path))
    finally paths.close()

  @Benchmark def days(figures: FirstDayFigures): BigInt =
    runner.run(kind, trades, _ => ()).outcome match
      case Left(reason) => throw IllegalStateException(s"$storage: $reason")
      case Right(measurement) =>
        figures.firstDayMillis = measurement.firstDayNanos / 1e6
        measurement.first.balance
end ExchangeFirstDay

/** A figure beside the time, for the lab to read. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class FirstDayFigures:
  var firstDayMillis: Double = 0
