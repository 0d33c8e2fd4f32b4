package undercroft.exchange
package internal.run

import internal.storage.{StockExchange, Storage}

/** The result of one day, and the time of each part. `totalNanos` includes the opening, the
  * recording, the balance and the closing; the opening counts as recording.
  */
final case class Day(balance: BigInt, recordNanos: Long, balanceNanos: Long, totalNanos: Long)

/** The trades that every storage records: trade i, from 0, has the ticket, the amount and the price
  * i, and is a buy if i is even. From i = 2^31 on, i begins again at 0.
  */
object Day:

  /** Trades recorded between two looks at the clock. */
  private val Block = 1L << 18

  /** One day of `trades` trades from opening to closing.
    *
    * @param progress
    *   is called now and then with the number of recorded trades
    * @param beforeClose
    *   is called between the balance and the closing, off the clock
    */
  def of(storage: Storage, trades: Long, progress: Long => Unit)(
      beforeClose: StockExchange => Unit
  ): Day =
    val opened = System.nanoTime
    val exchange = storage.open(trades)
    try
      record(exchange, trades, progress)
      val recorded = System.nanoTime
      val balance = exchange.dayBalance
      val balanced = System.nanoTime
      beforeClose(exchange)
      val closing = System.nanoTime
      exchange.close()
      val total = balanced - opened + (System.nanoTime - closing)
      Day(balance, recorded - opened, balanced - recorded, total)
    catch
      case failure: Throwable =>
        exchange.close()
        throw failure
  end of

  /** The balance that every storage must come to, by arithmetic alone: the alternating sum of the
    * first squares is a triangular number.
    */
  def balance(trades: Long): BigInt =
    val whole = trades / Period
    alternatingSquares(Period) * whole + alternatingSquares(trades - whole * Period)

  private val Period = Int.MaxValue + 1L

  private def alternatingSquares(count: Long): BigInt =
    val triangle = BigInt(count) * (count - 1) / 2
    if count % 2 == 0 then -triangle else triangle

  def record(exchange: StockExchange, trades: Long, progress: Long => Unit): Unit =
    var from = 0L
    while from < trades do
      val until = math.min(from + Block, trades)
      record(exchange, from, until)
      progress(until)
      from = until

  private def record(exchange: StockExchange, from: Long, until: Long): Unit =
    var trade = from
    while trade < until do
      val i = (trade & Int.MaxValue).toInt
      exchange.order(i, i, i, (i & 1) == 0)
      trade += 1
end Day
