package undercroft.exchange

import java.io.PrintStream
import undercroft.memory.MemoryException

/** The trading day: runs every storage and shows what each of them costs. */
object Main:
  def main(args: Array[String]): Unit =
    System.exit(run(args.toSeq, System.out.nn, System.err.nn))

  /** Runs a command line and answers its exit code: 0 done, 1 failed, 2 bad input or usage. */
  def run(args: Seq[String], out: PrintStream, err: PrintStream): Int =
    try
      val options = Options.parse(args)
      if options.help.value then
        out.println(Options.help)
        0
      else
        options.from match
          case Some(file) => RealTrades.of(options, file).run(out, err)
          case None       => TradingDay.of(options).run(out, err)
    catch
      case bad: BadInput =>
        err.println(s"exchange: ${bad.getMessage}")
        2
      case failed: (Failed | MemoryException) =>
        err.println(s"exchange: ${failed.getMessage}")
        1
end Main

/** Words about work that failed for no fault of its input; the exchange ends with exit code 1. */
final class Failed(words: String) extends RuntimeException(words)
