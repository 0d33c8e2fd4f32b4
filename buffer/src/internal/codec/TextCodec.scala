package undercroft.buffer
package internal.codec

import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8

/** Encodes and decodes text of a buffer. */
private[buffer] object TextCodec:
  def append(buffer: Buffer, text: String, from: Int, until: Int): Unit =
    java.util.Objects.checkFromToIndex(from, until, text.length): Unit
    val target = buffer.tail
    val count = until - from
    if count <= ShortChars && target.hasRoom(buffer, count) &&
      target.putAscii(target.limit, text, from, until)
    then target.limit += count
    else appendLong(buffer, text, from, until)

  /** Chars of a text that is tested as a whole before it is copied. */
  private inline val ShortChars = 64

  private def appendLong(buffer: Buffer, text: String, from: Int, until: Int): Unit =
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

  /** Reads the line whose end is in the first segment, among its first `maxBytes` bytes; or returns
    * null.
    */
  def takeFrontLine(buffer: Buffer, maxBytes: Long): String | Null =
    val segment = buffer.front
    val begin = segment.pos
    val lineFeed = segment.findLineFeed(begin, begin + Math.min(maxBytes, segment.size).toInt)
    if lineFeed == -1 then null
    else
      val end = if lineFeed >= 0 then lineFeed else ~lineFeed
      val until = if end > begin && segment.byte(end - 1) == '\r' then end - 1 else end
      val line = segment.text(begin, until - begin, UTF_8, isAscii = lineFeed >= 0)
      buffer.consumed(end + 1 - begin)
      line

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

  def appendDecimal(buffer: Buffer, value: Long): Unit =
    val target = buffer.tail
    val magnitude = Math.abs(value)
    val isShort = magnitude >= 0 && magnitude < DigitWord.PairValues
    if isShort && target.hasRoom(buffer, RoomBytes) then
      target.setByte(target.limit, '-')
      var at = target.limit + (value >>> 63).toInt
      DigitWord.formatDecimal(magnitude): (word, bytes) =>
        target.store(at, word, 8, true)
        at += bytes
      target.limit = at
    else appendLongDecimal(buffer, value)

  private def appendLongDecimal(buffer: Buffer, value: Long): Unit = buffer.whole:
    if value < 0 then buffer.writeByte('-'): Unit
    DigitWord.formatLongDecimal(Math.abs(value))((word, bytes) => appendWord(buffer, word, bytes))

  def appendHexadecimal(buffer: Buffer, value: Long): Unit =
    val target = buffer.tail
    if target.hasRoom(buffer, RoomBytes) then
      var at = target.limit
      DigitWord.formatHexadecimal(value): (word, bytes) =>
        target.store(at, word, 8, true)
        at += bytes
      target.limit = at
    else
      buffer.whole:
        DigitWord.formatHexadecimal(value)((word, bytes) => appendWord(buffer, word, bytes))

  /** Room for a sign and two words: a word is stored whole, and the next one overwrites its excess.
    */
  private inline val RoomBytes = 24

  private def appendWord(buffer: Buffer, word: Long, bytes: Int): Unit =
    val target = buffer.tail
    if target.hasRoom(buffer, 8) then
      target.store(target.limit, word, 8, true)
      target.limit += bytes
    else
      var rest = word
      var i = 0
      while i < bytes do
        buffer.writeByte(rest.toInt): Unit
        rest >>>= 8
        i += 1
end TextCodec
