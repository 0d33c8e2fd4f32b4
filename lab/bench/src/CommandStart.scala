package undercroft.lab.bench

// How long does the command `undercroft` take from its start to its end, for the head of a table?

import java.io.{File, PrintStream}
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*
import undercroft.cli.Main

/** A call is a whole process of the launcher, which has created its cache of classes before. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2)
@Measurement(iterations = 9)
class CommandStart extends Measured:
  @Param(Array("help", "schema", "head")) var command = ""

  private var file = Path.of("").nn

  @Setup def make(): Unit =
    val csv = LabFiles.path("sold.csv")
    file = csv.resolveSibling("sold.cols")
    java.nio.file.Files.writeString(csv, (1 to 1000).map(i => s"$i,$i").mkString("a,b\n", "\n", ""))
    val silent = PrintStream(java.io.OutputStream.nullOutputStream)
    val code = Main.run(Seq("convert", csv.toString, file.toString), silent, System.err.nn)
    if code != 0 then throw IllegalStateException(s"convert ended with $code")

  @TearDown def close(): Unit = LabFiles.delete(file)

  @Benchmark def run(): Long =
    val words = if command == "help" then Seq("--help") else Seq(command, file.toString)
    val launcher = s"${System.getenv("UNDERCROFT_LAB_COMMAND")}/bin/undercroft"
    val builder = ProcessBuilder((launcher +: words)*)
    builder.environment.put("JAVA_HOME", System.getProperty("java.home"))
    builder.redirectInput(File("/dev/null")).redirectError(ProcessBuilder.Redirect.INHERIT)
    val process = builder.start()
    val lines = process.inputReader.nn.lines.nn.count
    if process.waitFor() != 0 then
      throw IllegalStateException(s"$command ended with ${process.exitValue}")
    lines
end CommandStart
