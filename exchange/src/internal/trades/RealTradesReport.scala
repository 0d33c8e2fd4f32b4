package undercroft.exchange
package internal.trades

import internal.storage.ExactSum
import internal.text.{Formatting, Json, TextTable}
import java.io.PrintStream
import java.nio.file.Path
import scala.collection.mutable.PriorityQueue
import undercroft.exchange.internal.text.Json.{Exact, Writer}

/** The result of real trades, as text for readers and as JSON. */
private[exchange] final class RealTradesReport(
    file: Path,
    read: Long,
    rejected: Long,
    rejects: Option[Path],
    balance: BigInt,
    tickets: Seq[(Int, ExactSum)]
):
  private val accepted = read - rejected

  def print(out: PrintStream): Unit =
    val refused = rejects.fold("")(path => s", ${Formatting.spaced(rejected)} rejected to $path")
    out.println(
      s"$file: ${Formatting.spaced(read)} lines read, ${Formatting.spaced(accepted)} accepted$refused"
    )
    out.println()
    val largest =
      if tickets.sizeIs <= RealTradesReport.MostPrinted then tickets
      else
        out.println(
          s"The ${RealTradesReport.MostPrinted} of ${Formatting.spaced(tickets.size)} tickets with " +
            "the largest balances, purchases or sales; --json writes all"
        )
        out.println()
        RealTradesReport.largest(tickets)
    val rows = largest.map: (ticket, total) =>
      Seq(ticket.toString, Formatting.spaced(total.count), Formatting.spaced(total.value))
    val sums = Seq("all", Formatting.spaced(accepted), Formatting.spaced(balance))
    val header = Seq("ticket", "trades", "balance")
    out.println(TextTable.render(header, leftColumns = 0, rows :+ sums))
  end print

  def json: String =
    val byTicket = tickets.map: (ticket, total) =>
      TicketJson(ticket, total.count, Exact(total.value))
    Json.text(RealTradesJson(file.toString, read, accepted, rejected, Exact(balance), byTicket))
end RealTradesReport

private[exchange] object RealTradesReport:
  /** Tickets that the table shows; JSON has all. */
  val MostPrinted = 20

  /** The tickets with the largest absolute balances, the largest one first. */
  private def largest(tickets: Seq[(Int, ExactSum)]): Seq[(Int, ExactSum)] =
    // The smallest of the candidates is at the head.
    val candidates = PriorityQueue.empty[(size: BigInt, ticket: Int, total: ExactSum)](
      using Ordering.by(entry => (-entry.size, entry.ticket))
    )
    for (ticket, total) <- tickets do
      candidates += ((total.value.abs, ticket, total))
      if candidates.size > MostPrinted then candidates.dequeue(): Unit
    candidates.dequeueAll.reverse.map(entry => (entry.ticket, entry.total))

/** The shape of `--from --json`, in the order of its keys. */
private[exchange] final case class RealTradesJson(
    file: String,
    read: Long,
    accepted: Long,
    rejected: Long,
    balance: Exact,
    tickets: Seq[TicketJson]
) derives Writer

private[exchange] final case class TicketJson(ticket: Int, trades: Long, balance: Exact)
    derives Writer
