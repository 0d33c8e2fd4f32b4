package undercroft.lab.bench

/** The trading day in C: `lab/c/trades.c`. */
final class CTrades private (program: CProgram) extends AutoCloseable:
  /** Records `trades` trades and takes the balance; `memory` is `malloc` or `huge`. */
  def day(layout: String, memory: String, trades: Long): Long =
    program.ask(s"day $layout $memory $trades")

  /** Fills memory that was touched before with `trades` trades, `rounds` times; returns the last
    * ticket.
    */
  def grow(layout: String, trades: Long, rounds: Long): Long =
    program.ask(s"grow $layout $trades $rounds")

  def close(): Unit = program.close()
end CTrades

object CTrades:
  def program: Option[java.nio.file.Path] = CProgram.of("trades")
  def start(): CTrades = CTrades(CProgram.start("trades"))
