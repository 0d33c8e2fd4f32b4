package outside.buffer

import java.nio.file.Files
import java.util.concurrent.TimeUnit

/** Runs a main method in a separate JVM. */
object ForkedJvm:
  final case class Result(exit: Int, output: String)

  private val Seconds = 600L

  def run(main: Class[?], flags: String*): Result =
    val folder = Files.createTempDirectory("forked")
    val output = folder.resolve("output")
    val command = List(
      s"${System.getProperty("java.home")}/bin/java",
      "-Xmx256m",
      "-XX:+UseSerialGC",
      s"-XX:ErrorFile=$folder/hs_err.log",
      "-XX:-CreateCoredumpOnCrash"
    ) ++ flags ++
      List("-cp", System.getProperty("java.class.path"), main.getName.stripSuffix("$"))
    try
      val process =
        ProcessBuilder(command*).redirectErrorStream(true).redirectOutput(output.toFile).start()
      if !process.waitFor(Seconds, TimeUnit.SECONDS) then
        process.destroyForcibly().waitFor(): Unit
        throw AssertionError(s"no end after $Seconds s: ${Files.readString(output)}")
      Result(process.exitValue, Files.readString(output))
    finally
      val files = Files.list(folder)
      try files.forEach(Files.delete(_))
      finally files.close()
      Files.delete(folder)
  end run
end ForkedJvm
