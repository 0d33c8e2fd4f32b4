package undercroft.exchange

import java.io.PrintStream
import java.nio.file.Path
import undercroft.exchange.Json.{Exact, Writer}

/** What real trades came to, for people and as JSON. */
private[exchange] final class RealTradesReport(
    file: Path,
    read: Long,
    rejected: Long,
    rejects: Option[Path],
    balance: BigInt,
    tickets: Seq[(Int, Total)]
):
  private val accepted = read - rejected

  def print(out: PrintStream): Unit =
    val refused = rejects.fold("")(path => s", ${Figures.spaced(rejected)} rejected to $path")
    out.println(
      s"$file: ${Figures.spaced(read)} lines read, ${Figures.spaced(accepted)} accepted$refused"
    )
    out.println()
    val rows = tickets.map: (ticket, total) =>
      Seq(ticket.toString, Figures.spaced(total.count), Figures.spaced(total.value))
    val all = Seq("all", Figures.spaced(accepted), Figures.spaced(balance))
    out.println(Table(Seq("ticket", "trades", "balance"), leftColumns = 0).render(rows :+ all))

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
