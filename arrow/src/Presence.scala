package undercroft.arrow

import java.lang.foreign.{MemorySegment, ValueLayout}
import undercroft.struct.internal.Mapping

/** Of each row of a batch, whether something is there. */
private[arrow] trait Presence:
  def apply(row: Int): Boolean

  /** How many of the first `rows` rows it is in. */
  def count(rows: Int): Long =
    var found = 0L
    var i = 0
    while i < rows do
      if apply(i) then found += 1
      i += 1
    found
end Presence

private[arrow] object Presence:

  /** Where a byte is not 0. */
  def ifSet(memory: MemorySegment, start: Long, step: Long): Presence =
    row => memory.get(ValueLayout.JAVA_BYTE, start + row * step) != 0

  /** Where the number of a case is this one. */
  def ifNumber(memory: MemorySegment, start: Long, step: Long, size: Int, number: Int): Presence =
    val cases = Numbers(memory, start, step, size)
    row => cases(row) == number

  /** Numbers without a sign, of 1, 2 or 4 bytes; one that is no Int is negative. */
  final class Numbers(memory: MemorySegment, start: Long, step: Long, size: Int):
    def apply(row: Int): Int =
      val at = start + row * step
      size match
        case 1 => memory.get(ValueLayout.JAVA_BYTE, at) & 0xff
        case 2 => memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, at) & 0xffff
        case _ => memory.get(ValueLayout.JAVA_INT_UNALIGNED, at) + Mapping.zero
end Presence
