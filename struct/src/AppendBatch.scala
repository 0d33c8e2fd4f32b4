package undercroft.struct

import internal.macros.access.RowAccess
import scala.annotation.publicInBinary

/** Appends up to a fixed number of rows to a [[GrowingTable]], which counts them when
  * [[GrowingTable.appending]] ends.
  *
  * A `+=` of the table itself stores the new row count, and the next `+=` waits for that store. A
  * batch that does not escape the method that uses it, including inlined code, is not allocated:
  * its position is in a register.
  *
  * For the thread that may append to the table, within the batch: an append after the end of the
  * batch, or beyond its `maxRows`, throws IllegalStateException, and the rows appended before stay.
  * If the body closes the table or its region, the next append throws as the table's own would. The
  * body may read the table's rows, without those of the batch.
  *
  * {{{
  * import undercroft.memory.*
  * final case class Trade(price: Int, amount: Long) derives Struct
  * Region.scoped:
  *   val trades = PackedRows.growing[Trade]
  *   trades.appending(maxRows = 100): batch =>
  *     for price <- 1 to 100 if price % 7 != 0 do batch += Trade(price, 10)
  *   println(trades.size) // 86
  * }}}
  */
final class AppendBatch[T, L <: Layout] @publicInBinary private[struct] (
    @publicInBinary private[struct] val table: GrowingTable[T, L],
    maxRows: Long
):
  // Positions are places in Cage.open, or row indices in columns. A batch that has ended has no
  // room. It is ended by a plain store, because a call that the JIT considers too rare to inline
  // would make it escape; for the same reason errors are created from its fields.
  @publicInBinary private[struct] var first: Long = table.beginBatch(maxRows)
  @publicInBinary private[struct] var at: Long = first
  @publicInBinary private[struct] var until: Long = first + maxRows * table.batchStep
  private var start = table.start
  private val thread = table.thread

  /** Appends a row.
    *
    * {{{
    * val bills = Rows.growing[Bill]
    * bills.appending(maxRows = 2): batch =>
    *   batch += Bill(1, 250)
    *   batch += Bill(2, 251)
    * println(bills(1)) // Bill(2,251)
    * }}}
    */
  inline def +=(inline value: T): Unit = append(value)

  /** Same as `+=`. */
  inline def append(inline value: T): Unit = ${ RowAccess.appendToBatch('this, 'value) }

  /** The position of the next row, after the checks.
    *
    * @param step
    *   the table's `batchStep`
    */
  @publicInBinary private[struct] def next(step: Long): Long =
    val rows = table
    if start != rows.start then
      // The rows have moved, or the table is closed. Other closes are detected by admitAppend.
      val distance = AppendBatch.moved(rows, start)
      start += distance
      if rows.kind != Table.Kind.Columnar then
        first += distance
        at += distance
        if until != AppendBatch.Ended then until += distance
    if at + step > until then throw AppendBatch.full(rows, maxRows, until)
    if thread ne Thread.currentThread then rows.admitAppend()
    at

  /** Implements `append` if the type or the layout is not known at compile time. */
  @publicInBinary private[struct] def appendValue(value: T): Unit =
    val step = table.batchStep
    val place = next(step)
    val row = table.used + (place - first) / step
    table.zeroPartial(row)
    val memory = table.currentMemory
    table.storeAt(row, value)
    if memory eq table.currentMemory then at = place + step else appendValue(value)
end AppendBatch

@publicInBinary private[struct] object AppendBatch:
  /** The `until` of a batch that has ended. */
  @publicInBinary private[struct] final val Ended = Long.MinValue

  /** The distance by which the rows moved; throws if the table is closed. */
  private def moved(table: GrowingTable[?, ?], start: Long): Long =
    if table.start == 0 then
      table.admitAppend()
      throw IllegalStateException("the table was closed while it had an open batch")
    table.start - start

  /** The error for a batch without room; throws if the table is closed. */
  private def full(table: GrowingTable[?, ?], maxRows: Long, until: Long): RuntimeException =
    if until == Ended then IllegalStateException("the batch has ended")
    else
      table.admitGrowth()
      IllegalStateException(s"a batch of at most $maxRows rows is full")
end AppendBatch
