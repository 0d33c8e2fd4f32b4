package undercroft.struct
package internal.sort

import internal.bytes.ValueLayouts
import java.lang.foreign.MemorySegment

/** Copies rows to parts by the first bits of their keys, in the order of the table, and then sorts
  * each part in the cache: its keys as words, with the row's number in the part, and its rows in
  * the order of the words.
  *
  * @param entries
  *   new entries, without row numbers
  */
private final class CachedParts(entries: SortEntries, digit: Digit) extends RowParts:
  private val counts = new Array[Long](digit.values)
  private val keyBits = digit.shift - digit.lowest
  countRows()
  private val starts = counts.scanLeft(0L)(_ + _)

  def size: Long = entries.size
  def part(row: Long): Int = (entries.newKey(row) >>> digit.shift).toInt & (digit.values - 1)
  def heads: Array[Long] = starts.init

  /** Whether the other bits of a key fit in a word, and each part in the cache. */
  def fit: Boolean =
    keyBits <= 8 * SmallKeySort.KeyBytes && counts.forall(_ <= SmallKeySort.MaxKeys)

  private def countRows(): Unit =
    var row = 0L
    while row < entries.size do
      counts(part(row)) += 1
      row += 1

  def copySorted(source: RowMover, table: Table[?, ?]): Unit =
    source.distribute(this, table)
    if keyBits > 0 then
      val (memory, offset) = entries.words()
      makeWords(memory, offset)
      val target = RowMover(table)
      val sort = SmallKeySort(counts.max.toInt)
      var part = 0
      while part < counts.length do
        val count = counts(part).toInt
        sort.putWords(memory, offset + starts(part) * 8, count)
        sort.sort(count, Math.ceilDiv(keyBits, 8))
        target.arrangeNarrow(starts(part), count, sort, sort.spare)
        part += 1

  /** Stores the words of all rows, by parts. */
  private def makeWords(memory: MemorySegment, offset: Long): Unit =
    val (entries, starts, heads) = (this.entries, this.starts, this.heads)
    val (shift, mask) = (digit.shift, digit.values - 1)
    val rows = entries.size
    var row = 0L
    while row < rows do
      val key = entries.newKey(row)
      val part = (key >>> shift).toInt & mask
      val head = heads(part)
      heads(part) = head + 1
      val word = SmallKeySort.word((head - starts(part)).toInt, key << (64 - shift))
      memory.set(ValueLayouts.long, offset + head * 8, word)
      row += 1
end CachedParts
