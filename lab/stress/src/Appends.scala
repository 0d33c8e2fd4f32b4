package undercroft.lab.stress

import java.util.function.{Consumer, LongConsumer}
import undercroft.memory.{MemoryException, Region}
import undercroft.struct.{Ref, Rows}

/** Appends to tables of a scope, which Java cannot express; for tests in Java. */
object Appends:
  import Tables.Tick

  /** Opens a scope, appends a row of `value`, passes its reference to `receiver`, and appends
    * another.
    */
  def publish(value: Long, receiver: LongConsumer): Unit =
    Region.scoped:
      val rows = Rows.growingTo[Tick](100)
      rows += Tick(value)
      receiver.accept(Ref.address(rows.ref(0)).bits)
      rows += Tick(value)

  /** Appends a row to a table; returns the outcome as text. */
  final class Appender(append: () => Unit):
    def attempt(): String =
      try
        append()
        "appended"
      catch case _: (MemoryException | WrongThreadException) => "refused"

  /** Creates a table in `region`, and an appender of rows of `value`. */
  def in(region: Region, value: Long): Appender =
    val rows = Rows.growingTo[Tick](100)(using region)
    Appender(() => rows += Tick(value))

  /** Creates a table in `region` with one row of `value`. */
  def appended(region: Region, value: Long): Rereader =
    val rows = Rows.growingTo[Tick](100)(using region)
    rows += Tick(value)
    Rereader(() => rows(0).value)

  /** A table for Java to read the first row of. */
  final class Rereader(row: () => Long):
    def first(): Long = row()

  /** Appends three rows in a scope while another thread may try to; returns the final number of
    * rows, or -1 if their sum is wrong.
    */
  def three(receiver: Consumer[Appender]): Long =
    Region.scoped:
      val rows = Rows.growingTo[Tick](100)
      rows += Tick(1)
      receiver.accept(Appender(() => rows += Tick(9)))
      rows += Tick(2)
      rows += Tick(3)
      if rows.sumOf(_.value) == 6 then rows.size else -1
end Appends
