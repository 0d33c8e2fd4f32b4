package undercroft.struct
package internal.bytes

import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary

/** Reads rows too wide to be read in place: copies a row's bytes to the heap in one step. */
@publicInBinary private[undercroft] object WideRowReader:

  /** Zeroes `bytes` bytes. */
  def clear(segment: MemorySegment, base: Long, bytes: Int): Unit =
    var at = 0
    while at + 8 <= bytes do
      segment.set(ValueLayouts.long, base + at, 0L)
      at += 8
    while at < bytes do
      segment.set(ValueLayouts.byte, base + at, 0.toByte)
      at += 1

  /** The `bytes` bytes starting at `base`, at least 8, as words; the last word ends with the last
    * byte, and so may overlap the previous word.
    */
  def words(segment: MemorySegment, base: Long, bytes: Int): Array[Long] =
    val words = new Array[Long]((bytes + 7) / 8)
    MemorySegment.copy(segment, ValueLayouts.long, base, words, 0, bytes / 8)
    words(words.length - 1) = segment.get(ValueLayouts.long, base + bytes - 8)
    words

  /** The leaves of a row in columns whose element sizes are the characters of `sizes`. */
  def gather(segment: MemorySegment, capacity: Long, row: Long, sizes: String): Array[Long] =
    val values = new Array[Long](sizes.length)
    var column = 0L
    var leaf = 0
    while leaf < values.length do
      val size = sizes.charAt(leaf).toInt
      val at = capacity * column + row * size
      values(leaf) = size match
        case 1 => segment.get(ValueLayouts.byte, at).toLong
        case 2 => segment.get(ValueLayouts.short, at).toLong
        case 4 => segment.get(ValueLayouts.int, at) & 0xffffffffL // never `movslq`: see Mapping
        case _ => segment.get(ValueLayouts.long, at)
      column += size
      leaf += 1
    values
end WideRowReader
