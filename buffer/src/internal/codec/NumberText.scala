package undercroft.buffer
package internal.codec

/** Parses numbers in text. */
private[buffer] object NumberText:
  private val LowestTenth = Long.MinValue / 10

  /** Parses a decimal number; consumes it at the end, so that an error consumes nothing. */
  def decimal(source: BufferedSource): Long =
    val buffer = source.buffer
    source.require(1)
    val negative = buffer(0) == '-'
    var at = if negative then 1L else 0L
    val begin = at
    // Uses negative values, because Long.MinValue has no positive counterpart.
    var value = 0L
    while source.request(at + 1) && isDigit(buffer(at)) do
      val digit = buffer(at) - '0'
      if value < LowestTenth || value * 10 < Long.MinValue + digit then
        throw tooLarge(buffer, "a number of 64 bits", at + 1)
      value = value * 10 - digit
      at += 1
    if at == begin then throw noDigit(buffer, "a digit", at)
    if !negative && value == Long.MinValue then throw tooLarge(buffer, "a number of 64 bits", at)
    buffer.drop(at)
    if negative then value else -value

  def hexadecimal(source: BufferedSource): Long =
    val buffer = source.buffer
    source.require(1)
    var at = 0L
    var value = 0L
    while source.request(at + 1) && Character.digit(buffer(at), 16) >= 0 do
      if (value >>> 60) != 0 then
        throw tooLarge(buffer, "a number of 16 hexadecimal digits", at + 1)
      value = value << 4 | Character.digit(buffer(at), 16)
      at += 1
    if at == 0 then throw noDigit(buffer, "a hexadecimal digit", at)
    buffer.drop(at)
    value

  private def isDigit(byte: Byte): Boolean = byte >= '0' && byte <= '9'

  private def noDigit(buffer: Buffer, expected: String, at: Long): java.io.IOException =
    if at == buffer.size then EndOfInputException(expected, buffer.position + at, 0)
    else MalformedInputException(expected, Utf8.hex(buffer(at)), buffer.position + at)

  private def tooLarge(buffer: Buffer, expected: String, digits: Long) =
    val text = Buffer(using buffer.pool)
    buffer.copyTo(text, 0, digits): Unit
    MalformedInputException(expected, text.readUtf8(), buffer.position)
end NumberText
