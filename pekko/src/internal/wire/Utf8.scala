package undercroft.pekko
package internal.wire

import java.nio.ByteBuffer

/** UTF-8 without an array in between. */
private[pekko] object Utf8:

  /** The number of bytes of a text.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the text has half a surrogate pair, which UTF-8 cannot express, or 2 GiB and more
    */
  def sizeOf(text: String): Int =
    var size = text.length.toLong
    var i = 0
    while i < text.length do
      val char = text.charAt(i)
      if char >= 0x80 then
        if char < 0x800 then size += 1
        else
          size += 2
          if Character.isSurrogate(char) then
            if !isPair(text, i) then
              throw IllegalArgumentException(
                s"a text in a message has half a surrogate pair at index $i of ${text.length}"
              )
            i += 1 // the pair's second char has its own byte in `size`; together they are 4
      i += 1
    if size > WireOutput.MaxBytes then
      throw IllegalArgumentException(
        s"a text in a message has at most ${WireOutput.MaxBytes} bytes: $size"
      )
    size.toInt
  end sizeOf

  private def isPair(text: String, at: Int): Boolean =
    Character.isHighSurrogate(text.charAt(at)) && at + 1 < text.length &&
      Character.isLowSurrogate(text.charAt(at + 1))

  /** Writes a text that [[sizeOf]] accepts. */
  def write(text: String, buffer: ByteBuffer): Unit =
    var i = 0
    while i < text.length do
      val point = text.codePointAt(i)
      if point < 0x80 then buffer.put(point.toByte): Unit
      else if point < 0x800 then
        buffer.put((0xc0 | point >> 6).toByte).put(tail(point)): Unit
      else if point < 0x10000 then
        buffer.put((0xe0 | point >> 12).toByte).put(tail(point >> 6)).put(tail(point)): Unit
      else
        buffer.put((0xf0 | point >> 18).toByte).put(tail(point >> 12)): Unit
        buffer.put(tail(point >> 6)).put(tail(point)): Unit
      i += Character.charCount(point)

  private def tail(bits: Int): Byte = (0x80 | bits & 0x3f).toByte
end Utf8
