package undercroft.exchange

import java.io.PrintStream
import java.nio.file.Path
import undercroft.exchange.Json.{Exact, Writer}

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
    val rows = tickets.map: (ticket, total) =>
      Seq(ticket.toString, Formatting.spaced(total.count), Formatting.spaced(total.value))
    val sums = Seq("all", Formatting.spaced(accepted), Formatting.spaced(balance))
    out.println(TextTable(Seq("ticket", "trades", "balance"), leftColumns = 0).render(rows :+ sums))

  def json: String =
    val byTicket = tickets.map: (ticket, total) =>
      TicketJson(ticket, total.count, Exact(total.value))
    Json.text(RealTradesJson(file.toString, read, accepted, rejected, Exact(balance), byTicket))
end RealTradesReport

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
