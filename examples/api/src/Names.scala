package examples.api

import java.nio.file.{Files, Path}
import undercroft.actor.{ActorRef, Behavior}
import undercroft.actor.persistence.{Effect, Journal, Persistent}
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

  final case class Total(sum: Long) derives Struct
  final case class Added(amount: Long) derives Struct
  final case class Add(amount: Long, to: ActorRef[Long])

  def counter(journal: Journal[Added, Total], id: Long): Behavior[Add] =
    Persistent(journal, id, Total(0))(
      command = (total, add) =>
        Effect.persist(Added(add.amount)).thenReply(add.to)(total => total.sum),
      event = (total, added) => Total(total.sum + added.amount)
    )
end Names
