package undercroft.lab.bench

// How long does a lookup of a row of 1 KiB in a file take, beside LMDB, SQLite, Lance and Parquet?

import java.util.concurrent.TimeUnit
import lookups.InTurns
import org.openjdk.jmh.annotations.*

/** A call is the processes of the job `lab/jobs/lookups`: one writes the file, one reads it from
  * the disk, one from the system's cache, and one reads while it appends.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
class PointLookups extends Measured:
  @Param(Array("100000", "1000000")) var items = 0L
  @Param(Array("Ours", "Lmdb", "Sqlite", "lance", "parquet")) var program = ""

  /** The answer of the program. */
  @Benchmark def run(times: LookupTimes): String =
    val run = InTurns.run(program, items, PythonPrograms.python("lance, pyarrow"))
    val nanos = InTurns.times(run)
    times.writeNanos = nanos("write")
    times.coldNanos = nanos("cold")
    times.warmNanos = nanos("warm")
    times.appendNanos = nanos.getOrElse("append", 0)
    times.besideNanos = nanos.getOrElse("beside", 0)
    InTurns.answer(run)
end PointLookups

object PointLookups:
  /** The reason why a program cannot be measured here. */
  def lack(program: String): Option[String] = Option.when(
    InTurns.pythons.contains(program) && PythonPrograms.python("lance, pyarrow").isEmpty
  )("no Python has lance and pyarrow: their programs are skipped")

/** Times of items, for the lab to read. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class LookupTimes:
  var writeNanos: Double = 0
  var coldNanos: Double = 0
  var warmNanos: Double = 0
  var appendNanos: Double = 0
  var besideNanos: Double = 0
