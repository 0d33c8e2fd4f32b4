package undercroft.exchange

import scala.collection.mutable.{ArrayBuffer, LongMap}

/** Trades without end: kept as they come, balanced at the end. For one thread. */
private[exchange] final class Ledger private ():
  private val trades = ArrayBuffer.empty[Trade]

  def +=(trade: Trade): Unit = trades += trade

  /** The exact balance of all trades. */
  def balance: BigInt =
    val total = Total()
    trades.foreach(trade => total.add(trade.balance))
    total.value

  /** The exact balance of each ticket, by rising ticket. */
  def byTicket: Seq[(Int, Total)] =
    val totals = LongMap.empty[Total]
    trades.foreach(trade => totals.getOrElseUpdate(trade.ticket, Total()).add(trade.balance))
    totals.toSeq.map((ticket, total) => (ticket.toInt, total)).sortBy(_(0))
end Ledger

private[exchange] object Ledger:
  def scoped[A](body: Ledger => A): A = body(new Ledger())
