package undercroft.struct
package internal.bytes

import java.lang.foreign.MemorySegment

/** Checks of UTF-8. */
private[struct] object Utf8Check:

  /** The fault of bytes as a text without NUL: `contains a NUL`, `is not UTF-8`, or empty. Does not
    * allocate.
    */
  def fault(segment: MemorySegment, start: Long, length: Long): String =
    val end = start + length
    faultOf(start, end)(at => at + 8 <= end && isPlain(segment.get(ValueLayouts.long, at)))(at =>
      segment.get(ValueLayouts.byte, at) & 0xff
    )

  /** As the other `fault`, for the first `length` bytes of two words. */
  def fault(low: Long, high: Long, length: Int): String =
    faultOf(0, length)(_ => false)(at => ((if at < 8 then low else high) >>> at * 8).toInt & 0xff)

  private inline def faultOf(start: Long, end: Long)(inline isPlainWord: Long => Boolean)(
      inline byte: Long => Int
  ): String =
    def byteAt(i: Long) = if i < end then byte(i) else -1
    var at = start
    var fault = ""
    while fault.isEmpty && at < end do
      if isPlainWord(at) then at += 8
      else
        val bytes = sequence(byteAt(at), byteAt(at + 1), byteAt(at + 2), byteAt(at + 3))
        if bytes == 0 then fault = if byteAt(at) == 0 then "contains a NUL" else "is not UTF-8"
        at += bytes
    fault

  /** Whether 8 bytes are ASCII without NUL. */
  private def isPlain(word: Long): Boolean =
    val zeros = (word - 0x0101010101010101L) & ~word
    ((word | zeros) & 0x8080808080808080L) == 0

  /** The bytes of the code point that begins four bytes, -1 after the end; 0 if it is a NUL or
    * malformed (Unicode, table 3-7).
    */
  private def sequence(first: Int, second: Int, third: Int, fourth: Int): Int =
    if first == 0 then 0
    else if first < 0x80 then 1
    else if first >= 0xc2 && first <= 0xdf then if isRest(second) then 2 else 0
    else if first >= 0xe0 && first <= 0xef then
      val low = if first == 0xe0 then 0xa0 else 0x80
      val high = if first == 0xed then 0x9f else 0xbf
      if second >= low && second <= high && isRest(third) then 3 else 0
    else if first >= 0xf0 && first <= 0xf4 then
      val low = if first == 0xf0 then 0x90 else 0x80
      val high = if first == 0xf4 then 0x8f else 0xbf
      if second >= low && second <= high && isRest(third) && isRest(fourth) then 4 else 0
    else 0
  end sequence

  private def isRest(byte: Int): Boolean = byte >= 0x80 && byte <= 0xbf
end Utf8Check
