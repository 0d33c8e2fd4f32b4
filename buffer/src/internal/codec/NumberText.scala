package undercroft.buffer
package internal.codec

/** Parses numbers in text.
  *
  * A number that ends inside the first segment is parsed in place, eight digits at a time, and the
  * segment's position is written once. All others are parsed byte by byte, by `scan`; so are those
  * that are malformed or too large.
  */
private[buffer] object NumberText:
  import DigitWord.{decimalCount, decimalValue, hexadecimalCount, hexadecimalValue}
  import DigitWord.{power, signedCount, signedValue}

  private val LowestTenth = Long.MinValue / 10

  /** Bytes of the words that are loaded for a number: a sign, two words, and a byte behind each. */
  private inline val InPlaceBytes = 26

  /** Digits of the largest Long. */
  private inline val LongestDigits = 19

  /** The largest scale: 10^18 is the largest power of ten that is a Long. */
  inline val MaxScale = 18

  /** Largest scale of a number that is parsed in place: 7 digits and 11 zeros fit in a Long. */
  private inline val InPlaceScale = 11

  /** Parses a decimal number; consumes it at the end, so that an error consumes nothing. */
  def decimal(source: BufferedSource): Long =
    val segment = source.buffer.front
    val begin = segment.pos
    if begin > segment.capacity - InPlaceBytes then decimalByBytes(source, -1)
    else
      val word = segment.long(begin)
      val next = segment.long(begin + 8)
      val minus = DigitWord.minus(word)
      val count = signedCount(word, minus)
      // The second word counts if the first one is full: without a branch, as numbers vary in length.
      val more = decimalCount(next) & -(count >>> 3)
      var value = signedValue(word, minus, count) * power(more) + decimalValue(next, more)
      var end = begin + count + more
      if more == 8 then
        // At most four more digits; a further one, or one that could exceed a Long, is not for here.
        val digitsEnd = begin + LongestDigits - minus.toInt
        var digit = segment.byte(end) - '0'
        while digit >= 0 && digit <= 9 && value < -LowestTenth && end < digitsEnd do
          value = value * 10 + digit
          end += 1
          digit = segment.byte(end) - '0'
        if digit >= 0 && digit <= 9 then end = Int.MaxValue
      if count + minus > 0 && end < segment.limit then
        segment.pos = end
        (value ^ minus) - minus
      else decimalByBytes(source, -1)
    end if
  end decimal

  /** Parses a decimal number with at most `scale` digits after a point, as a multiple of the unit
    * `10^-scale`.
    */
  def decimal(source: BufferedSource, scale: Int): Long =
    if scale < 0 || scale > MaxScale then
      throw IllegalArgumentException(s"scale must be in [0, $MaxScale], but is $scale")
    val segment = source.buffer.front
    val begin = segment.pos
    if begin > segment.capacity - InPlaceBytes || scale > InPlaceScale then
      decimalByBytes(source, scale)
    else
      val word = segment.long(begin)
      val minus = DigitWord.minus(word)
      val whole = signedCount(word, minus)
      val point = begin + whole
      val isFraction = (word >>> 8 * whole & 0xff) == '.'
      val rest = if isFraction then word >>> 8 * whole >>> 8 else 0
      // A word has most numbers, with a byte behind them: then one conversion is enough.
      val isInWord = whole + decimalCount(rest) < 7
      val next = if isFraction && !isInWord then segment.long(point + 1) else rest
      val digits = decimalCount(next)
      val end = if isFraction then point + 1 + digits else point
      val isShort = whole + minus > 0 && whole < 8 && digits < 8 && digits <= scale
      if isShort && (digits > 0 || !isFraction) && end < segment.limit then
        segment.pos = end
        val value =
          if isInWord then
            val joined = word & ~(-1L << 8 * whole) | rest << 8 * whole
            signedValue(joined, minus, whole + digits) * power(scale - digits)
          else
            signedValue(word, minus, whole) * power(scale) +
              decimalValue(next, digits) * power(scale - digits)
        (value ^ minus) - minus
      else decimalByBytes(source, scale)
    end if
  end decimal

  /** `scale` is -1 if a point ends the number. */
  private def decimalByBytes(source: BufferedSource, scale: Int): Long =
    source.require(1)
    val negative = source.buffer(0) == '-'
    val begin = if negative then 1L else 0L
    // Uses negative values, because Long.MinValue has no positive counterpart.
    var value = 0L
    var fraction = -1 // number of digits after the point, or -1 before it
    val end = scan(source, begin): (byte, offset) =>
      val digit = byte - '0'
      if digit >= 0 && digit <= 9 then
        if fraction >= scale && fraction >= 0 then
          throw unfit(source.buffer, s"at most ${digits(scale)} after the point", offset + 1)
        value = shifted(source.buffer, value, digit, offset + 1)
        if fraction >= 0 then fraction += 1
        true
      else
        val isPoint = byte == '.' && scale >= 0 && fraction < 0 && offset > begin
        if isPoint then fraction = 0
        isPoint
    if end == begin || fraction == 0 then throw noDigit(source.buffer, "a digit", end)
    var missing = if scale < 0 then 0 else scale - Math.max(fraction, 0)
    while missing > 0 do
      value = shifted(source.buffer, value, 0, end)
      missing -= 1
    if !negative && value == Long.MinValue then
      throw unfit(source.buffer, "a number of 64 bits", end)
    source.buffer.drop(end)
    if negative then value else -value
  end decimalByBytes

  /** A negative value with another digit. */
  private def shifted(buffer: Buffer, value: Long, digit: Int, digits: Long): Long =
    if value < LowestTenth || value * 10 < Long.MinValue + digit then
      throw unfit(buffer, "a number of 64 bits", digits)
    value * 10 - digit

  private def digits(count: Int): String = if count == 1 then "1 digit" else s"$count digits"

  def hexadecimal(source: BufferedSource): Long =
    val segment = source.buffer.front
    val begin = segment.pos
    if begin > segment.capacity - InPlaceBytes then hexadecimalByBytes(source)
    else
      val word = segment.long(begin)
      val next = segment.long(begin + 8)
      val first = hexadecimalCount(word)
      val more = hexadecimalCount(next) & -(first >>> 3)
      val value = hexadecimalValue(word, first) << 4 * more | hexadecimalValue(next, more)
      val count = first + more
      val end = begin + count
      val isWhole = count < 16 || Character.digit(segment.byte(end), 16) < 0
      if count > 0 && isWhole && end < segment.limit then
        segment.pos = end
        value
      else hexadecimalByBytes(source)

  private def hexadecimalByBytes(source: BufferedSource): Long =
    var value = 0L
    source.require(1)
    val end = scan(source, 0): (byte, offset) =>
      val digit = Character.digit(byte, 16)
      if digit >= 0 then
        if (value >>> 60) != 0 then
          throw unfit(source.buffer, "a number of 16 hexadecimal digits", offset + 1)
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

  private def unfit(buffer: Buffer, expected: String, digits: Long) =
    val text = Buffer(using buffer.pool)
    buffer.copyTo(text, 0, digits): Unit
    MalformedInputException(expected, text.readUtf8(), buffer.position)
end NumberText
