package undercroft.struct.internal

import java.lang.foreign.MemorySegment

/** Reads rows too wide to be read in place: the rows' bytes come to the heap in one step. */
object Wide:

  /** Zeroes bytes. */
  def clear(segment: MemorySegment, base: Long, bytes: Int): Unit =
    var at = 0
    while at + 8 <= bytes do
      segment.set(Unaligned.long, base + at, 0L)
      at += 8
    while at < bytes do
      segment.set(Unaligned.byte, base + at, 0.toByte)
      at += 1

  /** The `bytes` bytes from `base` on, at least 8, as words; the last word ends with the last byte,
    * and so may overlap the one before.
    */
  def words(segment: MemorySegment, base: Long, bytes: Int): Array[Long] =
    val words = new Array[Long]((bytes + 7) / 8)
    MemorySegment.copy(segment, Unaligned.long, base, words, 0, bytes / 8)
    words(words.length - 1) = segment.get(Unaligned.long, base + bytes - 8)
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
        case 1 => segment.get(Unaligned.byte, at).toLong
        case 2 => segment.get(Unaligned.short, at).toLong
        case 4 => segment.get(Unaligned.int, at) & 0xffffffffL // never `movslq`: see Mapping
        case _ => segment.get(Unaligned.long, at)
      column += size
      leaf += 1
    values
end Wide
