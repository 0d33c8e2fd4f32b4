package undercroft.lab.bench

import java.io.{BufferedReader, InputStreamReader, PrintStream}
import java.nio.file.{Files, Path}

/** Erlang's side: `lab/erlang/src/ring.erl` as a process that reads commands and writes results. */
final class ErlangRing private (process: Process) extends AutoCloseable:
  private val commands = PrintStream(process.getOutputStream.nn, true)
  private val answers = BufferedReader(InputStreamReader(process.getInputStream))

  /** Sends a command and returns the line of its result. */
  def ask(command: String): String =
    commands.println(command)
    Option(answers.readLine()).map(_.nn).getOrElse:
      throw IllegalStateException(s"Erlang ended at: $command")

  /** The processor time that the process has used. */
  def cpuMillis: Long = process.info.nn.totalCpuDuration.nn.map(_.nn.toMillis).orElse(0L)

  def close(): Unit =
    commands.close()
    val _ = process.waitFor()
end ErlangRing

object ErlangRing:
  /** The folder of the compiled program; absent if the build had no Erlang. */
  def folder: Option[Path] =
    Option(System.getenv("UNDERCROFT_LAB_ERLANG"))
      .map(Path.of(_).nn)
      .filter(path => Files.exists(path.resolve("ring.beam")))

  def start(): ErlangRing =
    val path =
      folder.getOrElse(throw IllegalStateException("no erl on the PATH: Erlang is skipped"))
    val command = ProcessBuilder("erl", "-noshell", "-pa", path.toString, "-s", "ring", "main")
    ErlangRing(command.redirectError(ProcessBuilder.Redirect.INHERIT).nn.start().nn)
