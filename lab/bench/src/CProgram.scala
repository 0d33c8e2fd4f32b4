package undercroft.lab.bench

import java.io.{BufferedReader, InputStreamReader, PrintStream}
import java.nio.file.{Files, Path}

/** A program of `lab/c` as a process that reads one command in each line and returns a number.
  *
  * The process lives as long as the fork, so that its second day is a second day there too; a
  * command through the pipe costs some tens of microseconds, which count for C's side.
  */
final class CProgram private (process: Process) extends AutoCloseable:
  private val commands = PrintStream(process.getOutputStream.nn, true)
  private val answers = BufferedReader(InputStreamReader(process.getInputStream))

  def ask(command: String): Long =
    commands.println(command)
    Option(answers.readLine()).map(_.nn) match
      case Some(number) if !number.startsWith("error") => number.toLong
      case other => throw IllegalStateException(s"C answered $other to: $command")

  def close(): Unit =
    commands.close()
    process.waitFor()
    ()
end CProgram

object CProgram:
  /** The path of the compiled program; absent if the build had no C compiler. */
  def of(name: String): Option[Path] =
    Option(System.getenv("UNDERCROFT_LAB_C")).map(Path.of(_, name).nn).filter(Files.exists(_))

  def start(name: String): CProgram =
    val path = of(name).getOrElse(throw IllegalStateException("no gcc on the PATH: C is skipped"))
    CProgram(
      ProcessBuilder(path.toString).redirectError(ProcessBuilder.Redirect.INHERIT).nn.start().nn
    )
end CProgram
