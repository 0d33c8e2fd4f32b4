package undercroft.lab.bench

import java.io.{BufferedReader, InputStreamReader, PrintStream}
import java.nio.file.{Files, Path}

/** Small writes in C: `lab/c/output.c` as a process that is told a command and answers. */
final class COutput private (process: Process) extends AutoCloseable:
  private val commands = PrintStream(process.getOutputStream.nn, true)
  private val answers = BufferedReader(InputStreamReader(process.getInputStream))

  ask(s"lengths ${Pieces.lengths.mkString(" ")}"): Unit

  /** Writes `bytes` bytes `rounds` times; the bytes of the last round. */
  def write(load: String, pages: String, bytes: Long, rounds: Long): Long =
    ask(s"write $load $pages $bytes $rounds")

  private def ask(command: String): Long =
    commands.println(command)
    Option(answers.readLine()).map(_.nn) match
      case Some(number) if !number.startsWith("error") => number.toLong
      case other => throw IllegalStateException(s"C answered $other to: $command")

  def close(): Unit =
    commands.close()
    process.waitFor()
    ()
end COutput

object COutput:
  /** Where the build put the compiled program; absent where there is no C compiler. */
  def program: Option[Path] =
    Option(System.getenv("UNDERCROFT_LAB_C")).map(Path.of(_, "output").nn).filter(Files.exists(_))

  def start(): COutput =
    val path = program.getOrElse(throw IllegalStateException("no gcc on the PATH: C is skipped"))
    COutput(
      ProcessBuilder(path.toString).redirectError(ProcessBuilder.Redirect.INHERIT).nn.start().nn
    )
end COutput

/** Pieces of 1 to 47 bytes, 24 in the mean, of one block: what a serializer writes. */
object Pieces:
  val lengths: Array[Int] =
    val random = java.util.Random(5)
    Array.fill(256)(1 + random.nextInt(47))
  val block: Array[Byte] = Array.tabulate(4096)(_.toByte)
end Pieces
