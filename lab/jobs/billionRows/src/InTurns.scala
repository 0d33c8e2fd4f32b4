package billionRows

// How fast are the programs of the guide beside the naive one, one by hand, DuckDB and
// Polars, as whole processes in turns?

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import scala.util.Using

object InTurns:
  /** The programs of this package, and those of `rivals.py`. */
  private val programs = Seq("Baseline", "ByHand", "Natural", "Fast")
  val pythons = Seq("duckdb", "polars")

  /** A process: its output, and its seconds from start to end and of processors. */
  case class Run(program: String, output: String, seconds: Double, cpuSeconds: Double)

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
    val runs =
      for program <- if number % 2 == 0 then all else all.reverse
      yield run(program, file, python)
    for other <- runs if other.output != runs.head.output do
      throw IllegalStateException(
        s"the outputs of ${runs.head.program} and ${other.program} differ in round $number"
      )
    runs.sortBy(run => all.indexOf(run.program))

  /** Runs an engine by a Python, or a program of this package in a JVM of its own. */
  def run(program: String, file: Path, python: Option[String] = None): Run =
    if pythons.contains(program) then runPython(python.get, program, file)
    else runJava(program, file)

  private def runJava(program: String, file: Path): Run =
    val java = Path.of(System.getProperty("java.home"), "bin", "java").toString
    val flags =
      Seq("--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"))
    timed(program, java +: flags :+ s"billionRows.$program" :+ file.toString)

  /** Runs an engine of `rivals.py`. */
  private def runPython(python: String, engine: String, file: Path): Run =
    val script = Using.resource(getClass.getResourceAsStream("/rivals.py"))(_.readAllBytes())
    timed(engine, Seq(python, "-c", String(script, UTF_8), engine, file.toString))

  private def timed(program: String, command: Seq[String]): Run =
    val (start, cpuStart) = (System.nanoTime, childrenCpuSeconds())
    val process = ProcessBuilder(command*).redirectError(ProcessBuilder.Redirect.INHERIT).start()
    val output = String(process.getInputStream.readAllBytes(), UTF_8)
    val code = process.waitFor()
    if code != 0 then throw IllegalStateException(s"$program ended with exit code $code")
    Run(program, output, (System.nanoTime - start) / 1e9, childrenCpuSeconds() - cpuStart)

  /** User time of all processes that this one has started and waited for, by Linux. */
  private def childrenCpuSeconds(): Double =
    val fields = Files.readString(Path.of("/proc/self/stat")).split("\\) ").last.split(' ')
    fields(13).toLong / 100.0 // cutime, field 16 of proc(5), in ticks of 10 ms
end InTurns
