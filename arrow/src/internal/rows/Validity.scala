package undercroft.arrow
package internal.rows

import undercroft.struct.internal.bytes.MappedReads
import java.lang.foreign.{MemorySegment, ValueLayout}

/** Whether the value of a row is present, for the rows of a batch. */
private[arrow] trait Validity:
  def apply(row: Int): Boolean

  /** The number of present values among the first `rows` rows. */
  def count(rows: Int): Long =
    var total = 0L
    var i = 0
    while i < rows do
      if apply(i) then total += 1
      i += 1
    total
end Validity

private[arrow] object Validity:

  /** Present if the byte of a row is not 0. */
  def ifSet(memory: MemorySegment, places: ValuePlaces): Validity =
    row => memory.get(ValueLayout.JAVA_BYTE, places.at(row)) != 0

  /** Present if the tag of a row is `number`. */
  def ifNumber(memory: MemorySegment, places: ValuePlaces, size: Int, number: Int): Validity =
    val cases = Numbers(memory, places, size)
    row => cases(row) == number

  /** Unsigned integers of 1, 2 or 4 bytes; a value that does not fit an Int is negative. */
  final class Numbers(memory: MemorySegment, places: ValuePlaces, size: Int):
    def apply(row: Int): Int =
      val at = places.at(row)
      size match
        case 1 => memory.get(ValueLayout.JAVA_BYTE, at) & 0xff
        case 2 => memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, at) & 0xffff
        case _ =>
          memory.get(ValueLayout.JAVA_INT_UNALIGNED, at) + MappedReads.zeroOf(isMapped = true)
end Validity
