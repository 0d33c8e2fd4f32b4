package undercroft.lab.bench

import java.io.{BufferedReader, InputStreamReader, PrintStream}
import java.nio.file.{Files, Path}

/** The trading day in C: `lab/c/trades.c` as a process that is told a command and answers.
  *
  * The process lives as long as the fork, so that its second day is a second day there too; a
  * command through the pipe costs some tens of microseconds, which count for C's side.
  */
final class CTrades private (process: Process) extends AutoCloseable:
  private val commands = PrintStream(process.getOutputStream.nn, true)
  private val answers = BufferedReader(InputStreamReader(process.getInputStream))

  /** Records `trades` trades and takes the balance; `memory` is `malloc` or `huge`. */
  def day(layout: String, memory: String, trades: Long): Long =
    ask(s"day $layout $memory $trades")

  /** Fills memory that was touched before with `trades` trades, `rounds` times; the last ticket. */
  def grow(layout: String, trades: Long, rounds: Long): Long =
    ask(s"grow $layout $trades $rounds")

  private def ask(command: String): Long =
    commands.println(command)
    Option(answers.readLine()).map(_.nn) match
      case Some(number) if !number.startsWith("error") => number.toLong
      case other => throw IllegalStateException(s"C answered $other to: $command")

  def close(): Unit =
    commands.close()
    process.waitFor()
    ()
end CTrades

object CTrades:
  /** Where the build put the compiled program; absent where there is no C compiler. */
  def program: Option[Path] =
    Option(System.getenv("UNDERCROFT_LAB_C")).map(Path.of(_, "trades").nn).filter(Files.exists(_))

  def start(): CTrades =
    val path = program.getOrElse(throw IllegalStateException("no gcc on the PATH: C is skipped"))
    CTrades(
      ProcessBuilder(path.toString).redirectError(ProcessBuilder.Redirect.INHERIT).nn.start().nn
    )
end CTrades
