package turns

// Runs programs in turns, each as a process of its own, for all jobs.

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

/** A process: its output, and its seconds from start to end and of processors. */
case class Run(program: String, output: String, seconds: Double, cpuSeconds: Double)

/** Runs all programs, in the other order if `number` is odd; fails if their answers differ. */
def round(programs: Seq[String], number: Int)(run: String => Run)(answer: Run => Any): Seq[Run] =
  val runs =
    for program <- if number % 2 == 0 then programs else programs.reverse yield run(program)
  for other <- runs if answer(other) != answer(runs.head) do
    throw IllegalStateException(
      s"the answers of ${runs.head.program} and ${other.program} differ in round $number"
    )
  runs.sortBy(run => programs.indexOf(run.program))

/** Runs a class of this class path in a JVM of its own. */
def runJava(program: String, mainClass: String, flags: Seq[String], arguments: String*): Run =
  val java = Path.of(System.getProperty("java.home"), "bin", "java").toString
  val path = Seq("-cp", System.getProperty("java.class.path"))
  val all = java +: "--enable-native-access=ALL-UNNAMED" +: flags
  runProcess(program, (all ++ path :+ mainClass) ++ arguments)

def runProcess(program: String, command: Seq[String]): Run =
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
