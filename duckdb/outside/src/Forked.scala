package outside.duckdb

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

/** Runs a program that a defect could crash in its own JVM. If glibc's checking allocator is
  * available, a double free or a corrupted block ends the JVM, and freed memory is overwritten.
  */
object Forked:
  final case class Ended(exit: Int, out: String)

  private val Seconds = 600L
  private val checker = Path.of("/lib/x86_64-linux-gnu/libc_malloc_debug.so.0")

  /** Runs a main class; returns its exit code and the output of both its streams. */
  def run(main: Class[?], arguments: String*): Ended =
    val folder = Files.createTempDirectory("undercroft-duckdb")
    val out = folder.resolve("out")
    val command = Seq(
      s"${System.getProperty("java.home")}/bin/java",
      "-Xmx256m",
      "--enable-native-access=ALL-UNNAMED",
      s"-XX:ErrorFile=$folder/hs_err.log",
      "-XX:-CreateCoredumpOnCrash",
      "-cp",
      System.getProperty("java.class.path"),
      main.getName
    ) ++ arguments
    val builder = ProcessBuilder(command*).redirectErrorStream(true).redirectOutput(out.toFile)
    val environment = builder.environment
    environment.put("MALLOC_PERTURB_", "165")
    environment.put("MALLOC_ARENA_MAX", "2")
    if Files.exists(checker) then
      environment.put("LD_PRELOAD", checker.toString)
      environment.put("MALLOC_CHECK_", "3")
    val process = builder.start()
    if !process.waitFor(Seconds, TimeUnit.SECONDS) then
      process.destroyForcibly()
      throw AssertionError(s"no end after $Seconds s: ${command.mkString(" ")}")
    val text = Files.readString(out).linesIterator.filterNot(_.startsWith("Picked up "))
    Ended(process.exitValue, text.mkString("\n"))
  end run
end Forked
