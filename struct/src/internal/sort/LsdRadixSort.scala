package undercroft.struct
package internal.sort

import undercroft.memory.Allocator

/** Sorts the rows of a table by key; stable. LSD radix sort (D. Knuth, The Art of Computer
  * Programming 3, 5.2.5, algorithm R) of entries, which skips bytes that all keys have in common.
  * Entries that do not fit in the caches are first distributed by the most significant bits in
  * which they differ, and each part is then sorted in the cache.
  */
private[struct] final class LsdRadixSort(rows: Long, keyBytes: Int, allocator: Allocator)
    extends RowOrder, AutoCloseable:
  private val entries = SortEntries(rows, keyBytes, allocator)

  /** For each byte of the keys, the number of entries with each value, and then their ends. */
  private val counts = new Array[Long](8 * 256)

  /** The area with the current entries. */
  private var base = 0L

  def size: Long = entries.size
  def row(position: Long): Long = entries.row(base, position)

  /** The key at a position; for keys of several words, possibly a later word than the first. */
  def key(position: Long): Long = entries.key(base, position)

  /** Adds the next row's key, as computed by [[SortKey]]. */
  def put(key: Long): Unit = entries.put(key)

  /** Sorts by the keys that were put. */
  def sort(): Unit =
    entries.complete()
    base = sorted(0, entries.size, base, entries.differing)

  /** Sorts by all words of the rows' keys. */
  def sortBy(keys: SortKeys): Unit =
    var i = 0L
    while i < rows do
      put(keys.word(i, 0))
      i += 1
    sort()
    refine(keys, 0, entries.size, 0)

  /** Sorts by the keys that were put, and copies the rows to `target` in this order.
    *
    * A copy in the order of keys reads rows at random places. So narrow rows are first copied to
    * parts, in the order of the table; each part is then sorted in the cache. See [[CachedParts]];
    * if its words do not suffice, complete entries are distributed and sorted by parts.
    */
  def copySorted(source: Table[?, ?], target: Table[?, ?]): Unit =
    val mover = RowMover(source)
    val digit = firstDigit(entries.size, entries.differing)
    if digit.isEmpty || !mover.isNarrow then
      sort()
      mover.gather(this, 0, entries.size, target)
    else
      val parts = CachedParts(entries, digit)
      if parts.fit then parts.copySorted(mover, target) else copyParts(mover, target, digit)

  private def copyParts(source: RowMover, table: Table[?, ?], digit: Digit): Unit =
    entries.complete()
    val ends = new Array[Long](digit.values)
    val _ = entries.count(0, entries.size, 0, digit.shift, ends)
    entries.distribute(0, entries.size, 0, digit.shift, ends, 0, ends.length)
    source.distribute(EntryParts(digit.shift, ends), table)
    val target = RowMover(table)
    val spare = new Array[Long](LsdRadixSort.MostCopied.toInt)
    var start = 0L
    for end <- ends do
      val isCopied = end - start <= LsdRadixSort.MostCopied
      if isCopied then number(start, end)
      base = sorted(start, end, entries.area, digit.rest)
      if isCopied then target.arrangeNarrow(start, (end - start).toInt, PartOrder(start), spare)
      else source.gather(this, start, end, table)
      start = end

  /** Numbers the entries of a part of the second area from 0. */
  private def number(from: Long, until: Long): Unit =
    var i = 0L
    while i < until - from do
      entries.setRow(entries.area, from + i, i)
      i += 1

  /** The parts of the rows by the entries of the first area; large parts are not copied. */
  private final class EntryParts(shift: Int, ends: Array[Long]) extends RowParts:
    private val mask = ends.length - 1
    def size: Long = entries.size
    def part(row: Long): Int = (entries.word(0, row) >>> shift).toInt & mask
    def heads: Array[Long] = (0L +: ends.init)
      .zip(ends)
      .map((start, end) => if end - start <= LsdRadixSort.MostCopied then start else -1)

  /** The order of a sorted part, whose positions and rows are relative to its first row. */
  private final class PartOrder(start: Long) extends RowOrder:
    def row(position: Long): Long = LsdRadixSort.this.row(start + position)

  /** Sorts each run of entries with equal keys, which are word `index` of the rows' keys, by the
    * words after it. It recurses into all runs but the largest, and iterates over that one, so that
    * the depth of the stack is at most the logarithm of the number of rows.
    */
  private def refine(keys: SortKeys, first: Long, end: Long, index: Int): Unit =
    var from = first
    var until = end
    var word = index
    while until - from > 1 && word + 1 < keys.words do
      var largest = from
      var largestEnd = from + 1
      var start = from
      while start < until do
        val runEnd = endOfRun(start, until)
        if runEnd - start > largestEnd - largest then
          if largestEnd - largest > 1 then refineRun(keys, largest, largestEnd, word)
          largest = start
          largestEnd = runEnd
        else if runEnd - start > 1 then refineRun(keys, start, runEnd, word)
        start = runEnd
      from = largest
      until = largestEnd
      if until - from > 1 then word = sortRun(keys, from, until, word)
    end while
  end refine

  /** The end of the entries from `start` on that have the same key. */
  private def endOfRun(start: Long, until: Long): Long =
    val first = key(start)
    var end = start + 1
    while end < until && key(end) == first do end += 1
    end

  private def refineRun(keys: SortKeys, from: Long, until: Long, index: Int): Unit =
    refine(keys, from, until, sortRun(keys, from, until, index))

  /** Sorts entries whose rows' keys are equal up to word `index` by the first word in which they
    * differ, which becomes their key.
    *
    * @return
    *   that word; the number of words if the entries are completely sorted
    */
  private def sortRun(keys: SortKeys, from: Long, until: Long, index: Int): Int =
    var word = keys.following(key(from), index)
    var differing = 0L
    if until - from <= LsdRadixSort.Few then
      insert(keys, from, until, word)
      word = keys.words
    while word < keys.words && differing == 0 do
      differing = loadWord(keys, from, until, word)
      if differing == 0 then word = keys.following(key(from), word)
    entries.copy(from, until, sorted(from, until, base, differing), base)
    word

  /** Makes a word of the rows' keys the key of entries; returns the bits in which they differ. */
  private def loadWord(keys: SortKeys, from: Long, until: Long, word: Int): Long =
    val first = keys.word(row(from), word)
    var differing = 0L
    var i = from
    while i < until do
      val key = keys.word(row(i), word)
      entries.setKey(base, i, key)
      differing |= key ^ first
      i += 1
    differing

  private def insert(keys: SortKeys, from: Long, until: Long, word: Int): Unit =
    var i = from + 1
    while i < until do
      val moved = row(i)
      var k = i
      while k > from && keys.compare(row(k - 1), moved, word) > 0 do
        entries.setRow(base, k, row(k - 1))
        k -= 1
      entries.setRow(base, k, moved)
      i += 1

  /** Sorts entries `[from, until)` of an area by the bits in which they differ, or by more; returns
    * the area that holds the result.
    */
  private def sorted(from: Long, until: Long, source: Long, differing: Long): Long =
    val digit = firstDigit(until - from, differing)
    if differing == 0 || until - from < 2 then source
    else if digit.isEmpty then sortedFromLow(from, until, source, differing)
    else
      val ends = new Array[Long](digit.values)
      if entries.count(from, until, source, digit.shift, ends) then
        sorted(from, until, source, digit.rest)
      else
        entries.distribute(from, until, source, digit.shift, ends, 0, ends.length)
        val other = entries.area - source
        val result = if LsdRadixSort.bytes(digit.rest) % 2 == 0 then other else source
        var start = from
        for end <- ends do
          entries.copy(start, end, sorted(start, end, other, digit.rest), result)
          start = end
        result

  /** Sorts by bytes, the least significant first; returns the area that holds the result. */
  private def sortedFromLow(from: Long, until: Long, start: Long, differing: Long): Long =
    val low = LsdRadixSort.low(differing)
    val bytes = LsdRadixSort.bytes(differing)
    java.util.Arrays.fill(counts, 0, bytes * 256, 0)
    entries.countBytes(from, until, start, low, bytes, counts)
    var source = start
    var k = 0
    while k < bytes do
      if isTold(k, until - from) then
        entries.distribute(from, until, source, low + 8 * k, counts, k * 256, 256)
        source = entries.area - source
      k += 1
    source

  /** Whether keys differ in a counted byte. */
  private def isTold(byte: Int, total: Long): Boolean =
    var largest = 0L
    var b = byte * 256
    while b < byte * 256 + 256 do
      largest = largest.max(counts(b))
      b += 1
    largest != total

  /** The bits by which entries are distributed before they are sorted, in parts of about 256 KiB,
    * but at most 1024 parts. None if the entries fit in the caches, or differ in one byte alone.
    */
  private def firstDigit(count: Long, differing: Long): Digit =
    val bytes = count * entries.entry
    val (low, high) = (LsdRadixSort.low(differing), LsdRadixSort.high(differing))
    if bytes <= LsdRadixSort.Cached || high - low <= 8 then Digit(0, 0, differing)
    else
      val bits = (64 - java.lang.Long.numberOfLeadingZeros(bytes >> 18)).min(10).min(high - low)
      Digit(high - bits, bits, differing & ((1L << (high - bits)) - 1))

  def close(): Unit = entries.close()
end LsdRadixSort

private[struct] object LsdRadixSort:
  /** The longest run of entries that is sorted by insertion. */
  private val Few = 24L

  /** The most rows of a part to which rows are copied: 1 MiB of row numbers. */
  private val MostCopied = 0x20000L

  /** Entries of this size, in bytes, fit in the caches. */
  private val Cached = 1L << 20

  /** The lowest bit in which keys differ. */
  private def low(differing: Long): Int = java.lang.Long.numberOfTrailingZeros(differing)

  /** The end of the bits in which keys differ. */
  private def high(differing: Long): Int = 64 - java.lang.Long.numberOfLeadingZeros(differing)

  /** The number of bytes with the bits in which keys differ. */
  private def bytes(differing: Long): Int =
    Math.ceilDiv(Math.max(0, high(differing) - low(differing)), 8)
end LsdRadixSort

/** Bits of a key from `shift` on, and the lower bits in which keys differ. */
private final case class Digit(shift: Int, bits: Int, rest: Long):
  def isEmpty: Boolean = bits == 0

  /** The lowest of the other bits, or the shift if there are none. */
  def lowest: Int = java.lang.Long.numberOfTrailingZeros(rest).min(shift)
  def values: Int = 1 << bits
end Digit
