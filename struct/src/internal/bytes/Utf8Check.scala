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
    var at = start
    var fault = ""
    while fault.isEmpty && at < end do
      if at + 8 <= end && isPlain(segment.get(ValueLayouts.long, at)) then at += 8
      else
        val bytes = sequence(segment, at, end)
        if bytes == 0 then
          fault = if byte(segment, at) == 0 then "contains a NUL" else "is not UTF-8"
        at += bytes
    fault

  /** Whether 8 bytes are ASCII without NUL. */
  private def isPlain(word: Long): Boolean =
    val zeros = (word - 0x0101010101010101L) & ~word
    ((word | zeros) & 0x8080808080808080L) == 0

  /** The bytes of the code point at a position; 0 if it is a NUL or malformed (Unicode, table 3-7).
    */
  private def sequence(segment: MemorySegment, at: Long, end: Long): Int =
    val first = byte(segment, at)
    def next(i: Int, low: Int, high: Int): Boolean =
      at + i < end && {
        val value = byte(segment, at + i)
        value >= low && value <= high
      }
    def rest(i: Int): Boolean = next(i, 0x80, 0xbf)
    if first == 0 then 0
    else if first < 0x80 then 1
    else if first >= 0xc2 && first <= 0xdf then if rest(1) then 2 else 0
    else if first >= 0xe0 && first <= 0xef then
      val low = if first == 0xe0 then 0xa0 else 0x80
      val high = if first == 0xed then 0x9f else 0xbf
      if next(1, low, high) && rest(2) then 3 else 0
    else if first >= 0xf0 && first <= 0xf4 then
      val low = if first == 0xf0 then 0x90 else 0x80
      val high = if first == 0xf4 then 0x8f else 0xbf
      if next(1, low, high) && rest(2) && rest(3) then 4 else 0
    else 0
  end sequence

  private def byte(segment: MemorySegment, at: Long): Int =
    segment.get(ValueLayouts.byte, at) & 0xff
end Utf8Check
