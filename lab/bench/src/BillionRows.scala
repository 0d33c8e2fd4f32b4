package undercroft.lab.bench

// How long does the One Billion Row Challenge take as a whole process: the programs of the guide,
// the naive one, one by hand, DuckDB and Polars?

import billionRows.{Generate, InTurns}
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*

/** A call is a process of the job `lab/jobs/billionRows`, from its start to its end, over a file in
  * the page cache.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 3)
class BillionRows extends Measured:
  @Param(Array("10000000", "100000000")) var rows = 0L
  @Param(Array("413")) var stations = 0
  @Param(Array("Fast", "ByHand", "Natural", "Baseline", "duckdb", "polars")) var program = ""

  private var file = Path.of("").nn

  @Setup def make(): Unit =
    file = LabFiles.path("rows.txt")
    Generate.write(file, rows, stations, seed = 1)

  @TearDown def close(): Unit = LabFiles.delete(file)

  /** The output of the program. */
  @Benchmark def run(): String =
    val python = PythonPrograms.python("duckdb, polars")
    InTurns.run(program, file, python).output
end BillionRows

object BillionRows:
  /** The reason why a program cannot be measured here. */
  def lack(program: String): Option[String] = Option.when(
    InTurns.pythons.contains(program) && PythonPrograms.python("duckdb, polars").isEmpty
  )("no Python has duckdb and polars: their programs are skipped")
