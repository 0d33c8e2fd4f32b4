package undercroft.cli

import java.io.PrintStream
import undercroft.arrow.{ArrowErrorKind, ArrowException}
import undercroft.duckdb.DuckDbException
import undercroft.file.format.{ErrorKind, StructFileException}
import undercroft.memory.MemoryException

/** The command `undercroft`. */
object Main:
  def main(args: Array[String]): Unit =
    System.exit(run(args.toSeq, System.out.nn, System.err.nn))

  /** Runs a command line. Returns its exit code: 0 done; 1 failed, or different files; 2 bad input
    * or usage.
    */
  def run(args: Seq[String], out: PrintStream, err: PrintStream): Int =
    val console = Console(out, err)
    try Commands.parse(args).run(console)
    catch
      case bad: BadInput               => ended(console, 2, bad.getMessage)
      case file: StructFileException   => ended(console, codeOf(file.kind), file.getMessage)
      case file: ArrowException        => ended(console, codeOf(file.kind), file.getMessage)
      case query: DuckDbException      => ended(console, 2, query.getMessage)
      case many: IllegalStateException => ended(console, 2, many.getMessage)
      case failed: Failed              => ended(console, 1, failed.getMessage)
      case memory: MemoryException     => ended(console, 1, memory.getMessage)
      case memory: OutOfMemoryError =>
        ended(console, 1, s"the heap is too small: ${memory.getMessage}; set it by -Xmx")

  private def ended(console: Console, code: Int, message: String | Null): Int =
    console.err.println(s"undercroft: $message")
    code

  /** 1 for errors of the machine, 2 for errors of the input. */
  private def codeOf(kind: ErrorKind): Int = kind match
    case ErrorKind.NO_SPACE | ErrorKind.UNREADABLE => 1
    case _                                         => 2

  private def codeOf(kind: ArrowErrorKind): Int = kind match
    case ArrowErrorKind.NoSpace | ArrowErrorKind.Unreadable => 1
    case _                                                  => 2
end Main
