package undercroft.file

import scala.annotation.publicInBinary
import undercroft.struct.Layout

/** Appends up to a fixed number of rows to a [[FileTable]], which counts them when
  * [[FileTable.appending]] ends. Readers see them after the next commit.
  *
  * For the thread that may append to the table, within the batch: an append after the end of the
  * batch, or beyond its `maxRows`, throws IllegalStateException, and the rows appended before stay.
  * The body may read the table's rows, without those of the batch. An append allocates nothing.
  *
  * {{{
  * import java.nio.file.Files
  * import undercroft.struct.*
  * val day = Rows.create[Bill](Files.createTempDirectory("shop").resolve("day.bills"))
  * day.appending(maxRows = 100): batch =>
  *   for ticket <- 1 to 100 if ticket % 7 != 0 do batch += Bill(ticket, 250)
  * println(day.size) // 86
  * day.close()
  * }}}
  */
final class FileAppendBatch[T, L <: Layout] @publicInBinary private[file] (
    @publicInBinary private[file] val table: FileTable[T, L],
    maxRows: Long
):
  if maxRows < 0 then throw IllegalArgumentException(s"maxRows must be >= 0: $maxRows")
  private val first = table.beginUncounted(maxRows)
  private var row = first
  private var until = first + maxRows

  /** Appends a row.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val day = Rows.create[Bill](Files.createTempDirectory("shop").resolve("day.bills"))
    * day.appending(maxRows = 2): batch =>
    *   batch += Bill(1, 250)
    *   batch += Bill(2, 251)
    * println(day(1)) // Bill(2,251)
    * day.close()
    * }}}
    */
  inline def +=(inline value: T): Unit = append(value)

  /** Same as `+=`. */
  inline def append(inline value: T): Unit =
    table.room.storeNext(next())(value)
    appended()

  @publicInBinary private[file] def next(): Long =
    if row >= until then
      throw IllegalStateException(
        if until == FileAppendBatch.Ended then "the batch has ended"
        else s"a batch of at most $maxRows rows is full"
      )
    table.uncounted(row)

  @publicInBinary private[file] def appended(): Unit = row += 1

  @publicInBinary private[file] def end(): Unit =
    until = FileAppendBatch.Ended
    table.endUncounted(row - first)
end FileAppendBatch

private object FileAppendBatch:
  /** The `until` of a batch that has ended. */
  private inline val Ended = Long.MinValue
