package undercroft.struct
package internal.bytes

import undercroft.memory.internal.cage.Cage
import java.lang.foreign.MemorySegment
import java.lang.invoke.VarHandle
import java.nio.charset.StandardCharsets.UTF_8

/** Text in a field of `bytes` bytes: UTF-8, without NUL, padded with zeros. */
object FixedText:

  /** The text itself, if it can be stored. */
  def fitting(text: String, bytes: Int): String =
    val size = sizeOf(text)
    if size > bytes then
      throw IllegalArgumentException(s"text of $size bytes does not fit in $bytes: \"$text\"")
    text

  /** The longest prefix that can be stored, cut between code points. */
  def truncated(text: String, bytes: Int): String =
    var end = 0
    var size = 0
    var fits = true
    while fits && end < text.length do
      val point = pointAt(text, end)
      size += width(point)
      fits = size <= bytes
      if fits then end += Character.charCount(point)
    text.substring(0, end).nn

  def load(segment: MemorySegment, at: Long, bytes: Int): String =
    loadWhole(segment, at, length(segment, at, bytes))

  /** The text of `bytes` bytes without padding. */
  def loadWhole(segment: MemorySegment, at: Long, bytes: Int): String =
    val content = new Array[Byte](bytes)
    MemorySegment.copy(segment, ValueLayouts.byte, at, content, 0, content.length)
    new String(content, UTF_8)

  /** Stores a text that fits. Short texts of ASCII are stored word by word, without an array. */
  def store(segment: MemorySegment, at: Long, bytes: Int, text: String): Unit =
    if text.length <= LongestLoop && isAscii(text) then storeAscii(segment, at, bytes, text)
    else
      val content = text.getBytes(UTF_8).nn
      MemorySegment.copy(content, 0, segment, ValueLayouts.byte, at, content.length)
      val _ = segment.asSlice(at + content.length, bytes - content.length).nn.fill(0)

  /** Whole words can be loaded at once after this: a load of a word that was stored byte by byte
    * waits until the bytes are in the cache.
    */
  private def storeAscii(segment: MemorySegment, at: Long, bytes: Int, text: String): Unit =
    var i = 0
    while i + 8 <= bytes do
      segment.set(ValueLayouts.long, at + i, asciiWord(text, i))
      i += 8
    var rest = if i < bytes then asciiWord(text, i) else 0L
    if (bytes & 4) != 0 then
      segment.set(ValueLayouts.int, at + i, rest.toInt)
      rest >>>= 32
      i += 4
    if (bytes & 2) != 0 then
      segment.set(ValueLayouts.short, at + i, rest.toShort)
      rest >>>= 16
      i += 2
    if (bytes & 1) != 0 then segment.set(ValueLayouts.byte, at + i, rest.toByte)

  /** Up to eight characters of a text of ASCII from `from` on, the first one least significant,
    * then zeros. Words that overlap need no branch for each character.
    */
  private def asciiWord(text: String, from: Int): Long =
    val size = text.length
    val rest = size - from
    if rest >= 8 then asciiWord8(text, from)
    else if rest <= 0 then 0
    else if size >= 8 then asciiWord8(text, size - 8) >>> (8 - rest) * 8
    else if size >= 4 then
      asciiWord4(text, 0) | asciiWord4(text, size - 4) << (size - 4) * 8
    else
      text.charAt(0) | text.charAt(size / 2).toLong << size / 2 * 8 |
        text.charAt(size - 1).toLong << (size - 1) * 8

  private def asciiWord8(text: String, from: Int): Long =
    asciiWord4(text, from) | asciiWord4(text, from + 4) << 32

  private def asciiWord4(text: String, from: Int): Long =
    text.charAt(from) | text.charAt(from + 1) << 8 | text.charAt(from + 2) << 16 |
      text.charAt(from + 3).toLong << 24

  /** Whether all characters are ASCII and not NUL. */
  def isAscii(text: String): Boolean =
    val size = text.length
    if size < 8 then
      var bits = 0
      var i = 0
      while i < size do
        bits |= badBits(text, i)
        i += 1
      (bits & ~0x7f) == 0
    else
      // The last eight characters overlap the ones before, so no loop over single ones is needed.
      var bits = badBits8(text, size - 8)
      var i = 0
      while i < size - 8 do
        bits |= badBits8(text, i)
        i += 8
      (bits & ~0x7f) == 0

  private def badBits8(text: String, i: Int): Int =
    badBits4(text, i) | badBits4(text, i + 4)

  private def badBits4(text: String, i: Int): Int =
    badBits(text, i) | badBits(text, i + 1) | badBits(text, i + 2) | badBits(text, i + 3)

  /** Bits beyond the lowest seven are set if the character is NUL or not ASCII. */
  private def badBits(text: String, i: Int): Int =
    val char = text.charAt(i).toInt
    char | (char - 1)

  /** The longest text that is stored word by word. */
  private inline val LongestLoop = 32

  /** Stores a text without the padding after it. */
  def write(segment: MemorySegment, at: Long, text: String): Unit =
    var place = at
    var i = 0
    while i < text.length do
      val point = pointAt(text, i)
      val size = width(point)
      var k = 0
      while k < size do
        segment.set(ValueLayouts.byte, place + k, byteOf(point, size, k))
        k += 1
      place += size
      i += Character.charCount(point)

  /** As [[store]], for a text that fits; neither fails nor allocates. */
  def overwrite(segment: MemorySegment, at: Long, bytes: Int, text: String): Unit =
    write(segment, at, text)
    var i = sizeOf(text)
    while i < bytes do
      segment.set(ValueLayouts.byte, at + i, 0.toByte)
      i += 1

  /** As [[load]], behind a checked reference: read, then checked, as for every field. */
  def loadChecked(bits: Long, at: Long, bytes: Int): String =
    Cage.check(bits, at, bytes)
    val text = load(Cage.segment, Cage.offsetOf(bits) + at, bytes)
    VarHandle.loadLoadFence()
    Cage.check(bits, at, bytes)
    text

  def storeChecked(bits: Long, at: Long, bytes: Int, text: String): Unit =
    Cage.check(bits, at, bytes)
    store(Cage.segment, Cage.offsetOf(bits) + at, bytes, text)

  /** The number of bytes of the field that are text. */
  def length(segment: MemorySegment, at: Long, bytes: Int): Int =
    var i = 0
    var zeros = 0L
    while i <= bytes - 8 && zeros == 0 do
      val word = segment.get(ValueLayouts.long, at + i)
      zeros = (word - 0x0101010101010101L) & ~word & 0x8080808080808080L
      if zeros == 0 then i += 8
    if zeros != 0 then i + java.lang.Long.numberOfTrailingZeros(zeros) / 8
    else
      while i < bytes && segment.get(ValueLayouts.byte, at + i) != 0 do i += 1
      i

  def startsWith(segment: MemorySegment, at: Long, bytes: Int, prefix: String): Boolean =
    matched(segment, at, bytes, prefix) >= 0

  def contains(segment: MemorySegment, at: Long, bytes: Int, part: String): Boolean =
    val end = length(segment, at, bytes)
    var start = 0L
    while start <= end && matched(segment, at + start, (end - start).toInt, part) < 0 do start += 1
    start <= end

  /** The size of `text` in bytes if the field starts with it, or -1. A NUL and half a surrogate
    * pair never match.
    */
  private def matched(segment: MemorySegment, at: Long, bytes: Int, text: String): Int =
    var place = 0
    var i = 0
    while i < text.length && place >= 0 do
      val point = text.codePointAt(i)
      val size = width(point)
      var k = 0
      if !isStorable(point) then place = -1
      while k < size && place >= 0 do
        val isEqual =
          place < bytes && segment.get(ValueLayouts.byte, at + place) == byteOf(point, size, k)
        place = if isEqual then place + 1 else -1
        k += 1
      i += Character.charCount(point)
    place

  /** Whether the field contains the text, without loading it. */
  def contentEquals(segment: MemorySegment, at: Long, bytes: Int, text: String): Boolean =
    matched(segment, at, bytes, text) == length(segment, at, bytes)

  /** Whether a text starts or ends with half a surrogate pair: in a String it matches half of a
    * pair, in a field it never matches.
    */
  def isCut(text: String): Boolean =
    !text.isEmpty && (Character.isLowSurrogate(text.charAt(0)) ||
      Character.isHighSurrogate(text.charAt(text.length - 1)))

  /** Compares by unsigned bytes, which in UTF-8 is the order of the code points, those of NUL and
    * of half a surrogate pair too: no field equals a text that has one.
    */
  def compare(segment: MemorySegment, at: Long, bytes: Int, text: String): Int =
    var order = 0
    var place = 0
    var i = 0
    while i < text.length && order == 0 do
      val point = text.codePointAt(i)
      val size = width(point)
      var k = 0
      if point == 0 then order = if hasByte(segment, at, bytes, place) then 1 else -1
      while k < size && order == 0 do
        val fieldByte =
          if place < bytes then segment.get(ValueLayouts.byte, at + place) & 0xff else 0
        order = fieldByte - (byteOf(point, size, k) & 0xff)
        place += 1
        k += 1
      i += Character.charCount(point)
    if order == 0 && hasByte(segment, at, bytes, place) then 1 else order

  /** Whether the text of a field has a byte `place` bytes after its start, where it may end. */
  private def hasByte(segment: MemorySegment, at: Long, bytes: Int, place: Int): Boolean =
    place < bytes && segment.get(ValueLayouts.byte, at + place) != 0

  /** The word `index` of a field: eight of its bytes, the first one most significant, or fewer and
    * zeros.
    */
  def word(segment: MemorySegment, at: Long, bytes: Int, index: Int): Long =
    val start = at + index * 8L
    val rest = bytes - index * 8
    if rest >= 8 then java.lang.Long.reverseBytes(segment.get(ValueLayouts.long, start))
    else
      var word = 0L
      var k = 0
      while k < rest do
        word |= (segment.get(ValueLayouts.byte, start + k) & 0xffL) << (56 - 8 * k)
        k += 1
      word

  /** The word `index` of a text, as a field has it; reads the text from its start. */
  def word(text: String, index: Int): Long =
    val (from, until) = (index * 8, index * 8 + 8)
    var word = 0L
    var place = 0
    var i = 0
    while i < text.length && place < until do
      val point = pointAt(text, i)
      val size = width(point)
      var k = 0
      while k < size do
        val shift = 56 - 8 * (place + k - from)
        if place + k >= from && shift >= 0 then
          word |= (byteOf(point, size, k) & 0xffL) << shift
        k += 1
      place += size
      i += Character.charCount(point)
    word

  /** Eight bytes of the field of a text from byte `from`, a multiple of 8, on; the first one least
    * significant.
    *
    * @param isAscii
    *   the result of [[FixedText.isAscii]]
    */
  def fieldWord(text: String, from: Int, isAscii: Boolean): Long =
    if isAscii then asciiWord(text, from)
    else java.lang.Long.reverseBytes(word(text, from / 8))

  /** The 32-bit FNV-1a hash of Fowler, Noll and Vo, of the bytes of the text. */
  def hash(segment: MemorySegment, at: Long, bytes: Int): Int =
    var hash = 0x811c9dc5
    var i = 0
    while i < bytes && segment.get(ValueLayouts.byte, at + i) != 0 do
      hash = (hash ^ (segment.get(ValueLayouts.byte, at + i) & 0xff)) * 0x01000193
      i += 1
    hash

  /** The UTF-8 bytes of a text, on the heap. */
  def segmentOf(text: String): MemorySegment = MemorySegment.ofArray(text.getBytes(UTF_8)).nn

  /** The size of a text in UTF-8 bytes; throws if it has a NUL or half a surrogate pair, or is too
    * long.
    */
  def sizeOf(text: String): Int =
    if isAscii(text) then text.length else sizeOfPoints(text)

  private def sizeOfPoints(text: String): Int =
    var size = 0L
    var i = 0
    while i < text.length do
      val point = pointAt(text, i)
      size += width(point)
      i += Character.charCount(point)
    if size > Int.MaxValue then
      throw IllegalArgumentException(s"text must have at most ${Int.MaxValue} bytes, but has $size")
    size.toInt

  private def pointAt(text: String, i: Int): Int =
    val point = text.codePointAt(i)
    if !isStorable(point) then
      throw IllegalArgumentException(
        if point == 0 then s"text has a NUL at $i: C's texts end there"
        else s"text has half a surrogate pair at $i"
      )
    point

  /** Whether a text may have a code point: it is neither NUL nor half a surrogate pair. */
  private def isStorable(point: Int): Boolean =
    point != 0 && (point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE)

  private def width(point: Int): Int =
    if point < 0x80 then 1 else if point < 0x800 then 2 else if point < 0x10000 then 3 else 4

  /** Byte `k` of a code point that takes `size` bytes. */
  private def byteOf(point: Int, size: Int, k: Int): Byte =
    if size == 1 then point.toByte
    else
      val bits = point >> (6 * (size - 1 - k))
      if k == 0 then (bits | (0xf00 >> size)).toByte else ((bits & 0x3f) | 0x80).toByte
end FixedText
