package undercroft.buffer
package internal.codec

import java.nio.charset.Charset

/** Encodes and decodes text of a buffer. */
private[buffer] object TextCodec:
  def append(buffer: Buffer, text: String, from: Int, until: Int): Unit =
    java.util.Objects.checkFromToIndex(from, until, text.length): Unit
    var i = from
    buffer.whole:
      while i < until do
        val target = buffer.writable()
        val done = target.encode(text, i, until, target.limit, target.until)
        buffer.grown(done.toInt)
        i = (done >>> 32).toInt
        if done.toInt == 0 then i = appendSplit(buffer, text, i, until)

  /** Appends one character that may span segments; returns the index of the next char. */
  private def appendSplit(buffer: Buffer, text: String, from: Int, until: Int): Int =
    val scratch = new Array[Byte](Utf8.LongestBytes)
    val done = Utf8.encode(text, from, Math.min(until, from + 2), scratch, 0, scratch.length)
    buffer.append(scratch, 0, done.toInt)
    (done >>> 32).toInt

  def take(buffer: Buffer, byteCount: Int, charset: Charset): String =
    val head = buffer.head
    if byteCount == 0 then ""
    else if byteCount <= head.size then
      val text = head.text(head.pos, byteCount, charset)
      buffer.consumed(byteCount)
      text
    else String(buffer.readByteArray(byteCount), charset)

  /** Reads a character of `bytes` bytes, according to its first byte; they must be available. If
    * one of them is not a continuation byte, it and the later bytes are not consumed.
    */
  def takeCodePoint(buffer: Buffer, bytes: Int): Int =
    val first = buffer(0)
    var bits = Utf8.firstBits(first, bytes)
    var i = 1
    while i < bytes && (buffer(i) & 0xc0) == 0x80 do
      bits = bits << 6 | (buffer(i) & 0x3f)
      i += 1
    buffer.drop(i)
    if i < bytes || (bytes == 1 && first < 0) then Utf8.Replacement
    else Utf8.character(bits, bytes)

  def appendDecimal(buffer: Buffer, value: Long): Unit = buffer.whole:
    // Uses negative values, because Long.MinValue has no positive counterpart.
    var rest = if value > 0 then -value else value
    var digits = 1
    while rest <= -10 do
      rest /= 10
      digits += 1
    if value < 0 then buffer.writeByte('-'): Unit
    var power = 1L
    for _ <- 1 until digits do power *= 10
    rest = if value > 0 then -value else value
    while power > 0 do
      buffer.writeByte('0' - (rest / power % 10).toInt): Unit
      power /= 10

  def appendHexadecimal(buffer: Buffer, value: Long): Unit = buffer.whole:
    var shift = Math.max(0, 60 - java.lang.Long.numberOfLeadingZeros(value) / 4 * 4)
    while shift >= 0 do
      buffer.writeByte(Character.forDigit((value >>> shift).toInt & 15, 16)): Unit
      shift -= 4
end TextCodec
