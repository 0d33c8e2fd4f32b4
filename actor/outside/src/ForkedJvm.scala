package outside.actor

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

/** Runs a program in a new JVM, with its own heap, limits and process state. */
object ForkedJvm:
  final case class Ended(exit: Int, out: String):
    /** The last line of the output: the JVM and the runtime may log lines before. */
    def last: String = out.linesIterator.toList.lastOption.getOrElse("")

  /** The timeout of a program, in minutes. */
  private val Minutes = 8L

  private val launcher = s"${System.getProperty("java.home")}/bin/java"

  /** Runs a main class of the tests.
    *
    * @param shell
    *   shell commands to run before, such as `ulimit -v 1000000;`
    */
  def run(main: String, flags: Seq[String], args: Seq[String] = Nil, shell: String = ""): Ended =
    val folder = Files.createTempDirectory("forked")
    val out = folder.resolve("out.txt")
    try
      val process = started(main, flags, args, shell, out)
      if !process.waitFor(Minutes, TimeUnit.MINUTES) then
        val _ = process.destroyForcibly()
        throw AssertionError(s"$main did not end in $Minutes minutes: ${Files.readString(out)}")
      Ended(process.exitValue, said(out))
    finally delete(folder)

  /** Starts a main class, sends it SIGTERM when it has printed `ready`, and waits for it to exit.
    */
  def terminate(main: String, flags: Seq[String]): Ended =
    val folder = Files.createTempDirectory("forked")
    val out = folder.resolve("out.txt")
    try
      val process = started(main, flags, Nil, "", out)
      var looks = 0
      while process.isAlive && looks < 60_000 && !Files.readString(out).contains("ready") do
        looks += 1
        Thread.sleep(5)
      process.destroy()
      if !process.waitFor(Minutes, TimeUnit.MINUTES) then
        val _ = process.destroyForcibly()
        throw AssertionError(s"$main did not end in $Minutes minutes: ${Files.readString(out)}")
      Ended(process.exitValue, said(out))
    finally delete(folder)

  private def started(
      main: String,
      flags: Seq[String],
      args: Seq[String],
      shell: String,
      out: Path
  ): Process =
    val command = Seq(launcher, "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED") ++
      Seq(s"-XX:ErrorFile=${out.getParent}/hs_err.log") ++ flags ++
      Seq("-cp", System.getProperty("java.class.path"), main) ++ args
    val whole =
      if shell.isEmpty then command
      else Seq("bash", "-c", s"$shell exec ${command.map(part => s"'$part'").mkString(" ")}")
    ProcessBuilder(whole*).redirectErrorStream(true).redirectOutput(out.toFile).start()

  // A JVM first prints the options that it takes from the environment.
  private def said(out: Path): String =
    Files.readString(out).linesIterator.dropWhile(_.startsWith("Picked up ")).mkString("\n")

  private def delete(folder: Path): Unit =
    val files = Files.list(folder)
    try files.forEach(file => Files.delete(file))
    finally files.close()
    Files.delete(folder)
end ForkedJvm
