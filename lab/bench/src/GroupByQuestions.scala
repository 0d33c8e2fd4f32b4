package undercroft.lab.bench

// How long do the ten questions of the group-by of the database-like ops benchmark take, in our
// program, DuckDB and Polars, as whole processes?

import groupBy.{Generate, InTurns}
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*

/** A call is a process of the job `lab/jobs/groupBy`, from its start to its end: it loads the rows
  * of a file, and answers each question five times.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
class GroupByQuestions extends Measured:
  @Param(Array("1000000", "10000000")) var rows = 0L
  @Param(Array("100")) var groups = 0
  @Param(Array("Ours", "duckdb", "polars")) var program = ""

  private var file = Path.of("").nn

  @Setup def make(): Unit =
    file = LabFiles.path("groups.csv")
    Generate.write(file, rows, groups, seed = 1)

  @TearDown def close(): Unit = LabFiles.delete(file)

  /** The checks of the answers. */
  @Benchmark def run(times: QuestionTimes): groupBy.Answers =
    val run = InTurns.run(program, file, rows, PythonPrograms.python("duckdb, polars"))
    val seconds = InTurns.medians(run)
    times.q1 = seconds(0)
    times.q2 = seconds(1)
    times.q3 = seconds(2)
    times.q4 = seconds(3)
    times.q5 = seconds(4)
    times.q6 = seconds(5)
    times.q7 = seconds(6)
    times.q8 = seconds(7)
    times.q9 = seconds(8)
    times.q10 = seconds(9)
    InTurns.answers(run)
end GroupByQuestions

/** The median seconds of each question, for the lab to read. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class QuestionTimes:
  var q1: Double = 0
  var q2: Double = 0
  var q3: Double = 0
  var q4: Double = 0
  var q5: Double = 0
  var q6: Double = 0
  var q7: Double = 0
  var q8: Double = 0
  var q9: Double = 0
  var q10: Double = 0
