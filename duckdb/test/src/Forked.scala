package undercroft.duckdb

import java.nio.file.Files
import java.util.concurrent.TimeUnit

/** Runs a program that a defect could crash in its own JVM. */
object Forked:
  final case class Ended(exit: Int, out: String)

  private val Seconds = 600L

  /** Runs a main class; returns its exit code and the output of both its streams. */
  def run(main: Class[?], flags: String*): Ended =
    val folder = Files.createTempDirectory("undercroft-duckdb").nn
    val out = folder.resolve("out").nn
    val command = Seq(
      s"${System.getProperty("java.home")}/bin/java",
      "-Xmx512m",
      "--enable-native-access=ALL-UNNAMED",
      s"-XX:ErrorFile=$folder/hs_err.log",
      "-XX:-CreateCoredumpOnCrash",
      "-cp",
      System.getProperty("java.class.path").nn
    ) ++ flags :+ main.getName.nn.stripSuffix("$")
    val process =
      ProcessBuilder(command*).redirectErrorStream(true).redirectOutput(out.toFile).start().nn
    if !process.waitFor(Seconds, TimeUnit.SECONDS) then
      val _ = process.destroyForcibly()
      throw AssertionError(s"no end after $Seconds s: ${command.mkString(" ")}")
    val text = Files.readString(out).nn.linesIterator.filterNot(_.startsWith("Picked up "))
    Ended(process.exitValue, text.mkString("\n"))
  end run
end Forked
