package undercroft.buffer

import java.lang.Character.{MAX_SURROGATE, MIN_SURROGATE, isHighSurrogate, isLowSurrogate}
import scala.annotation.nowarn

/** Text as UTF-8, as Okio writes it: a surrogate that has no pair becomes `?`. */
private[undercroft] object Utf8:
  /** Bytes of the longest character of the first plane, and of two surrogates. */
  inline val LongestBytes = 4

  /** Bytes that chars `[from, until)` become. */
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

  /** The first char of `[from, until)` that is not ASCII, or `until`. */
  def ascii(text: String, from: Int, until: Int): Int =
    var i = from
    // Sixteen chars at a time, without a branch for each.
    var all = 0
    while i <= until - 16 && all < 0x80 do
      all = 0
      var j = 0
      while j < 16 do
        all |= text.charAt(i + j)
        j += 1
      if all < 0x80 then i += 16
    while i < until && text.charAt(i) < 0x80 do i += 1
    i

  /** Copies chars `[from, until)` that are all ASCII. */
  @nowarn(
    "cat=deprecation"
  ) // what it is deprecated for, that it takes low bytes, is what is wanted
  def copyAscii(text: String, from: Int, until: Int, target: Array[Byte], at: Int): Unit =
    text.getBytes(from, until, target, at)

  /** Copies chars `[from, until)` to the array while blocks of them are all ASCII; the first char
    * that was not copied. The chars of a block are looked at without a branch for each, and copied
    * by the JVM.
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

  private def isAscii(text: String, from: Int, until: Int): Boolean =
    var all = 0
    var i = from
    while i < until do
      all |= text.charAt(i)
      i += 1
    all < 0x80

  /** So few that looking at them in vain costs little. */
  private inline val BlockChars = 128

  /** Encodes chars from `from` on until the text ends or the target has no room for the next one;
    * for one that is not ASCII that is [[LongestBytes]].
    *
    * @return
    *   the next char's index in the upper half, the bytes written in the lower
    */
  def encode(text: String, from: Int, until: Int, target: Array[Byte], at: Int, end: Int): Long =
    var i = copyBlocks(text, from, from + Math.min(until - from, end - at), target, at)
    var to = at + i - from
    var room = true
    while room && i < until do
      val c = text.charAt(i)
      if c < 0x80 then
        // A run of ASCII has a loop to itself, within this one: as a method it took a fifth longer.
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
        // As four bytes at once, for which there is room: the next character overwrites the rest.
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
    Numbers.store(target, at, bytes, 4, true)

  /** What stands for bytes that are not UTF-8. */
  inline val Replacement = 0xfffd

  /** Bytes of the character that begins with `first`; 1 for what begins none. */
  def length(first: Byte): Int =
    if (first & 0xe0) == 0xc0 then 2
    else if (first & 0xf0) == 0xe0 then 3
    else if (first & 0xf8) == 0xf0 then 4
    else 1

  /** The bits of a first byte that belong to the character. */
  def firstBits(first: Byte, bytes: Int): Int = bytes match
    case 1 => first
    case 2 => first & 0x1f
    case 3 => first & 0x0f
    case _ => first & 0x07

  /** What the bits of so many bytes mean: overlong forms, surrogates and what is beyond the last
    * character are the replacement.
    */
  def character(bits: Int, bytes: Int): Int =
    val least = bytes match
      case 1 => 0
      case 2 => 0x80
      case 3 => 0x800
      case _ => 0x10000
    val surrogate = bits >= 0xd800 && bits <= 0xdfff
    if bits < least || bits > 0x10ffff || surrogate then Replacement else bits

  def hex(byte: Byte): String = f"0x${byte & 0xff}%02x"

  private def isSurrogate(c: Char): Boolean = c >= MIN_SURROGATE && c <= MAX_SURROGATE

  private def isPair(text: String, i: Int, until: Int): Boolean =
    isHighSurrogate(text.charAt(i)) && i + 1 < until && isLowSurrogate(text.charAt(i + 1))
end Utf8
