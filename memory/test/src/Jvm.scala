package undercroft.memory

import java.util.concurrent.TimeUnit

/** Forks a JVM for tests that need other flags or other limits. */
object Jvm:
  final case class Result(exit: Int, out: String)

  /** Time limit of a forked JVM in seconds. */
  private val Seconds = 600L

  /** Runs a main method with the given flags and returns its output of both streams.
    *
    * @param shell
    *   shell commands run before it, such as `ulimit -v 1000;`
    * @param within
    *   a command that runs the shell, such as `unshare`
    */
  def run(
      main: Class[?],
      flags: Seq[String],
      args: Seq[String] = Nil,
      shell: String = "",
      within: List[String] = Nil
  ): Result =
    val launcher = s"${System.getProperty("java.home")}/bin/java"
    val name = main.getName.nn.stripSuffix("$")
    val path = System.getProperty("java.class.path").nn
    val command = List(launcher, "-Xms32m", "-Xmx256m", "-XX:-UsePerfData") ++ flags ++
      List("-cp", path, name) ++ args
    val whole =
      if shell.isEmpty then command
      else
        within ++ List(
          "bash",
          "-c",
          s"$shell exec ${command.map(part => s"'$part'").mkString(" ")}"
        )
    val out = java.nio.file.Files.createTempFile("forked", ".txt")
    try
      val process =
        ProcessBuilder(whole*).redirectErrorStream(true).redirectOutput(out.toFile).start()
      if !process.waitFor(Seconds, TimeUnit.SECONDS) then
        val _ = process.destroyForcibly()
        throw AssertionError(s"no end after $Seconds s: ${whole.mkString(" ")}")
      // A JVM first prints the flags it takes from the environment.
      val lines =
        java.nio.file.Files.readString(out).linesIterator.dropWhile(_.startsWith("Picked up "))
      Result(process.exitValue, lines.mkString("\n"))
    finally java.nio.file.Files.deleteIfExists(out): Unit
  end run

  val granted: Seq[String] = Seq("--enable-native-access=ALL-UNNAMED")
  val denied: Seq[String] = Seq("--illegal-native-access=deny")
end Jvm
