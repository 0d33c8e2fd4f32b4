package undercroft.struct

import java.lang.foreign.MemorySegment
import undercroft.memory.{Allocator, Reservation}
import undercroft.struct.internal.Unaligned

/** The rows of a table in the order of their keys, rows of equal keys in the order they had: a
  * radix sort from the least significant byte on (D. Knuth, The Art of Computer Programming 3,
  * 5.2.5, algorithm R), which leaves out bytes that all keys have in common.
  *
  * It sorts entries of a key and a row's number: one word, if the keys have up to 4 bytes and the
  * numbers, too, else two. It has room for all entries twice, in a reservation of the allocator.
  */
private[struct] final class SortBuffer(rows: Long, keyBytes: Int, allocator: Allocator)
    extends RowOrder, AutoCloseable:
  private val narrow = keyBytes <= 4 && rows <= (1L << 32)
  private val entry = if narrow then 8L else 16L
  private val area = Math.multiplyExact(rows, entry)
  private val reservation: Reservation = allocator.reserve(Math.multiplyExact(area, 2L).max(1))
  private val memory: MemorySegment =
    reservation.ensureUninit(reservation.upToBytes)
    reservation.whole

  /** How often each value of each byte of the keys occurs. */
  private val counts = new Array[Long](8 * 256)
  private var filled = 0L

  /** Where the entries are that count: at 0, or at `area`. */
  private var base = 0L

  def size: Long = filled
  def row(position: Long): Long =
    val at = base + position * entry
    if narrow then memory.get(Unaligned.int, at) & 0xffffffffL
    else memory.get(Unaligned.long, at + 8)

  /** The key at a position; of keys of several words, not the first one. */
  def key(position: Long): Long =
    if narrow then keyAt(position) & ~0xffffffffL else keyAt(position)

  /** The next row's key, as [[internal.SortKey]] makes it. */
  def put(key: Long): Unit =
    if filled == rows then
      throw java.util.ConcurrentModificationException(s"a table of $rows rows grew in its sort")
    val at = filled * entry
    if narrow then memory.set(Unaligned.long, at, key | filled)
    else
      memory.set(Unaligned.long, at, key)
      memory.set(Unaligned.long, at + 8, filled)
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

  /** Sorts each run of entries whose keys are the same so far by the next word. */
  private def refine(keys: SortKeys, from: Long, until: Long, word: Int): Unit =
    var start = from
    while start < until do
      val key = keyAt(start)
      var end = start + 1
      while end < until && keyAt(end) == key do end += 1
      // A text whose last byte is a zero has ended.
      if end - start > 1 && (key & 0xff) != 0 then refineRun(keys, start, end, word)
      start = end

  private def refineRun(keys: SortKeys, from: Long, until: Long, word: Int): Unit =
    if until - from <= SortBuffer.Few then insert(keys, from, until, word)
    else
      java.util.Arrays.fill(counts, 0)
      var i = from
      while i < until do
        val key = keys.word(row(i), word)
        memory.set(Unaligned.long, base + i * entry, key)
        count(key)
        i += 1
      val other = sortRange(from, until, base)
      if other != base then
        MemorySegment.copy(
          memory,
          other + from * entry,
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
        memory.set(Unaligned.long, base + k * entry + 8, row(k - 1))
        k -= 1
      memory.set(Unaligned.long, base + k * entry + 8, moved)
      i += 1

  private def keyAt(position: Long): Long = memory.get(Unaligned.long, base + position * entry)

  /** Sorts entries `[from, until)` of the area at `start`; answers which area they are in then. */
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

  /** Whether a byte tells keys apart. A byte that was not counted does not. */
  private def isTold(digit: Int, all: Long): Boolean =
    var largest = 0L
    var b = digit * 256
    while b < digit * 256 + 256 do
      largest = largest.max(counts(b))
      b += 1
    largest != 0 && largest != all

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
        val word = memory.get(Unaligned.long, i)
        val part = (word >>> shift).toInt & 0xff
        memory.set(Unaligned.long, heads(part), word)
        heads(part) += 8
        i += 8
    else
      while i < end do
        val key = memory.get(Unaligned.long, i)
        val part = (key >>> shift).toInt & 0xff
        memory.set(Unaligned.long, heads(part), key)
        memory.set(Unaligned.long, heads(part) + 8, memory.get(Unaligned.long, i + 8))
        heads(part) += 16
        i += 16
  end pass

  def close(): Unit = reservation.close()
end SortBuffer

private[struct] object SortBuffer:
  /** Runs of up to this many entries are sorted by insertion. */
  private val Few = 24L
end SortBuffer
