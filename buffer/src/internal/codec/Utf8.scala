package undercroft.buffer
package internal.codec

import java.lang.Character.{MAX_SURROGATE, MIN_SURROGATE, isHighSurrogate, isLowSurrogate}
import java.util.HexFormat
import scala.annotation.nowarn

/** UTF-8 encoding and decoding, compatible with Okio: an unpaired surrogate becomes `?`. */
private[undercroft] object Utf8:
  /** Largest number of bytes that the encoder stores for one code point. */
  inline val LongestBytes = 4

  /** Size in bytes of the encoded chars `[from, until)`. */
  def size(text: String, from: Int, until: Int): Long =
    var i = from
    var bytes = 0L
    while i < until do
      val c = text.charAt(i)
      if c < 0x80 then bytes += 1
      else if c < 0x800 then bytes += 2
      else if !isSurrogate(c) then bytes += 3
      else if isPair(text, i, until) then
        bytes += 4
        i += 1
      else bytes += 1
      i += 1
    bytes

  /** Index of the first char in `[from, until)` that is not ASCII, or `until`. */
  def ascii(text: String, from: Int, until: Int): Int =
    var i = from
    // Sixteen chars at a time, with one branch for all of them.
    var charBits = 0
    while i <= until - 16 && charBits < 0x80 do
      charBits = 0
      var j = 0
      while j < 16 do
        charBits |= text.charAt(i + j)
        j += 1
      if charBits < 0x80 then i += 16
    while i < until && text.charAt(i) < 0x80 do i += 1
    i

  /** Copies chars `[from, until)` that are all ASCII. */
  @nowarn(
    "cat=deprecation"
  ) // its deprecated behavior, storing the low bytes, is intended
  def copyAscii(text: String, from: Int, until: Int, target: Array[Byte], at: Int): Unit =
    text.getBytes(from, until, target, at)

  /** Copies chars `[from, until)` to the array while whole blocks are ASCII; returns the index of
    * the first char that was not copied. Each block is tested with one branch and copied by a JVM
    * intrinsic.
    */
  private def copyBlocks(text: String, from: Int, until: Int, target: Array[Byte], at: Int): Int =
    var i = from
    var plain = i < until && text.charAt(i) < 0x80
    while plain do
      val next = i + Math.min(until - i, BlockChars)
      plain = isAscii(text, i, next)
      if plain then
        copyAscii(text, i, next, target, at + i - from)
        i = next
        plain = i < until
    i

  def isAscii(text: String, from: Int, until: Int): Boolean =
    var charBits = 0
    var i = from
    while i < until do
      charBits |= text.charAt(i)
      i += 1
    charBits < 0x80

  private inline val Highs = 0x8080808080808080L

  /** Whether bytes of an array are ASCII and so few that four words test them, which overlap; a
    * decoder tests more bytes faster.
    */
  def isShortAscii(bytes: Array[Byte], at: Int, count: Int): Boolean =
    if count > 32 || at > bytes.length - 8 then false
    else if count < 8 then (NumberCodec.long(bytes, at) << (64 - 8 * count) & Highs) == 0
    else
      val end = at + count - 8
      val first = NumberCodec.long(bytes, at) | NumberCodec.long(bytes, Math.min(at + 8, end))
      val last = NumberCodec.long(bytes, Math.min(at + 16, end)) | NumberCodec.long(bytes, end)
      ((first | last) & Highs) == 0

  /** The text of bytes that are all ASCII. */
  @nowarn("cat=deprecation") // its deprecated behavior, a byte for each char, is intended
  def ascii(bytes: Array[Byte], at: Int, count: Int): String = String(bytes, 0, at, count)

  /** Small enough that a test of a block that is not ASCII costs little. */
  private inline val BlockChars = 128

  /** Encodes chars from `from` on until the text ends or the target has no room for the next one; a
    * char that is not ASCII needs room for [[LongestBytes]].
    *
    * @return
    *   the next char's index in the upper half, the number of bytes written in the lower half
    */
  def encode(text: String, from: Int, until: Int, target: Array[Byte], at: Int, end: Int): Long =
    var i = copyBlocks(text, from, from + Math.min(until - from, end - at), target, at)
    var to = at + i - from
    var room = true
    while room && i < until do
      val c = text.charAt(i)
      if c < 0x80 then
        // A nested loop for a run of ASCII chars: as a separate method it took a fifth longer.
        val shift = to - i
        val stop = i + Math.min(until - i, end - to)
        room = i < stop
        while i < stop && {
            val next = text.charAt(i)
            next < 0x80 && { target(i + shift) = next.toByte; true }
          }
        do i += 1
        to = i + shift
      else if to > end - LongestBytes then room = false
      else if c < 0x800 then
        // Stores four bytes at once, for which there is room: the next char overwrites the excess.
        put(target, to, c >> 6 | 0xc0 | (c & 0x3f | 0x80) << 8)
        to += 2
        i += 1
      else if !isSurrogate(c) then
        put(target, to, c >> 12 | 0xe0 | (c >> 6 & 0x3f | 0x80) << 8 | (c & 0x3f | 0x80) << 16)
        to += 3
        i += 1
      else
        val low = if i + 1 < until then text.charAt(i + 1) else 0.toChar
        if isHighSurrogate(c) && isLowSurrogate(low) then
          val point = Character.toCodePoint(c, low)
          put(
            target,
            to,
            point >> 18 | 0xf0 | (point >> 12 & 0x3f | 0x80) << 8 |
              (point >> 6 & 0x3f | 0x80) << 16 | (point & 0x3f | 0x80) << 24
          )
          to += 4
          i += 2
        else
          target(to) = '?'
          to += 1
          i += 1
      end if
    end while
    i.toLong << 32 | (to - at)
  end encode

  private inline def put(target: Array[Byte], at: Int, bytes: Int): Unit =
    NumberCodec.store(target, at, bytes, 4, true)

  /** The replacement code point for malformed bytes. */
  inline val Replacement = 0xfffd

  /** Length in bytes of a character with this first byte; 1 if it cannot be a first byte. */
  def length(first: Byte): Int =
    if (first & 0xe0) == 0xc0 then 2
    else if (first & 0xf0) == 0xe0 then 3
    else if (first & 0xf8) == 0xf0 then 4
    else 1

  /** The bits of the first byte that belong to the code point. */
  def firstBits(first: Byte, bytes: Int): Int = bytes match
    case 1 => first
    case 2 => first & 0x1f
    case 3 => first & 0x0f
    case _ => first & 0x07

  /** The code point of decoded `bits` from `bytes` bytes; the replacement if they are overlong, a
    * surrogate, or beyond the last code point.
    */
  def character(bits: Int, bytes: Int): Int =
    val minPoint = bytes match
      case 1 => 0
      case 2 => 0x80
      case 3 => 0x800
      case _ => 0x10000
    val surrogate = bits >= 0xd800 && bits <= 0xdfff
    if bits < minPoint || bits > 0x10ffff || surrogate then Replacement else bits

  def hex(byte: Byte): String = "0x" + HexFormat.of.toHexDigits(byte)

  private def isSurrogate(c: Char): Boolean = c >= MIN_SURROGATE && c <= MAX_SURROGATE

  private def isPair(text: String, i: Int, until: Int): Boolean =
    isHighSurrogate(text.charAt(i)) && i + 1 < until && isLowSurrogate(text.charAt(i + 1))
end Utf8
