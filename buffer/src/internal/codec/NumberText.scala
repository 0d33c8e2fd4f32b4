package undercroft.buffer
package internal.codec

/** Parses numbers in text. */
private[buffer] object NumberText:
  private val LowestTenth = Long.MinValue / 10

  /** Parses a decimal number; consumes it at the end, so that an error consumes nothing. */
  def decimal(source: BufferedSource): Long =
    source.require(1)
    val negative = source.buffer(0) == '-'
    val begin = if negative then 1L else 0L
    // Uses negative values, because Long.MinValue has no positive counterpart.
    var value = 0L
    val end = scan(source, begin): (byte, offset) =>
      val digit = byte - '0'
      val isDigit = digit >= 0 && digit <= 9
      if isDigit then
        if value < LowestTenth || value * 10 < Long.MinValue + digit then
          throw tooLarge(source.buffer, "a number of 64 bits", offset + 1)
        value = value * 10 - digit
      isDigit
    if end == begin then throw noDigit(source.buffer, "a digit", end)
    if !negative && value == Long.MinValue then
      throw tooLarge(source.buffer, "a number of 64 bits", end)
    source.buffer.drop(end)
    if negative then value else -value

  def hexadecimal(source: BufferedSource): Long =
    var value = 0L
    source.require(1)
    val end = scan(source, 0): (byte, offset) =>
      val digit = Character.digit(byte, 16)
      if digit >= 0 then
        if (value >>> 60) != 0 then
          throw tooLarge(source.buffer, "a number of 16 hexadecimal digits", offset + 1)
        value = value << 4 | digit
      digit >= 0
    if end == 0 then throw noDigit(source.buffer, "a hexadecimal digit", end)
    source.buffer.drop(end)
    value

  /** The offset of the first byte, from `from` on, that `accepts` returns false for; or the offset
    * of the input's end. Reads the bytes of a segment in place, and waits for more at its end only.
    */
  private inline def scan(source: BufferedSource, from: Long)(
      inline accepts: (Byte, Long) => Boolean
  ): Long =
    var offset = from
    var accepted = true
    while accepted && source.request(offset + 1) do
      val buffer = source.buffer
      val segment = buffer.segment(buffer.indexAt(offset))
      var place = buffer.placeIn(segment, offset)
      val limit = place + buffer.progress(segment.limit - place)
      while accepted && place < limit do
        accepted = accepts(segment.byte(place), offset)
        if accepted then
          place += 1
          offset += 1
    offset

  private def noDigit(buffer: Buffer, expected: String, at: Long): java.io.IOException =
    if at == buffer.size then EndOfInputException(expected, buffer.position + at, 0)
    else MalformedInputException(expected, Utf8.hex(buffer(at)), buffer.position + at)

  private def tooLarge(buffer: Buffer, expected: String, digits: Long) =
    val text = Buffer(using buffer.pool)
    buffer.copyTo(text, 0, digits): Unit
    MalformedInputException(expected, text.readUtf8(), buffer.position)
end NumberText
