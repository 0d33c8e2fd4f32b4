package billionRows

// How much faster is the natural program than the naive one, both as whole processes in turns?

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

object InTurns:
  private val programs = Seq("Baseline", "Natural")

  /** A process: its output, and its seconds from start to end and of processors. */
  case class Run(program: String, output: String, seconds: Double, cpuSeconds: Double)

  def main(args: Array[String]): Unit = args match
    case Array(rows, stations, rounds) =>
      val file = Files.createTempFile("rows", ".txt")
      try
        Generate.write(file, rows.toLong, stations.toInt, seed = 1)
        println("round, seconds and seconds of processors: baseline, natural, ratio")
        for number <- 0 until rounds.toInt do
          val runs = round(file, number)
          val (baseline, natural) = (runs(0), runs(1))
          def show(of: Run => Double) =
            f"${of(baseline)}%.2f ${of(natural)}%.2f ${of(baseline) / of(natural)}%.2f"
          println(s"${number + 1}:  ${show(_.seconds)}  ${show(_.cpuSeconds)}")
      finally Files.delete(file)
    case _ => throw IllegalArgumentException("arguments must be ROWS STATIONS ROUNDS")

  /** Runs both programs, in the other order if `number` is odd; fails if their outputs differ. */
  def round(file: Path, number: Int): Seq[Run] =
    val runs = (if number % 2 == 0 then programs else programs.reverse).map(run(_, file))
    if runs.map(_.output).distinct.size != 1 then
      throw IllegalStateException(s"outputs of round $number differ")
    runs.sortBy(_.program)

  /** Runs a program of this package in a JVM of its own. */
  def run(program: String, file: Path): Run =
    val java = Path.of(System.getProperty("java.home"), "bin", "java").toString
    val flags =
      Seq("--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"))
    val command = java +: flags :+ s"billionRows.$program" :+ file.toString
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
