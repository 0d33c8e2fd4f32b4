package undercroft.struct
package internal.sort

import internal.bytes.ValueLayouts
import java.lang.foreign.MemorySegment
import undercroft.memory.{Allocator, Reservation}

/** Entries for the rows of a table, each a key and a row number: one word if both have up to 4
  * bytes, else two. A reservation of the allocator has room for all entries twice, in two areas; an
  * area is known by its offset, 0 or `area`.
  *
  * New entries are in the first area, one word each: those of two words have no row number yet,
  * because they are in the order of the rows. [[complete]] adds it. Half of the memory is enough
  * for new entries and a word for each of them; pages that are not used are not committed.
  */
private[struct] final class SortEntries(val rows: Long, keyBytes: Int, allocator: Allocator)
    extends AutoCloseable:
  private val narrow = keyBytes <= 4 && rows <= (1L << 32)

  /** Bytes of an entry. */
  val entry: Long = if narrow then 8L else 16L

  /** Bytes of an area, and the offset of the second one. */
  val area: Long = Math.multiplyExact(rows, entry)

  private val reservation: Reservation = allocator.reserve(Math.multiplyExact(area, 2L).max(1))
  private val memory: MemorySegment = reservation.committed(8 * rows)
  private var isComplete = narrow

  private var filled = 0L
  private var firstKey = 0L

  /** The bits in which a key differs from the first one. */
  var differing: Long = 0L

  /** The number of entries. */
  def size: Long = filled

  /** Adds the next row's key, as computed by [[SortKey]]. */
  def put(key: Long): Unit =
    if filled == rows then
      throw java.util.ConcurrentModificationException(
        s"the table grew beyond $rows rows during its sort"
      )
    memory.set(ValueLayouts.long, filled * 8, if narrow then key | filled else key)
    if filled == 0 then firstKey = key
    differing |= key ^ firstKey
    filled += 1

  /** Adds the row numbers to new entries, and commits the memory of both areas. */
  def complete(): Unit =
    reservation.ensureUninit(reservation.maxBytes)
    if !isComplete then
      isComplete = true
      // From the end: entry i takes the places of the keys 2i and 2i + 1.
      var i = filled - 1
      while i >= 0 do
        memory.set(ValueLayouts.long, i * 16, newKey(i))
        memory.set(ValueLayouts.long, i * 16 + 8, i)
        i -= 1

  /** The key of a new entry, and lower bits that follow the order of rows. */
  def newKey(row: Long): Long = memory.get(ValueLayouts.long, row * 8)

  /** The memory of a word for each new entry, uninitialized, and the offset of the first one. */
  def words(): (memory: MemorySegment, offset: Long) =
    reservation.ensureUninit(16 * rows)
    (memory, 8 * rows)

  def row(area: Long, position: Long): Long =
    val at = area + position * entry
    if narrow then memory.get(ValueLayouts.int, at) & 0xffffffffL
    else memory.get(ValueLayouts.long, at + 8)

  def setRow(area: Long, position: Long, row: Long): Unit =
    val at = area + position * entry
    if narrow then memory.set(ValueLayouts.int, at, row.toInt)
    else memory.set(ValueLayouts.long, at + 8, row)

  def key(area: Long, position: Long): Long =
    if narrow then word(area, position) & ~0xffffffffL else word(area, position)

  /** Stores a key; only if keys have more than 4 bytes. */
  def setKey(area: Long, position: Long, key: Long): Unit =
    memory.set(ValueLayouts.long, area + position * entry, key)

  /** The first word of an entry, which starts with its key. */
  def word(area: Long, position: Long): Long =
    memory.get(ValueLayouts.long, area + position * entry)

  /** Adds the number of entries with each value of the bits of the key from `shift` on, which are
    * as many as select a count. Returns whether all entries have the same value.
    */
  def count(from: Long, until: Long, source: Long, shift: Int, counts: Array[Long]): Boolean =
    val mask = counts.length - 1
    var i = source + from * entry
    val end = source + until * entry
    while i < end do
      counts((memory.get(ValueLayouts.long, i) >>> shift).toInt & mask) += 1
      i += entry
    counts.exists(_ == until - from)

  /** Adds the number of entries with each value of each byte of the key from bit `low` on; byte `k`
    * has the counts from `256 * k` on.
    */
  def countBytes(
      from: Long,
      until: Long,
      source: Long,
      low: Int,
      bytes: Int,
      counts: Array[Long]
  ): Unit =
    var i = source + from * entry
    val end = source + until * entry
    while i < end do
      val key = memory.get(ValueLayouts.long, i) >>> low
      var k = 0
      while k < bytes do
        counts(k * 256 + ((key >>> (8 * k)).toInt & 0xff)) += 1
        k += 1
      i += entry

  /** Moves entries to the other area, in the order of the bits of their keys from `shift` on;
    * stable. The counts of the values, from `first` on, become the ends of their entries.
    */
  def distribute(
      from: Long,
      until: Long,
      source: Long,
      shift: Int,
      counts: Array[Long],
      first: Int,
      values: Int
  ): Unit =
    val target = area - source
    var at = target + from * entry
    var value = first
    while value < first + values do
      val bytes = counts(value) * entry
      counts(value) = at
      at += bytes
      value += 1
    moveByValue(source + from * entry, source + until * entry, shift, counts, first, values - 1)
    value = first
    while value < first + values do
      counts(value) = (counts(value) - target) / entry
      value += 1
  end distribute

  private def moveByValue(
      from: Long,
      until: Long,
      shift: Int,
      heads: Array[Long],
      first: Int,
      mask: Int
  ): Unit =
    var i = from
    if narrow then
      while i < until do
        val word = memory.get(ValueLayouts.long, i)
        val value = first + ((word >>> shift).toInt & mask)
        val head = heads(value)
        heads(value) = head + 8
        memory.set(ValueLayouts.long, head, word)
        i += 8
    else
      while i < until do
        val key = memory.get(ValueLayouts.long, i)
        val value = first + ((key >>> shift).toInt & mask)
        val head = heads(value)
        heads(value) = head + 16
        memory.set(ValueLayouts.long, head, key)
        memory.set(ValueLayouts.long, head + 8, memory.get(ValueLayouts.long, i + 8))
        i += 16
  end moveByValue

  /** Copies entries from one area to the other, unless both are the same. */
  def copy(from: Long, until: Long, source: Long, target: Long): Unit =
    if source != target then
      val bytes = (until - from) * entry
      MemorySegment.copy(memory, source + from * entry, memory, target + from * entry, bytes)

  def close(): Unit = reservation.close()
end SortEntries
