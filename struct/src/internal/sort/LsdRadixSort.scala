package undercroft.struct
package internal.sort

import internal.bytes.ValueLayouts
import java.lang.foreign.MemorySegment
import undercroft.memory.{Allocator, Reservation}

/** Sorts the rows of a table by key; stable. LSD radix sort (D. Knuth, The Art of Computer
  * Programming 3, 5.2.5, algorithm R), which skips bytes that all keys have in common.
  *
  * An entry is a key and a row number: one word if both have up to 4 bytes, else two. A reservation
  * of the allocator has room for all entries twice.
  */
private[struct] final class LsdRadixSort(rows: Long, keyBytes: Int, allocator: Allocator)
    extends RowOrder, AutoCloseable:
  private val narrow = keyBytes <= 4 && rows <= (1L << 32)
  private val entry = if narrow then 8L else 16L
  private val area = Math.multiplyExact(rows, entry)
  private val reservation: Reservation = allocator.reserve(Math.multiplyExact(area, 2L).max(1))
  private val memory: MemorySegment =
    reservation.ensureUninit(reservation.maxBytes)
    reservation.whole

  /** The number of keys with each value of each byte. */
  private val counts = new Array[Long](8 * 256)
  private var filled = 0L

  /** The offset of the area with the current entries: 0 or `area`. */
  private var base = 0L

  def size: Long = filled
  def row(position: Long): Long =
    val at = base + position * entry
    if narrow then memory.get(ValueLayouts.int, at) & 0xffffffffL
    else memory.get(ValueLayouts.long, at + 8)

  /** The key at a position; for keys of several words, possibly a later word than the first. */
  def key(position: Long): Long =
    if narrow then keyAt(position) & ~0xffffffffL else keyAt(position)

  /** Adds the next row's key, as computed by [[SortKey]]. */
  def put(key: Long): Unit =
    if filled == rows then
      throw java.util.ConcurrentModificationException(
        s"the table grew beyond $rows rows during its sort"
      )
    val at = filled * entry
    if narrow then memory.set(ValueLayouts.long, at, key | filled)
    else
      memory.set(ValueLayouts.long, at, key)
      memory.set(ValueLayouts.long, at + 8, filled)
    count(key)
    filled += 1

  private def count(key: Long): Unit =
    var digit = if keyBytes <= 4 then 4 else 0
    while digit < 8 do
      counts(digit * 256 + ((key >>> (digit * 8)).toInt & 0xff)) += 1
      digit += 1

  /** Sorts by the keys that were put. */
  def sort(): Unit = base = sortRange(0, filled, base)

  /** Sorts by all words of the rows' keys. */
  def sortBy(keys: SortKeys): Unit =
    var i = 0L
    while i < rows do
      put(keys.word(i, 0))
      i += 1
    sort()
    if keys.words > 1 then refine(keys, 0, filled, 1)

  /** Sorts each run of entries with equal keys so far by the next word. */
  private def refine(keys: SortKeys, from: Long, until: Long, word: Int): Unit =
    var start = from
    while start < until do
      val key = keyAt(start)
      var end = start + 1
      while end < until && keyAt(end) == key do end += 1
      if end - start > 1 && !keys.isEnd(key) then refineRun(keys, start, end, word)
      start = end

  private def refineRun(keys: SortKeys, from: Long, until: Long, word: Int): Unit =
    if until - from <= LsdRadixSort.Few then insert(keys, from, until, word)
    else
      java.util.Arrays.fill(counts, 0)
      var i = from
      while i < until do
        val key = keys.word(row(i), word)
        memory.set(ValueLayouts.long, base + i * entry, key)
        count(key)
        i += 1
      val resultBase = sortRange(from, until, base)
      if resultBase != base then
        MemorySegment.copy(
          memory,
          resultBase + from * entry,
          memory,
          base + from * entry,
          (until - from) * entry
        )
      if word + 1 < keys.words then refine(keys, from, until, word + 1)

  private def insert(keys: SortKeys, from: Long, until: Long, word: Int): Unit =
    var i = from + 1
    while i < until do
      val moved = row(i)
      var k = i
      while k > from && keys.compare(row(k - 1), moved, word) > 0 do
        memory.set(ValueLayouts.long, base + k * entry + 8, row(k - 1))
        k -= 1
      memory.set(ValueLayouts.long, base + k * entry + 8, moved)
      i += 1

  private def keyAt(position: Long): Long = memory.get(ValueLayouts.long, base + position * entry)

  /** Sorts entries `[from, until)` of the area at `start`; returns the area that holds the result.
    */
  private def sortRange(from: Long, until: Long, start: Long): Long =
    var source = start
    var digit = 0
    while digit < 8 do
      if isTold(digit, until - from) then
        val target = if source == 0 then area else 0L
        pass(from, until, digit, source, target)
        source = target
      digit += 1
    source

  /** Whether keys differ in a byte. Returns false for a byte that was not counted. */
  private def isTold(digit: Int, total: Long): Boolean =
    var largest = 0L
    var b = digit * 256
    while b < digit * 256 + 256 do
      largest = largest.max(counts(b))
      b += 1
    largest != 0 && largest != total

  private def pass(from: Long, until: Long, digit: Int, source: Long, target: Long): Unit =
    val heads = new Array[Long](256)
    var at = target + from * entry
    var b = 0
    while b < 256 do
      heads(b) = at
      at += counts(digit * 256 + b) * entry
      b += 1
    val shift = digit * 8
    var i = source + from * entry
    val end = source + until * entry
    if narrow then
      while i < end do
        val word = memory.get(ValueLayouts.long, i)
        val part = (word >>> shift).toInt & 0xff
        memory.set(ValueLayouts.long, heads(part), word)
        heads(part) += 8
        i += 8
    else
      while i < end do
        val key = memory.get(ValueLayouts.long, i)
        val part = (key >>> shift).toInt & 0xff
        memory.set(ValueLayouts.long, heads(part), key)
        memory.set(ValueLayouts.long, heads(part) + 8, memory.get(ValueLayouts.long, i + 8))
        heads(part) += 16
        i += 16
  end pass

  def close(): Unit = reservation.close()
end LsdRadixSort

private[struct] object LsdRadixSort:
  /** The longest run of entries that is sorted by insertion. */
  private val Few = 24L
end LsdRadixSort
