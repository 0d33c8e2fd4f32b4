package undercroft.file

import java.lang.foreign.{MemorySegment, ValueLayout}
import java.lang.foreign.ValueLayout.{JAVA_BYTE, JAVA_LONG_UNALIGNED}
import java.nio.ByteOrder.LITTLE_ENDIAN
import java.nio.charset.StandardCharsets.UTF_8

/** A copy of whole lines of a text file: the bytes `[from, until)` of `memory`. Each line ends with
  * a line feed, except for the last one of a file, which may end without. Created by
  * [[parFoldLines]].
  *
  * Valid during the call that it is passed to, on that thread: then `memory` is closed. Positions
  * are in bytes from the start of `memory`; one outside of it throws IndexOutOfBoundsException.
  * `memory` has 16 more bytes, without a meaning, after `until`, so that two words can be read at
  * each position. No operation allocates.
  *
  * {{{
  * import java.nio.file.Files
  * val path = Files.writeString(Files.createTempFile("prices", ".txt"), "ale;2.5\nrum;-1\n")
  * val sum = parFoldLines(path)(0L)((total, lines) =>
  *   var (sum, at) = (total, lines.from)
  *   while at < lines.until do
  *     val (name, line) = (lines.indexOf(';', at), lines.indexOf('\n', at))
  *     sum += lines.decimal(name + 1, line, scale = 1)
  *     at = line + 1
  *   sum
  * )(_ + _)
  * println(sum) // 15
  * }}}
  */
final class LineBlock private[file] (
    val memory: MemorySegment,
    val from: Long,
    val until: Long,
    base: Long
):

  /** The offset of the block in the file. */
  private[undercroft] def fileOffset: Long = base + from

  /** The number of lines. */
  private[undercroft] def count: Int =
    val pattern = '\n' * LineBlock.Ones
    var (at, feeds) = (from, 0)
    while at + java.lang.Long.BYTES <= until do
      val difference = memory.get(LineBlock.Word, at) ^ pattern
      // The highest bit of each byte that differs.
      val others = ((difference & ~LineBlock.Highs) + ~LineBlock.Highs) | difference
      feeds += java.lang.Long.bitCount(~others & LineBlock.Highs)
      at += java.lang.Long.BYTES
    while at < until do
      if memory.get(JAVA_BYTE, at) == '\n' then feeds += 1
      at += 1
    if memory.get(JAVA_BYTE, until - 1) == '\n' then feeds else feeds + 1

  /** The position of the first `char`, which must be ASCII, in `[start, until)`, or `until` if
    * there is none. Compares sixteen bytes at a time.
    *
    * @throws java.lang.IllegalArgumentException
    *   if `char` is not ASCII
    */
  def indexOf(char: Char, start: Long): Long =
    if char > 0x7f then throw IllegalArgumentException(s"char must be ASCII: '$char'")
    val pattern = char * LineBlock.Ones
    var at = start
    var low, high = 0L
    while (low | high) == 0 && at < until do
      low = LineBlock.matches(memory.get(LineBlock.Word, at) ^ pattern)
      high = LineBlock.matches(memory.get(LineBlock.Word, at + 8) ^ pattern)
      if (low | high) == 0 then at += 16
    if (low | high) == 0 then until
    else
      // Without a branch for the word, which would often be mispredicted.
      val isHigh = ~(low | -low) >> 63
      val bits = java.lang.Long.numberOfTrailingZeros(low | high & isHigh)
      Math.min(at + (8 & isHigh) + (bits >>> 3), until)

  /** The decimal number in the bytes `[start, end)`, such as `-0.5`, as a multiple of `10^-scale`:
    * -5 with the scale 1.
    *
    * @param scale
    *   the most digits after the point, from 0 to 17
    * @throws java.lang.NumberFormatException
    *   if the bytes are not a number with a digit before and after a point, have more digits after
    *   it than `scale`, or more than 18 digits with those that the scale adds
    */
  def decimal(start: Long, end: Long, scale: Int): Long =
    if scale < 0 || scale >= LineBlock.MaxDigits then
      throw IllegalArgumentException(s"scale must be in [0, ${LineBlock.MaxDigits - 1}]: $scale")
    val first = if start < end && memory.get(JAVA_BYTE, start) == '-' then start + 1 else start
    var (value, digits, point, isNumber) = (0L, 0, -1, true)
    var at = first
    while at < end && isNumber do
      val digit = memory.get(JAVA_BYTE, at) - '0'
      if digit >= 0 && digit <= 9 then
        value = value * 10 + digit
        digits += 1
      else
        isNumber = digit == '.' - '0' && point < 0 && digits > 0
        point = digits
      isNumber &&= digits <= LineBlock.MaxDigits
      at += 1
    var missing = if point < 0 then scale else scale - (digits - point)
    if !isNumber || digits == 0 || point == digits || missing < 0
      || digits + missing > LineBlock.MaxDigits
    then throw LineBlock.malformed(memory, start, end, scale)
    while missing > 0 do
      value *= 10
      missing -= 1
    if first == start then value else -value
  end decimal
end LineBlock

private object LineBlock:
  val Word: ValueLayout.OfLong = JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN).nn

  /** The highest bit of the first byte that is 0, and perhaps of later bytes. */
  def matches(difference: Long): Long = (difference - Ones) & ~difference & Highs

  inline val Ones = 0x0101010101010101L
  inline val Highs = 0x8080808080808080L

  /** The digits that every Long has room for. */
  inline val MaxDigits = 18

  /** The most bytes of a text that a message shows. */
  private inline val MaxShown = 64L

  def malformed(memory: MemorySegment, start: Long, end: Long, scale: Int): NumberFormatException =
    val bytes = memory.asSlice(start, Math.max(end - start, 0).min(MaxShown)).toArray(JAVA_BYTE)
    NumberFormatException(
      s"\"${String(bytes, UTF_8)}\" is not a decimal number with at most $scale digits after the " +
        s"point and $MaxDigits in all"
    )
end LineBlock
