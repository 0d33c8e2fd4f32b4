package undercroft.actor

import java.nio.file.Files
import java.util.concurrent.TimeUnit

/** A separate JVM, for settings that are read when it starts. */
object Jvm:
  /** Runs a main class of the tests with these JVM options, and returns its output. */
  def run(main: String, options: String*): String =
    val out = Files.createTempFile("undercroft", ".out")
    val java = s"${System.getProperty("java.home")}/bin/java"
    val command = Seq(java, "-Xmx256m", "--enable-native-access=ALL-UNNAMED") ++ options ++
      Seq("-cp", System.getProperty("java.class.path"), main)
    try
      val process = ProcessBuilder(command*).redirectErrorStream(true).redirectOutput(out.toFile)
        .start()
      if !process.waitFor(5, TimeUnit.MINUTES) then
        process.destroyForcibly()
        throw IllegalStateException(s"$main does not end: ${Files.readString(out)}")
      // A JVM first prints the options that it takes from the environment.
      val output =
        Files.readString(out).linesIterator.dropWhile(_.startsWith("Picked up ")).mkString("\n")
      if process.exitValue != 0 then
        throw IllegalStateException(s"$main ended with ${process.exitValue}: $output")
      output
    finally Files.delete(out)
  end run
end Jvm
