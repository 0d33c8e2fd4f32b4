package undercroft.struct

import scala.annotation.publicInBinary
import undercroft.memory.{Cage, Reservation}
import undercroft.struct.internal.{InPlace, Single}

/** A table that is appended to without end and without copying: its address space is reserved when
  * it is made, and becomes memory as rows arrive.
  *
  * Rows keep their place, so references and slices stay good while it grows. A slice keeps the size
  * it was made with. It dies with its region, or earlier by [[close]].
  *
  * Appending is for one thread at a time; several at once lose rows, but never touch memory that is
  * not the table's. In a scoped region that is the region's thread, and an append costs no check of
  * the memory. In a shared one an append checks first that the memory is still the table's: one
  * that races with the close on another thread is detected late, as a store through a reference is.
  *
  * @param upTo
  *   the most rows it was made for
  */
final class GrowingTable[T, L <: Layout] private[struct] (
    reservation: Reservation,
    kind: Table.Kind,
    capacity: Long,
    val upTo: Long
)(using Struct[T])
    extends Table[T, L](reservation.whole, reservation.address, kind, 0, capacity, 0),
      AutoCloseable:

  /** Where the first row is in [[Cage.open]]. */
  @publicInBinary private[struct] val start: Long = Cage.placeOf(reservation.address.bits)

  /** The thread that appends without a check; none in a shared region. */
  private val thread = reservation.thread

  /** Rows whose memory is there; none after the close. */
  private var ready = 0L
  reservation.onClose(() => ready = 0)

  /** Appends a row. One more than it was made for is an IndexOutOfBoundsException, and more than a
    * budget has a MemoryLimitException; then nothing changes.
    */
  inline def +=(inline value: T): Unit = append(value)

  /** What `+=` does. */
  inline def append(inline value: T): Unit = ${ Single.append('this, 'value) }

  /** Appends all values. */
  def appendAll(values: IterableOnce[T]): Unit = values.iterator.foreach(add)

  /** Appends `count` rows that hold `f` of 0, 1 and so on: all of them, or none if it fails. The
    * fastest way to append, because a row does not wait for the number of the one before to be
    * stored. Where `f` itself appends to this table, an IllegalStateException, and those rows are
    * taken back too.
    */
  inline def appendAll(count: Long)(inline f: Long => T): Unit =
    ${ InPlace.append('this, 'count, 'f) }

  /** Frees the rows before their region does. */
  def close(): Unit = reservation.close()

  /** The index of the next row, whose memory is there. */
  @publicInBinary private[struct] def next(): Long =
    val row = used
    if row >= ready then grow(row)
    if thread ne Thread.currentThread then reservation.admit()
    row

  /** How many of the next `count` rows from `row` on are memory; at least one. */
  @publicInBinary private[struct] def ready(row: Long, count: Long, most: Int): Int =
    if count > upTo - row then
      throw IndexOutOfBoundsException(
        s"$count rows after $row of a table that was made for up to $upTo rows"
      )
    if row >= ready then grow(row)
    reservation.admit()
    Math.min(ready - row, Math.min(count, most.toLong)).toInt

  /** Counts rows that were written behind those that were there before. */
  @publicInBinary private[struct] def appended(before: Long, count: Long): Unit =
    if used != before then
      val others = used - before
      used = before
      throw IllegalStateException(s"$others rows were appended while $count were made")
    used = before + Math.max(count, 0)

  /** What `append` runs where the type or the layout is not known. */
  @publicInBinary private[struct] def add(value: T): Unit =
    val row = next()
    clear(row)
    storeAt(row, value)
    used = row + 1

  private def grow(row: Long): Unit =
    if !reservation.isOpen then Cage.check(address.bits, 0, 1)
    if row == upTo then
      throw IndexOutOfBoundsException(s"row $row of a table that was made for up to $upTo rows")
    if kind == Table.Kind.Columnar then
      reservation.ensureUninit(reservation.upToBytes)
      ready = upTo
    else
      reservation.ensureUninit((row + 1) * stride)
      ready = (reservation.committedBytes / stride).min(upTo)

  /** Zeroes the padding of a row in memory that was used before. */
  private def clear(row: Long): Unit =
    if kind == Table.Kind.Aligned then
      val _ = memory.asSlice(row * stride, stride).fill(0)
end GrowingTable
