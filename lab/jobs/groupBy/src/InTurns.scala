package groupBy

// How fast are the ten questions beside DuckDB and Polars, as whole processes in turns?

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import scala.util.Using
import turns.Run

object InTurns:
  /** The engines of `groupByRivals.py`. */
  val pythons = Seq("duckdb", "polars")

  /** The runs of a question in a process. */
  val Runs = 5

  def main(args: Array[String]): Unit = args match
    case Array(rows, groups, rounds, python*) if python.sizeIs <= 1 =>
      val file = Files.createTempFile("groups", ".csv")
      try
        Generate.write(file, rows.toLong, groups.toInt, seed = 1)
        println("round, program, geometric mean, median seconds of each question; of first runs")
        for
          number <- 0 until rounds.toInt
          run <- round(file, rows.toLong, number, python.headOption)
          (name, times) <- Seq("" -> medians(run), "first" -> firsts(run))
        do
          val all = (geometricMean(times) +: times).map(seconds => f"$seconds%.3f")
          println(f"${number + 1}  ${run.program}%-6s  $name%-5s  ${all.mkString("  ")}")
      finally Files.delete(file)
    case _ =>
      throw IllegalArgumentException(
        "arguments must be ROWS GROUPS ROUNDS, and the Python of the rivals if they are to run"
      )

  /** Runs all programs, in the other order if `number` is odd; fails if their answers differ. */
  def round(file: Path, rows: Long, number: Int, python: Option[String]): Seq[Run] =
    val all = "Ours" +: python.toSeq.flatMap(_ => pythons)
    turns.round(all, number)(run(_, file, rows, python))(answers)

  /** Runs an engine by a Python, or ours in a JVM of its own. */
  def run(program: String, file: Path, rows: Long, python: Option[String] = None): Run =
    if pythons.contains(program) then
      val script =
        Using.resource(getClass.getResourceAsStream("/groupByRivals.py"))(_.readAllBytes())
      val command = Seq(python.get, "-c", String(script, UTF_8), program, file.toString, s"$Runs")
      turns.runProcess(program, command)
    else
      turns.runJava(program, s"groupBy.$program", Seq(), file.toString, rows.toString, s"$Runs")

  /** The seconds of each question: of its first run, and the median of its runs. */
  def firsts(run: Run): Seq[Double] = numbers(run).map(_(0))
  def medians(run: Run): Seq[Double] = numbers(run).map(_(1))

  def geometricMean(seconds: Seq[Double]): Double =
    Math.exp(seconds.map(Math.log).sum / seconds.size)

  /** The checks of the answers. */
  def answers(run: Run): Answers = Answers(numbers(run).map(_.drop(2)))

  private def numbers(run: Run): Seq[Seq[Double]] =
    run.output.linesIterator.map(_.split(' ').toSeq.drop(1).map(_.toDouble)).toSeq
end InTurns

/** Checks of answers, which are equal up to the order of sums of Doubles. */
final class Answers(val checks: Seq[Seq[Double]]):
  override def equals(other: Any): Boolean = other match
    case other: Answers =>
      checks.map(_.size) == other.checks.map(_.size) &&
      checks.flatten.lazyZip(other.checks.flatten).forall(Answers.isNear)
    case _ => false
  override def hashCode: Int = checks.size

object Answers:
  private def isNear(a: Double, b: Double) = (a - b).abs <= 1e-9 * a.abs.max(b.abs)
end Answers
