package undercroft.cli

import internal.csv.CsvSource
import internal.io.{BadInput, Console, Failed, StandardOutput}
import java.io.{BufferedOutputStream, FileDescriptor, FileOutputStream, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8
import scala.util.control.NonFatal
import undercroft.arrow.{ArrowErrorKind, ArrowException}
import undercroft.duckdb.DuckDbException
import undercroft.file.format.{ErrorKind, StructFileException}
import undercroft.memory.MemoryException

/** The command `undercroft`. */
object Main:
  def main(args: Array[String]): Unit =
    val standard = StandardOutput(FileOutputStream(FileDescriptor.out))
    // In UTF-8 also under another locale, whose charset may lack characters of the result.
    val out = PrintStream(BufferedOutputStream(standard), true, UTF_8)
    System.exit(run(args.toSeq, out, System.err.nn))

  /** Runs a command line. Returns its exit code: 0 done; 1 failed, also to write to `out`, or
    * different files; 2 bad input or usage. An internal error is 1, with its stack trace.
    */
  def run(args: Seq[String], out: PrintStream, err: PrintStream): Int =
    val console = Console(out, err)
    val code = completed(args, console)
    // A PrintStream throws nothing.
    if out.checkError() then
      Math.max(code, ended(console, 1, "the result cannot be written to standard output"))
    else code

  private def completed(args: Seq[String], console: Console): Int =
    try Commands.parse(args).run(console)
    catch
      case bad: BadInput             => ended(console, 2, bad.getMessage)
      case file: StructFileException => ended(console, codeOf(file.kind), file.getMessage)
      case file: ArrowException      => ended(console, codeOf(file.kind), file.getMessage)
      case query: DuckDbException =>
        val message = query.getMessage.nn
        ended(console, codeOf(query), CsvSource.lineError(message).getOrElse(message))
      case failed: Failed          => ended(console, 1, failed.getMessage)
      case memory: MemoryException => ended(console, 1, memory.getMessage)
      // A value that a scan cannot read, SQL that is refused, too many rows, or a schema that no
      // file can have.
      case refused: (ArithmeticException | NoSuchElementException | IllegalArgumentException |
            IllegalStateException) if isOfLibrary(refused) =>
        ended(console, 2, refused.getMessage)
      case memory: OutOfMemoryError =>
        ended(console, 1, s"the heap is too small: ${memory.getMessage}; set it by -Xmx")
      case NonFatal(internal) =>
        internal.printStackTrace(console.err)
        1

  /** Whether a library of the project has thrown the exception itself, with a message about the
    * input. One that the command or a method such as `Option.get` has thrown is an internal error.
    */
  private def isOfLibrary(failure: Throwable): Boolean =
    failure.getMessage != null && failure.getStackTrace.toSeq.headOption.exists(isInLibrary)

  private def isInLibrary(frame: StackTraceElement): Boolean =
    val owner = frame.getClassName.nn
    owner.startsWith("undercroft.") && !owner.startsWith("undercroft.cli.")

  private def ended(console: Console, code: Int, message: String | Null): Int =
    console.err.println(s"undercroft: $message")
    code

  /** 1 for errors of the machine, 2 for errors of the input. */
  private[cli] def codeOf(kind: ErrorKind): Int = kind match
    case ErrorKind.NO_SPACE | ErrorKind.UNREADABLE => 1
    case _                                         => 2

  private def codeOf(kind: ArrowErrorKind): Int = kind match
    case ArrowErrorKind.NoSpace | ArrowErrorKind.Unreadable => 1
    case _                                                  => 2

  /** An error with code 0 is one of the library that cannot be loaded. */
  private def codeOf(query: DuckDbException): Int =
    if query.code == 0 || query.getMessage.nn.matches(MachineErrors) then 1 else 2

  private val MachineErrors = "(?s)Out of Memory Error: .*|IO Error: .*No space left on device.*"
end Main
