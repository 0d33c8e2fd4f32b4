package undercroft.lab.stress

import java.util.function.{Consumer, LongConsumer}
import undercroft.memory.{MemoryException, Region}
import undercroft.struct.{Ref, Rows}

/** What Java cannot say of appending to tables of a scope. */
object Appends:
  import Tables.Tick

  /** Opens a scope, appends a row of the value, hands out its reference, and appends another. */
  def publish(value: Long, receiver: LongConsumer): Unit =
    Region.scoped:
      val rows = Rows.growingTo[Tick](100)
      rows += Tick(value)
      receiver.accept(Ref.address(rows.ref(0)).bits)
      rows += Tick(value)

  /** A table that appends a row, with what came of it in a word. */
  final class Appender(append: () => Unit):
    def attempt(): String =
      try
        append()
        "appended"
      catch case _: (MemoryException | WrongThreadException) => "refused"

  /** What appends rows of the value to a new table of the region. */
  def in(region: Region, value: Long): Appender =
    val rows = Rows.growingTo[Tick](100)(using summon, region)
    Appender(() => rows += Tick(value))

  /** A new table of the region with one row of the value. */
  def appended(region: Region, value: Long): Rereader =
    val rows = Rows.growingTo[Tick](100)(using summon, region)
    rows += Tick(value)
    Rereader(() => rows(0).value)

  /** A table of which Java sees the first row. */
  final class Rereader(row: () => Long):
    def first(): Long = row()

  /** Appends three rows in a scope while another may try to; how many there are in the end. */
  def three(receiver: Consumer[Appender]): Long =
    Region.scoped:
      val rows = Rows.growingTo[Tick](100)
      rows += Tick(1)
      receiver.accept(Appender(() => rows += Tick(9)))
      rows += Tick(2)
      rows += Tick(3)
      if rows.sumOf(_.value) == 6 then rows.size else -1
end Appends
