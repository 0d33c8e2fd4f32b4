package undercroft.exchange

import internal.storage.{ExactSum, Trade}
import scala.collection.mutable.LongMap
import undercroft.memory.Region
import undercroft.struct.*

/** An unlimited number of off-heap trades: appended as they arrive, balanced at the end. Confined
  * to one thread. Throws MemoryLimitException when the memory limit of the process is reached.
  */
private[exchange] final class Book private (trades: GrowingTable[Trade, Aligned]):

  def +=(trade: Trade): Unit =
    trades += trade

  /** The exact balance of all trades. */
  def balance: BigInt = trades.exactSumOf(_.balance)

  /** Keeps all trades in a new file, sealed. */
  def save(file: java.nio.file.Path): Unit = SavedDay.keep(file, trades)

  /** The exact balance of each ticket, by rising ticket. Takes heap for each ticket, not for each
    * trade.
    */
  def byTicket: Seq[(Int, ExactSum)] =
    val totals = LongMap.empty[ExactSum]
    trades.foreach: trade =>
      totals.getOrElseUpdate(trade.ticket, ExactSum()).add(trade.balance)
    totals.toSeq.map((ticket, total) => (ticket.toInt, total)).sortBy(_(0))
end Book

private[exchange] object Book:

  /** Runs `body` with an empty book, and frees its trades at the end. */
  def scoped[A](body: Book => A): A =
    Region.named("book"):
      body(new Book(Rows.growing[Trade]))
