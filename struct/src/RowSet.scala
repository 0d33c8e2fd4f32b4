package undercroft.struct

import java.lang.foreign.MemorySegment
import undercroft.memory.Reservation
import undercroft.struct.internal.Unaligned

/** Some of a table's rows: one bit for each, in a reservation that its close frees. Parts that
  * begin at multiples of 64 rows may be written by several threads, if the reservation may.
  */
private[struct] final class RowSet(rows: Long, reserve: Long => Reservation) extends AutoCloseable:
  private val reservation = reserve(Math.ceilDiv(rows, 64L).max(1) * 8)
  private val bits: MemorySegment =
    try
      reservation.ensureUninit(reservation.upToBytes)
      reservation.whole
    catch
      case error: RuntimeException =>
        reservation.close()
        throw error

  /** Takes rows in their order, from `from` on. */
  def writer(from: Long): RowWriter = RowWriter(bits, from)

  /** Copies those of the rows `[from, until)` that are in the set, or those that are not, to the
    * rows of the copy's target from `to` on, and answers where it ended there.
    */
  def copy(from: Long, until: Long, within: Boolean, copies: BulkCopy, to: Long): Long =
    var end = to
    var row = next(from, until, within)
    while row < until do
      val last = next(row, until, !within)
      copies.rows(row, last - row, end)
      end += last - row
      row = next(last, until, within)
    end

  /** The next row from `from` on that is in the set, or is not; `until` where there is none. */
  private def next(from: Long, until: Long, within: Boolean): Long =
    var row = from
    var word = 0L
    while row < until && word == 0 do
      val stored = bits.get(Unaligned.long, (row >>> 6) << 3)
      word = (if within then stored else ~stored) & (-1L << row)
      if word == 0 then row = (row | 63) + 1
    if row >= until then until
    else ((row & ~63L) + java.lang.Long.numberOfTrailingZeros(word)).min(until)

  def close(): Unit = reservation.close()
end RowSet

/** Writes a part of a [[RowSet]], row after row. */
private[struct] final class RowWriter(bits: MemorySegment, from: Long):
  private var row = from
  private var word = 0L
  private var chosen = 0L

  /** How many rows were put in. */
  def count: Long = chosen

  /** Puts the next row in the set, or leaves it out. */
  def put(within: Boolean): Unit =
    if within then
      word |= 1L << row
      chosen += 1
    row += 1
    if (row & 63) == 0 then write(row - 64)

  /** Ends the part, when all of its rows were put. */
  def end(): Unit = if (row & 63) != 0 then write(row & ~63L)

  private def write(first: Long): Unit =
    bits.set(Unaligned.long, first >>> 3, word)
    word = 0
end RowWriter
