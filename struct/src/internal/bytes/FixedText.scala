package undercroft.struct
package internal.bytes

import scala.annotation.publicInBinary
import undercroft.memory.internal.cage.Cage
import java.lang.foreign.MemorySegment
import java.lang.invoke.VarHandle
import java.nio.charset.StandardCharsets.UTF_8
import scala.annotation.unused

/** Text in a field of `bytes` bytes: UTF-8, without NUL, padded with zeros. */
@publicInBinary private[undercroft] object FixedText:

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

  /** Stores a text that fits. It allocates no array of its bytes, so it does not fail on a full
    * heap either: the fields before this one, and a new key of a map, are stored already.
    */
  def store(segment: MemorySegment, at: Long, bytes: Int, text: String): Unit =
    val size = text.length
    if !isAscii(text) then overwrite(segment, at, bytes, text)
    else if size <= LongestLoop || size >= bytes then storeAscii(segment, at, bytes, text)
    else
      segment.setString(at, text, UTF_8) // copies ASCII as it is, then a NUL
      var i = size + 1
      while i + 8 <= bytes do
        segment.set(ValueLayouts.long, at + i, 0L)
        i += 8
      while i < bytes do
        segment.set(ValueLayouts.byte, at + i, 0.toByte)
        i += 1

  /** Whole words can be loaded at once after this: a load of a word that was stored byte by byte
    * waits until the bytes are in the cache.
    */
  private def storeAscii(segment: MemorySegment, at: Long, bytes: Int, text: String): Unit =
    var i = 0
    while i + 8 <= bytes do
      segment.set(ValueLayouts.long, at + i, asciiWord(text, i))
      i += 8
    storeRest(segment, at, bytes, i, if i < bytes then asciiWord(text, i) else 0L)

  /** Stores the last bytes of a field, fewer than eight, which begin at `from`. */
  private def storeRest(
      segment: MemorySegment,
      at: Long,
      bytes: Int,
      from: Int,
      word: Long
  ): Unit =
    var rest = word
    var i = from
    if (bytes & 4) != 0 then
      segment.set(ValueLayouts.int, at + i, rest.toInt)
      rest >>>= 32
      i += 4
    if (bytes & 2) != 0 then
      segment.set(ValueLayouts.short, at + i, rest.toShort)
      rest >>>= 16
      i += 2
    if (bytes & 1) != 0 then segment.set(ValueLayouts.byte, at + i, rest.toByte)
  end storeRest

  /** Up to eight characters of a text from `from` on as bytes, the first one least significant,
    * then zeros; the text is a multiple of eight bytes long before `from`. If one of the characters
    * is NUL or not ASCII, the result has a bit of [[NotAscii]].
    */
  def asciiWord(text: String, from: Int): Long =
    val size = text.length
    val rest = size - from
    if rest >= 8 then asciiWord8(text, from)
    else if rest <= 0 then 0
    // A word that overlaps the one before needs no branch for each character.
    else if size >= 8 then asciiWord8(text, size - 8) >>> (8 - rest) * 8
    else
      var word = 0L
      var i = size - 1
      while i >= 0 do
        word = word << 8 | asciiByte(text.charAt(i))
        i -= 1
      word

  private def asciiWord8(text: String, from: Int): Long =
    val (c0, c1, c2, c3) = (
      text.charAt(from).toInt,
      text.charAt(from + 1).toInt,
      text.charAt(from + 2).toInt,
      text.charAt(from + 3).toInt
    )
    val (c4, c5, c6, c7) = (
      text.charAt(from + 4).toInt,
      text.charAt(from + 5).toInt,
      text.charAt(from + 6).toInt,
      text.charAt(from + 7).toInt
    )
    val low = c0 | c1 << 8 | c2 << 16 | c3.toLong << 24
    val high = c4 | c5 << 8 | c6 << 16 | c7.toLong << 24
    val word = low | high << 32
    if (c0 | c1 | c2 | c3 | c4 | c5 | c6 | c7) > 0x7f then NotAscii
    else
      word | (word - 0x0101010101010101L) & NotAscii // a byte of zero borrows from its highest bit

  private def asciiByte(char: Char): Int = if isAscii(char) then char.toInt else 0x80

  /** Bits that no word of ASCII has. */
  private inline val NotAscii = 0x8080808080808080L

  /** Whether a text is ASCII, by its words of [[asciiWord]] combined by `|`. Throws if it cannot be
    * stored in `bytes` bytes.
    */
  def isAscii(words: Long, text: String, bytes: Int): Boolean =
    val isPlain = (words & NotAscii) == 0 && text.length <= bytes
    if !isPlain then
      val _ = fitting(text, bytes)
    isPlain

  /** Whether all characters are ASCII and not NUL. */
  def isAscii(text: String): Boolean =
    var i = 0
    while i < text.length && isAscii(text.charAt(i)) do i += 1
    i == text.length

  private def isAscii(char: Char): Boolean = (char - 1).toChar < 0x7f

  /** The longest text of ASCII that is stored word by word faster than as a whole, in bytes. */
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

  /** As [[store]], character by character. */
  def overwrite(segment: MemorySegment, at: Long, bytes: Int, text: String): Unit =
    var place = 0
    var word = 0L
    var i = 0
    while i < text.length do
      val point = pointAt(text, i)
      val size = width(point)
      var k = 0
      while k < size do
        word |= (byteOf(point, size, k) & 0xffL) << 8 * place
        place += 1
        if (place & 7) == 0 then
          segment.set(ValueLayouts.long, at + place - 8, word)
          word = 0
        k += 1
      i += Character.charCount(point)
    place &= -8
    while place + 8 <= bytes do
      segment.set(ValueLayouts.long, at + place, word)
      word = 0
      place += 8
    storeRest(segment, at, bytes, place, word)
  end overwrite

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

  /** Whether the field is the text, without loading it: word by word while the text is ASCII. A
    * text that may be null is a name of a program without explicit nulls.
    */
  def isEqual(segment: MemorySegment, at: Long, bytes: Int, text: String | Null): Boolean =
    (text ne null) && contentEquals(segment, at, bytes, text)

  def contentEquals(segment: MemorySegment, at: Long, bytes: Int, text: String): Boolean =
    val whole = bytes & -8
    var i = 0
    var word = asciiWord(text, 0)
    while i < whole && segment.get(ValueLayouts.long, at + i) == word do
      i += 8
      word = asciiWord(text, i)
    if (word & NotAscii) != 0 then matched(segment, at, bytes, text) == length(segment, at, bytes)
    else i == whole && text.length <= bytes && loadRest(segment, at, bytes) == word

  /** The bytes of a field after its last whole word; the first one least significant. */
  private def loadRest(segment: MemorySegment, at: Long, bytes: Int): Long =
    var word = 0L
    var i = bytes
    if (bytes & 1) != 0 then
      i -= 1
      word = segment.get(ValueLayouts.byte, at + i) & 0xffL
    if (bytes & 2) != 0 then
      i -= 2
      word = word << 16 | segment.get(ValueLayouts.short, at + i) & 0xffffL
    if (bytes & 4) != 0 then
      i -= 4
      word = word << 32 | segment.get(ValueLayouts.int, at + i) & 0xffffffffL
    word

  /** Whether a text is the key of a loop, whose words are computed before it. */
  def isKey(text: String, key: String | Null, @unused first: Long, @unused second: Long): Boolean =
    text.equals(key)

  /** Whether a text starts with the key of a loop, whose words are computed before it. */
  def startsWithKey(
      text: String,
      key: String,
      @unused first: Long,
      @unused firstMask: Long,
      @unused second: Long,
      @unused secondMask: Long
  ): Boolean = !isCut(key) && text.startsWith(key)

  /** Compares a text with the key of a loop, whose words are computed before it. */
  def compareKey(text: String, key: String, @unused first: Long, @unused second: Long): Int =
    compare(segmentOf(text), 0, sizeOf(text), key)

  /** Word `index` of a key, as a field has it, the first byte least significant; -1, which no field
    * has, if the key cannot be stored.
    */
  def keyWord(key: String | Null, index: Int): Long =
    if (key eq null) || !isStorable(key) then -1
    else if isAscii(key) then asciiWord(key, index * 8)
    else java.lang.Long.reverseBytes(word(key, index))

  /** The bytes of [[keyWord]] that the key has. */
  def keyMask(key: String, index: Int): Long =
    val bytes = if isStorable(key) then sizeOf(key) - index * 8 else 0
    if bytes <= 0 then 0 else -1L >>> 64 - Math.min(bytes, 8) * 8

  /** Whether the first 16 bytes of a field are those of a key, as far as the masks say. */
  def hasWords(
      segment: MemorySegment,
      at: Long,
      bytes: Int,
      first: Long,
      firstMask: Long,
      second: Long,
      secondMask: Long
  ): Boolean =
    (firstWord(segment, at, bytes) & firstMask) == first &&
      (bytes <= 8 || (firstWord(segment, at + 8, bytes - 8) & secondMask) == second)

  /** Compares a field with a key by the words of its first 16 bytes, if one of them differs. */
  def compareWords(
      segment: MemorySegment,
      at: Long,
      bytes: Int,
      key: String,
      first: Long,
      second: Long
  ): Int =
    val low = firstWord(segment, at, bytes)
    if first == -1 then compare(segment, at, bytes, key)
    else if low != first then compareBytes(low, first)
    else
      val high = if bytes <= 8 then 0 else firstWord(segment, at + 8, bytes - 8)
      if high != second then compareBytes(high, second) else compare(segment, at, bytes, key)

  /** Compares by unsigned bytes, the least significant one first. */
  private def compareBytes(a: Long, b: Long): Int =
    java.lang.Long.compareUnsigned(
      java.lang.Long.reverseBytes(a),
      java.lang.Long.reverseBytes(b)
    )

  /** Whether a field that has the words of a prefix has all of it. */
  def startsAfterWords(
      segment: MemorySegment,
      at: Long,
      bytes: Int,
      prefix: String,
      secondMask: Long
  ): Boolean =
    if bytes <= 8 then secondMask == 0
    else secondMask != -1 || startsWith(segment, at, bytes, prefix)

  private def firstWord(segment: MemorySegment, at: Long, bytes: Int): Long =
    if bytes >= 8 then segment.get(ValueLayouts.long, at) else loadRest(segment, at, bytes)

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
    * @param ascii
    *   the result of [[asciiWord]]
    * @param isAscii
    *   whether the text is ASCII
    */
  def fieldWord(text: String, from: Int, ascii: Long, isAscii: Boolean): Long =
    if isAscii then ascii else java.lang.Long.reverseBytes(word(text, from / 8))

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

  private def isStorable(text: String): Boolean =
    var i = 0
    while i < text.length && isStorable(text.codePointAt(i)) do
      i += Character.charCount(text.codePointAt(i))
    i == text.length

  private def width(point: Int): Int =
    if point < 0x80 then 1 else if point < 0x800 then 2 else if point < 0x10000 then 3 else 4

  /** Byte `k` of a code point that takes `size` bytes. */
  private def byteOf(point: Int, size: Int, k: Int): Byte =
    if size == 1 then point.toByte
    else
      val bits = point >> (6 * (size - 1 - k))
      if k == 0 then (bits | (0xf00 >> size)).toByte else ((bits & 0x3f) | 0x80).toByte
end FixedText
