package billionRows

// How fast are the programs of the guide beside the naive one, one by hand, DuckDB and
// Polars, as whole processes in turns?

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import scala.util.Using
import turns.Run

object InTurns:
  /** The programs of this package; `pythons` are the programs of `rivals.py`. */
  private val programs = Seq("Baseline", "ByHand", "Natural", "Fast")
  val pythons = Seq("duckdb", "polars")

  def main(args: Array[String]): Unit = args match
    case Array(rows, stations, rounds, python*) if python.sizeIs <= 1 =>
      val file = Files.createTempFile("rows", ".txt")
      try
        Generate.write(file, rows.toLong, stations.toInt, seed = 1)
        println("round, program, seconds, seconds of processors")
        for
          number <- 0 until rounds.toInt
          run <- round(file, number, python.headOption)
        do println(f"${number + 1}  ${run.program}%-8s  ${run.seconds}%.2f  ${run.cpuSeconds}%.2f")
      finally Files.delete(file)
    case _ =>
      throw IllegalArgumentException(
        "arguments must be ROWS STATIONS ROUNDS, and the Python of the rivals if they are to run"
      )

  /** Runs all programs, in the other order if `number` is odd; fails if their outputs differ. */
  def round(file: Path, number: Int, python: Option[String]): Seq[Run] =
    val all = programs ++ python.toSeq.flatMap(_ => pythons)
    turns.round(all, number)(run(_, file, python))(_.output)

  /** Runs an engine by a Python, or a program of this package in a JVM of its own. */
  def run(program: String, file: Path, python: Option[String] = None): Run =
    if pythons.contains(program) then runPython(python.get, program, file)
    else turns.runJava(program, s"billionRows.$program", Seq(), file.toString)

  /** Runs an engine of `rivals.py`. */
  private def runPython(python: String, engine: String, file: Path): Run =
    val script = Using.resource(getClass.getResourceAsStream("rivals.py"))(_.readAllBytes())
    turns.runProcess(engine, Seq(python, "-c", String(script, UTF_8), engine, file.toString))
end InTurns
