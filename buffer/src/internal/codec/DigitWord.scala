package undercroft.buffer
package internal.codec

/** Eight bytes of digits in a Long, the first byte lowest, processed together.
  *
  * Values are combined in pairs, in pairs of pairs and in halves, each step with one multiplication
  * for all of them: Daniel Lemire, "Quickly parsing eight digits" (2018), and, in the other
  * direction, Paul Khuong, "How to print integers really fast" (2017).
  */
private[buffer] object DigitWord:
  private inline val Zeros = 0x3030303030303030L
  private inline val Highs = 0x8080808080808080L

  /** 10^8, the number of values of a word. */
  private inline val Values = 100_000_000L

  private val powers = Array.iterate(1L, NumberText.MaxScale + 1)(_ * 10)

  /** 10 to the power `exponent`, of 0 to 18. */
  def power(exponent: Int): Long = powers(exponent)

  /** Number of bytes before the first byte whose highest bit is set. */
  private def before(marks: Long): Int =
    java.lang.Long.numberOfTrailingZeros(marks & Highs) >>> 3

  /** The first `count` bytes, moved to the end of the word behind zeros: in two steps, because a
    * shift by 64 leaves a Long unchanged.
    */
  private def last(word: Long, count: Int): Long = word << (32 - 4 * count) << (32 - 4 * count)

  /** All bits if the first byte is a minus sign, otherwise none; without a branch. */
  def minus(word: Long): Long = (((word & 0xff) ^ '-') - 1) >> 63

  /** Number of decimal digits at the beginning: a digit, XOR '0', is at most 9. Only bytes that are
    * no digits carry into the bytes behind them, and a minus sign does not.
    */
  def decimalCount(word: Long): Int = before(noDecimals(word))

  /** As `decimalCount`, but counts a sign at the beginning, too. */
  def signedCount(word: Long, minus: Long): Int = before(noDecimals(word) & ~(minus & 0xff))

  private def noDecimals(word: Long): Long =
    val digits = word ^ Zeros
    (digits + 0x7676767676767676L) | digits

  /** The value of the first `count` bytes, all decimal digits. */
  def decimalValue(word: Long, count: Int): Long = digitsValue(word ^ Zeros, count)

  /** As `decimalValue`, with a sign at the beginning if `minus` has all bits. */
  def signedValue(word: Long, minus: Long, count: Int): Long =
    digitsValue((word ^ Zeros) & ~(minus & 0xff), count)

  private def digitsValue(word: Long, count: Int): Long =
    val digits = last(word, count)
    val pairs = (digits * 10 + (digits >>> 8)) & 0x00ff00ff00ff00ffL
    val quads = (pairs * 100 + (pairs >>> 16)) & 0x0000ffff0000ffffL
    (quads * 10_000 + (quads >>> 32)) & 0xffffffffL

  /** Number of hexadecimal digits at the beginning. Lower case, XOR 0x60, is 1 to 6 for a letter.
    */
  def hexadecimalCount(word: Long): Int =
    val digits = word ^ Zeros
    val letters = (word | 0x2020202020202020L) ^ 0x6060606060606060L
    val noDigits = (digits + 0x7676767676767676L) | digits
    val noLetters =
      (letters + 0x7979797979797979L) | letters | ~(letters + 0x7f7f7f7f7f7f7f7fL)
    before(noDigits & noLetters)

  /** The value of the first `count` bytes, all hexadecimal digits. */
  def hexadecimalValue(word: Long, count: Int): Long =
    // A letter has bit 6, and 1 to 6 in its low half.
    val nibbles = (word & 0x0f0f0f0f0f0f0f0fL) + ((word >>> 6) & 0x0101010101010101L) * 9
    var packed = java.lang.Long.reverseBytes(last(nibbles, count))
    packed = (packed | packed >>> 4) & 0x00ff00ff00ff00ffL
    packed = (packed | packed >>> 8) & 0x0000ffff0000ffffL
    (packed | packed >>> 16) & 0xffffffffL

  /** 10^16, the number of values of two words. */
  inline val PairValues = 10_000_000_000_000_000L

  /** Passes the text of a number in `[0, 10^16)` to `put`: words, and the number of their bytes
    * that belong to it. Leading zeros are shifted out without a branch, because numbers of
    * different lengths would make it unpredictable.
    */
  inline def formatDecimal(value: Long)(inline put: (Long, Int) => Unit): Unit =
    val upper = value / Values
    val high = decimalDigits(upper.toInt)
    val low = decimalDigits((value - upper * Values).toInt)
    val zeroBits = java.lang.Long.numberOfTrailingZeros(high) & 0x78
    // All bits if the first eight digits are zeros.
    val isShort = -(zeroBits >>> 6).toLong
    val lowBits = java.lang.Long.numberOfTrailingZeros(low | 1L << 56) & 0x38
    val shift = (zeroBits & 0x38) | (lowBits & isShort.toInt)
    val begin = (high ^ ((high ^ low) & isShort)) + Zeros
    val rest = (low + Zeros) & ~isShort
    val count = 16 - (shift >>> 3) - (isShort.toInt & 8)
    put(begin >>> shift | rest << 1 << (63 - shift), Math.min(count, 8))
    put(rest >>> shift, Math.max(count - 8, 0))

  /** As `formatDecimal`, for a magnitude up to that of Long.MinValue, which is negative. */
  inline def formatLongDecimal(magnitude: Long)(inline put: (Long, Int) => Unit): Unit =
    val upper = java.lang.Long.divideUnsigned(magnitude, Values)
    val top = upper / Values
    if top == 0 then formatDecimal(magnitude)(put)
    else
      formatDecimal(top)(put)
      put(decimalDigits((upper - top * Values).toInt) + Zeros, 8)
      put(decimalDigits((magnitude - upper * Values).toInt) + Zeros, 8)

  /** As `formatDecimal`, for all 64 bits, in lower case: leading zeros are shifted out before. */
  inline def formatHexadecimal(value: Long)(inline put: (Long, Int) => Unit): Unit =
    val count = (67 - java.lang.Long.numberOfLeadingZeros(value | 1)) >>> 2
    val aligned = value << (64 - 4 * count)
    put(hexadecimalText(hexadecimalDigits(aligned >>> 32)), Math.min(count, 8))
    put(hexadecimalText(hexadecimalDigits(aligned & 0xffffffffL)), Math.max(count - 8, 0))

  /** The eight decimal digits of a value below 10^8, a byte each. */
  private def decimalDigits(value: Int): Long =
    val quads = (value / 10_000) | (value % 10_000).toLong << 32
    val hundreds = ((quads * 10_486) >>> 20) & 0x0000007f0000007fL
    val pairs = hundreds | (quads - hundreds * 100) << 16
    val tens = ((pairs * 103) >>> 10) & 0x000f000f000f000fL
    tens | (pairs - tens * 10) << 8

  /** The eight hexadecimal digits of a value below 2^32, a byte each. */
  private def hexadecimalDigits(value: Long): Long =
    var spread = (value | value << 16) & 0x0000ffff0000ffffL
    spread = (spread | spread << 8) & 0x00ff00ff00ff00ffL
    java.lang.Long.reverseBytes((spread | spread << 4) & 0x0f0f0f0f0f0f0f0fL)

  private def hexadecimalText(digits: Long): Long =
    // A digit above 9 carries into bit 4 if 6 is added.
    digits + Zeros + (((digits + 0x0606060606060606L) >>> 4) & 0x0101010101010101L) * ('a' - '9' - 1)
end DigitWord
