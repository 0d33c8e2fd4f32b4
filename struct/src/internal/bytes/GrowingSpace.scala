package undercroft.struct
package internal.bytes

import undercroft.memory.internal.cage.Cage
import java.lang.foreign.MemorySegment
import undercroft.memory.{Address, Allocator, Region, Reservation}

/** Memory for the rows of a growing table: a block of a scoped region, or a reservation, which can
  * grow in place.
  */
private[struct] final class GrowingSpace(
    val memory: MemorySegment,
    val address: Address,
    val capacity: Long,
    val reservation: Reservation | Null
)

/** Chooses the memory of a growing table.
  *
  * ```text
  *  rows:   block of 256 bytes -> ... -> block of 16 KiB -> reservation -> larger reservation
  * ```
  *
  * Each step to the right copies the rows. That is possible only while nothing but the table refers
  * to them and only one thread can use them: [[region]] is then the scoped region. Otherwise the
  * table starts with a reservation and keeps it.
  */
private[struct] final class GrowingPlan(
    kind: Table.Kind,
    rowBytes: Long,
    val maxRows: Long,
    isBounded: Boolean,
    allocator: Allocator
):
  private val mostRows = Table.room(kind, maxRows)
  private val mostBytes = Table.bytes(mostRows, rowBytes)

  /** The scoped region if the rows can be moved, else null. */
  val region: Region | Null = allocator match
    case region: Region if region.owner != null => region
    case _                                      => null

  /** The first memory of a table. */
  def first(): GrowingSpace =
    if region == null || (isBounded && mostBytes > Cage.segment.byteSize) then reserved(0)
    else larger(Math.max(GrowingPlan.FirstBytes / rowBytes, 4))

  /** Memory for at least `rows` rows. */
  def larger(rows: Long): GrowingSpace =
    val capacity = Table.room(kind, rows.min(maxRows))
    if region == null || capacity * rowBytes > GrowingPlan.LargestBlock then reserved(rows)
    else
      val memory = allocator.allocateUninit(capacity * rowBytes, GrowingPlan.Alignment)
      GrowingSpace(memory, Cage.addressOf(memory), capacity, null)

  /** A reservation for at least `rows` rows, or for the largest number of rows if it was given.
    * Columns need all of their memory from the start, because each has a fixed offset.
    */
  def reserved(rows: Long): GrowingSpace =
    val minBytes = Math.multiplyExact(rows.min(mostRows), rowBytes)
    val bytes =
      if isBounded then mostBytes else Reservation.share(mostBytes).max(minBytes).min(mostBytes)
    val reservation = allocator.reserve(bytes)
    try
      if rows > 0 then reservation.ensureUninit(GrowingPlan.committed(kind, minBytes, bytes))
      GrowingSpace(reservation.whole, reservation.address, bytes / rowBytes, reservation)
    catch
      case error: Throwable =>
        reservation.close()
        throw error

  /** Copies the rows `[row, row + count)` to other memory of the table. */
  def copy(
      struct: Struct[?],
      from: MemorySegment,
      capacity: Long,
      to: MemorySegment,
      newCapacity: Long,
      row: Long,
      count: Long
  ): Unit =
    if kind == Table.Kind.Columnar then
      struct.columns.foreach: leaf =>
        val size = leaf.kind.size
        val source = capacity * leaf.column + row * size
        val target = newCapacity * leaf.column + row * size
        MemorySegment.copy(from, source, to, target, count * size)
    else MemorySegment.copy(from, row * rowBytes, to, row * rowBytes, count * rowBytes)
end GrowingPlan

private[struct] object GrowingPlan:
  /** Bytes of a reservation that must be committed for `minBytes` bytes of rows. */
  def committed(kind: Table.Kind, minBytes: Long, whole: Long): Long =
    if kind == Table.Kind.Columnar then whole else minBytes

  private inline val FirstBytes = 256L

  /** The largest block in bytes. A larger one would cost the region more than the page that a
    * reservation starts with.
    */
  private inline val LargestBlock = 0x4000L
  private inline val Alignment = 64L
end GrowingPlan
