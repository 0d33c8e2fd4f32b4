package undercroft.struct
package internal.bytes

import java.lang.foreign.MemorySegment
import undercroft.memory.Reservation

/** A bitmap of a table's rows: one bit per row, in a reservation that [[close]] frees. Several
  * threads may write parts that start at multiples of 64 rows, if they may use the reservation.
  */
private[struct] final class RowBitmap(rows: Long, reserve: Long => Reservation)
    extends AutoCloseable:
  private val reservation = reserve(Math.ceilDiv(rows, 64L).max(1) * 8)
  private val bits: MemorySegment = reservation.committed(reservation.maxBytes)

  /** A writer of the rows from `from` on, in order. */
  def writer(from: Long): RowWriter = RowWriter(bits, from)

  /** Copies the rows of `[from, until)` that are in the set, or that are not, to the rows of the
    * copy's target starting at `to`; returns the end of the copied rows there. Row `from` of the
    * set is row `source` of the copy.
    */
  def copy(
      from: Long,
      until: Long,
      within: Boolean,
      copies: BulkCopy,
      to: Long,
      source: Long
  ): Long =
    var end = to
    var row = next(from, until, within)
    while row < until do
      val last = next(row, until, !within)
      copies.rows(source + row - from, last - row, end)
      end += last - row
      row = next(last, until, within)
    end

  /** The next row at or after `from` that is in the set, or is not; `until` if there is none. */
  private def next(from: Long, until: Long, within: Boolean): Long =
    var row = from
    var word = 0L
    while row < until && word == 0 do
      val stored = bits.get(ValueLayouts.long, (row >>> 6) << 3)
      word = (if within then stored else ~stored) & (-1L << row)
      if word == 0 then row = (row | 63) + 1
    if row >= until then until
    else ((row & ~63L) + java.lang.Long.numberOfTrailingZeros(word)).min(until)

  def close(): Unit = reservation.close()
end RowBitmap

/** Writes a part of a [[RowBitmap]], row by row. */
private[struct] final class RowWriter(bits: MemorySegment, from: Long):
  private var row = from
  private var word = 0L
  private var addedRows = 0L

  /** The number of rows added. */
  def count: Long = addedRows

  /** Adds the next row to the set, or skips it. */
  def put(within: Boolean): Unit =
    if within then
      word |= 1L << row
      addedRows += 1
    row += 1
    if (row & 63) == 0 then write(row - 64)

  /** Ends the part, after all of its rows were put. */
  def end(): Unit = if (row & 63) != 0 then write(row & ~63L)

  private def write(first: Long): Unit =
    bits.set(ValueLayouts.long, first >>> 3, word)
    word = 0
end RowWriter
