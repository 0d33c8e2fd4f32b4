package examples.api

import java.nio.file.{Files, Path}
import undercroft.memory.*
import undercroft.struct.*

/** What examples of doc comments use without a definition, because their reader knows it. */
object Names:
  final case class Trade(ticket: Int, price: Int, amount: Int, buy: Boolean) derives Struct:
    def balance: Long = price.toLong * amount

  final case class Bill(ticket: Int, price: Int) derives Struct

  given allocator: Allocator = Region.shared("examples")

  private def trade(i: Long): Trade = Trade(i.toInt, i.toInt % 300, i.toInt % 7, i % 2 == 0)

  def rows: Rows[Trade] = Rows.tabulate[Trade](1000)(trade)
  def trades: Rows[Trade] = rows
  def columns: Columns[Trade] = Columns.tabulate[Trade](1000)(trade)

  /** One file for all examples, in the order of their lines. */
  val path: Path = Files.createTempDirectory("undercroft-examples-").resolve("day.bills")
end Names
