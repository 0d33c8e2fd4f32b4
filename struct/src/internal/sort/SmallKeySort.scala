package undercroft.struct
package internal.sort

import internal.bytes.ValueLayouts
import java.lang.foreign.MemorySegment

/** Sorts a small number of keys: words of five bytes of a key above an 18-bit row number, by LSD
  * radix sort (D. Knuth, The Art of Computer Programming 3, 5.2.5, algorithm R), which skips bytes
  * that all keys have in common. The row numbers of the sorted words are the order of rows.
  */
private[struct] final class SmallKeySort(maxKeys: Int) extends RowOrder:
  private var words = new Array[Long](maxKeys)
  private var spareWords = new Array[Long](maxKeys)
  private val counts = new Array[Int](SmallKeySort.KeyBytes * 256)

  /** Stores the first bytes of a row's key, most significant byte first. */
  def put(row: Int, key: Long): Unit = words(row) = SmallKeySort.word(row, key)

  /** Stores words that were made before. */
  def putWords(memory: MemorySegment, at: Long, count: Int): Unit =
    MemorySegment.copy(memory, ValueLayouts.long, at, words, 0, count)

  /** The row that belongs at a position. */
  def row(position: Int): Int = words(position).toInt & SmallKeySort.NumberMask

  def row(position: Long): Long = row(position.toInt)

  /** Records that the row at a position is in its final place. */
  def settle(position: Int): Unit = words(position) = position

  /** An unused array as long as the words. */
  def spare: Array[Long] = spareWords

  /** Sorts the first `count` words, whose keys have `keyBytes` remaining bytes. */
  def sort(count: Int, keyBytes: Int): Unit =
    if count < SmallKeySort.Few then java.util.Arrays.sort(words, 0, count)
    else
      val bytes = keyBytes.min(SmallKeySort.KeyBytes)
      this.count(count, bytes)
      var byte = SmallKeySort.KeyBytes - bytes
      while byte < SmallKeySort.KeyBytes do
        if isTold(byte, count) then pass(byte, count)
        byte += 1

  private def count(count: Int, bytes: Int): Unit =
    val (words, counts) = (this.words, this.counts)
    java.util.Arrays.fill(counts, 0)
    var byte = SmallKeySort.KeyBytes - bytes
    while byte < SmallKeySort.KeyBytes do
      val shift = SmallKeySort.NumberBits + byte * 8
      val first = byte * 256
      var k = 0
      while k < count do
        counts(first + ((words(k) >>> shift).toInt & 0xff)) += 1
        k += 1
      byte += 1

  private def isTold(byte: Int, count: Int): Boolean =
    var largest = 0
    var b = byte * 256
    while b < byte * 256 + 256 do
      largest = largest.max(counts(b))
      b += 1
    largest != count

  private def pass(byte: Int, count: Int): Unit =
    val (source, target, heads) = (words, spareWords, counts)
    val first = byte * 256
    var at = 0
    var b = first
    while b < first + 256 do
      val size = heads(b)
      heads(b) = at
      at += size
      b += 1
    val shift = SmallKeySort.NumberBits + byte * 8
    var k = 0
    while k < count do
      val word = source(k)
      val part = first + ((word >>> shift).toInt & 0xff)
      val head = heads(part)
      heads(part) = head + 1
      target(head) = word
      k += 1
    words = target
    spareWords = source
  end pass
end SmallKeySort

private[struct] object SmallKeySort:
  /** Bytes of a key in a word. */
  inline val KeyBytes = 5

  /** The shift that reduces a key of 8 bytes to its first five. */
  inline val KeyShift = 24

  private inline val NumberBits = 18
  private inline val NumberMask = 0x3ffff

  /** The most keys. */
  inline val MaxKeys = 0x40000L

  /** The word of a row, whose key has its most significant byte first. */
  inline def word(row: Int, key: Long): Long = (key >>> KeyShift << NumberBits) | row

  /** Fewer words are sorted by comparison, without counting. */
  private inline val Few = 1024
end SmallKeySort
