package undercroft.struct
package internal.bytes

import java.lang.foreign.MemorySegment
import java.nio.charset.StandardCharsets.UTF_8
import java.util.HexFormat
import scala.annotation.publicInBinary
import undercroft.memory.internal.cage.Cage

/** Texts from the bytes of any segment, as they are stored in a field: words of eight bytes, the
  * first byte least significant, zeros after the text. Another thread may change the bytes, so each
  * word is read once and checked in the form in which it is stored.
  */
@publicInBinary private[undercroft] object TextBytes:

  /** The size of a range as a text of at most `maxBytes` bytes. */
  def size(segment: MemorySegment, from: Long, until: Long, maxBytes: Int): Int =
    val _ = java.util.Objects.checkFromToIndex(from, until, segment.byteSize)
    if until - from > maxBytes then
      throw IllegalArgumentException(s"text of ${until - from} bytes does not fit in $maxBytes")
    (until - from).toInt

  def string(segment: MemorySegment, from: Long, until: Long, maxBytes: Int): String =
    val bytes = new Array[Byte](size(segment, from, until, maxBytes))
    MemorySegment.copy(segment, ValueLayouts.byte, from, bytes, 0, bytes.length)
    check(MemorySegment.ofArray(bytes), 0, bytes.length)
    new String(bytes, UTF_8)

  /** Eight bytes from `at` on, with zeros from `until` on, where the text of at least `at - from`
    * bytes ends. Reads no byte outside of the segment. Texts differ in size, so there is no branch
    * for it.
    */
  def word(segment: MemorySegment, from: Long, until: Long, at: Long): Long =
    val rest = until - at
    if segment.byteSize - at >= 8 then segment.get(ValueLayouts.long, at) & mask(rest)
    else if rest <= 0 then 0
    else if until - from >= 8 then segment.get(ValueLayouts.long, until - 8) >>> 64 - rest * 8
    else
      var word = 0L
      var i = until - 1
      while i >= at do
        word = word << 8 | segment.get(ValueLayouts.byte, i) & 0xffL
        i -= 1
      word

  /** Checks the words of a text of up to 16 bytes. */
  def check(low: Long, high: Long, size: Int): Unit =
    if (flags(low, size) | flags(high, size - 8)) != 0 then
      val fault = Utf8Check.fault(low, high, size)
      if fault.nonEmpty then
        val copy = MemorySegment.ofArray(Array(low, high))
        throw unfit(fault, copy, 0, size)

  /** Whether the last byte of a text is NUL, by the word with it. A key that has its words, but is
    * shorter, is another text; each other key with its words is this text, and so is checked.
    */
  private[struct] def endsWithNul(word: Long, size: Int): Boolean =
    (word >>> 8 * (size - 1) & 0xff) == 0 && size > 0

  /** The first `bytes` bytes of a word: none below 1, all from 8 on. */
  private def mask(bytes: Long): Long =
    val half = 4 * Math.max(Math.min(bytes, 8), 0).toInt
    ~(-1L << half << half)

  /** A bit for each byte that is not ASCII, and bits if one is NUL, among the first `bytes` ones.
    */
  private def flags(word: Long, bytes: Int): Long =
    val text = word | Ones & ~mask(bytes)
    (text | text - Ones) & Highs

  /** Checks the text of `bytes` bytes at a place of [[Cage.open]]. */
  private[struct] def check(place: Long, bytes: Int): Unit =
    check(Cage.open, Cage.within(place), bytes)

  private def check(segment: MemorySegment, at: Long, bytes: Int): Unit =
    val fault = Utf8Check.fault(segment, at, bytes)
    if fault.nonEmpty then throw unfit(fault, segment, at, bytes)

  private def unfit(fault: String, segment: MemorySegment, at: Long, bytes: Int) =
    val shown = new Array[Byte](bytes.min(MostShown))
    MemorySegment.copy(segment, ValueLayouts.byte, at, shown, 0, shown.length)
    val hex = HexFormat.of.formatHex(shown) + (if bytes > MostShown then "..." else "")
    IllegalArgumentException(s"text of $bytes bytes $fault: 0x$hex")

  /** The most bytes of a text that ends in the first two words of a longer field. */
  private[struct] inline val MostShort = 15

  /** Writes a text of `bytes` bytes, unchecked, as a key of `keyBytes` bytes, more than 16, at a
    * place of [[Cage.open]]. Returns how many bytes of the key, a multiple of 8, determine it; the
    * others are not written.
    */
  private[struct] def write(
      segment: MemorySegment,
      from: Long,
      bytes: Int,
      place: Long,
      keyBytes: Int
  ): Int =
    var k = 0
    while k + 8 <= bytes do
      set(place + k, segment.get(ValueLayouts.long, from + k))
      k += 8
    if k < bytes then
      set(place + k, word(segment, from, from + bytes, from + k))
      k += 8
    ended(place, bytes, k, keyBytes)
  end write

  /** As the other `write`, for a String. */
  private[struct] def write(text: String, maxBytes: Int, place: Long, keyBytes: Int): Int =
    var found = 0L
    var k = 0
    while k < text.length && k < maxBytes do
      val word = FixedText.asciiWord(text, k)
      found |= word
      set(place + k, word)
      k += 8
    if FixedText.isAscii(found, text, maxBytes) then ended(place, text.length, k, keyBytes)
    else
      val bytes = FixedText.sizeOf(text)
      val whole = bytes + 7 & -8
      FixedText.overwrite(Cage.open, Cage.within(place), whole, text)
      ended(place, bytes, whole, keyBytes)

  /** Writes the zeros that end a text of `bytes` bytes, of whose words `written` bytes are written.
    */
  private def ended(place: Long, bytes: Int, written: Int, keyBytes: Int): Int =
    val end = Math.min(Math.max((bytes & -8) + 8, 16), keyBytes)
    var k = written
    while k < end do
      set(place + k, 0)
      k += 8
    end

  private def set(place: Long, word: Long): Unit =
    Cage.open.set(ValueLayouts.long, Cage.within(place), word)

  private inline val Ones = 0x0101010101010101L
  private inline val Highs = 0x8080808080808080L

  /** The most bytes of a text that a message shows. */
  private inline val MostShown = 64
end TextBytes
