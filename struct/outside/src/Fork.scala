package outside.struct

import java.nio.file.Files
import java.util.concurrent.TimeUnit
import scala.jdk.CollectionConverters.*

/** Runs a main method in a separate JVM, which may crash or have other limits. */
object Fork:
  final case class Result(exit: Int, output: String)

  private val Granted = List("--enable-native-access=ALL-UNNAMED")
  val Denied: List[String] = List("--illegal-native-access=deny")
  private val Seconds = 300L

  /** @param shell
    *   commands to run first, such as `ulimit -v 1000;`
    */
  def run(
      main: String,
      arguments: List[String] = Nil,
      flags: List[String] = Granted,
      shell: String = ""
  ): Result =
    val folder = Files.createTempDirectory("fork")
    val output = folder.resolve("output.txt")
    val java = s"${System.getProperty("java.home")}/bin/java"
    val command = List(java, "-Xms32m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData") ++
      List(s"-XX:ErrorFile=$folder/error.log", "-XX:CompressedClassSpaceSize=64m") ++ flags ++
      List("-cp", System.getProperty("java.class.path"), main) ++ arguments
    val whole =
      if shell.isEmpty then command
      else List("bash", "-c", s"$shell exec ${command.map(part => s"'$part'").mkString(" ")}")
    try
      val process =
        ProcessBuilder(whole.asJava).redirectErrorStream(true).redirectOutput(output.toFile).start()
      if !process.waitFor(Seconds, TimeUnit.SECONDS) then
        process.destroyForcibly().waitFor()
        Result(-1, s"no end after $Seconds s: ${Files.readString(output)}")
      else Result(process.exitValue, Files.readString(output))
    finally
      Files.list(folder).iterator.asScala.foreach(Files.delete)
      Files.delete(folder)
  end run
end Fork
