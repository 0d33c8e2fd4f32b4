package undercroft.exchange

import internal.options.{ExchangeOptions, NamedFiles}
import java.io.{BufferedOutputStream, FileDescriptor, FileOutputStream, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8
import undercroft.duckdb.DuckDbException
import undercroft.file.format.{ErrorKind, StructFileException}
import undercroft.memory.MemoryException

/** The trading day: runs every storage and shows the cost of each. */
object Main:
  def main(args: Array[String]): Unit =
    // In UTF-8 also under another locale, whose charset may lack characters of the result.
    val out = PrintStream(BufferedOutputStream(FileOutputStream(FileDescriptor.out)), true, UTF_8)
    System.exit(run(args.toSeq, out, System.err.nn))

  /** Errors of the machine, not of the input. */
  private val Failing = java.util.EnumSet.of(ErrorKind.NO_SPACE, ErrorKind.UNREADABLE).nn

  /** Runs a command line. Returns its exit code: 0 done; 1 failed, also to write to `out`; 2 bad
    * input or usage.
    */
  def run(args: Seq[String], out: PrintStream, err: PrintStream): Int =
    val code = completed(args, out, err)
    // A PrintStream throws nothing.
    if out.checkError() then
      err.println("exchange: the result cannot be written to standard output")
      Math.max(code, 1)
    else code

  private def completed(args: Seq[String], out: PrintStream, err: PrintStream): Int =
    try
      val options = ExchangeOptions.parse(args)
      if options.help.value then
        out.println(ExchangeOptions.help)
        0
      else
        NamedFiles.checkDistinct(options)
        if options.sql.isDefined && options.open.isEmpty then
          throw BadInput("--sql is over the trades of --open, which is not given")
        options.from match
          case Some(file) if options.open.isEmpty => RealTrades.of(options, file).run(out, err)
          case None if options.open.isEmpty && options.save.isEmpty =>
            TradingDay.of(options).run(out, err)
          case _ => SavedDay.of(options).run(out, err)
    catch
      case file: StructFileException =>
        err.println(s"exchange: ${file.getMessage}")
        if Failing.contains(file.kind) then 1 else 2
      case bad: BadInput =>
        err.println(s"exchange: ${bad.getMessage}")
        2
      case failed: (Failed | MemoryException | DuckDbException) =>
        err.println(s"exchange: ${failed.getMessage}")
        1
      case memory: OutOfMemoryError =>
        err.println(s"exchange: the heap is too small: ${memory.getMessage}; set it by -Xmx")
        1
end Main
