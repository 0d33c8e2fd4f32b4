package undercroft.buffer

import java.lang.Character.{MAX_SURROGATE, MIN_SURROGATE, isHighSurrogate, isLowSurrogate}
import scala.annotation.nowarn

/** Text as UTF-8, as Okio writes it: a surrogate that has no pair becomes `?`. */
private[buffer] object Utf8:
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
    while i + 16 <= until && all < 0x80 do
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

  /** Encodes chars from `from` on until the text or the target ends; the target has room for
    * [[LongestBytes]] at least.
    *
    * @return
    *   the next char's index in the upper half, the bytes written in the lower
    */
  def encode(text: String, from: Int, until: Int, target: Array[Byte], at: Int, end: Int): Long =
    var i = from
    var to = at
    while i < until && to <= end - LongestBytes do
      val c = text.charAt(i)
      if c < 0x80 then
        target(to) = c.toByte
        to += 1
      else if c < 0x800 then
        target(to) = (c >> 6 | 0xc0).toByte
        target(to + 1) = (c & 0x3f | 0x80).toByte
        to += 2
      else if !isSurrogate(c) then
        target(to) = (c >> 12 | 0xe0).toByte
        target(to + 1) = (c >> 6 & 0x3f | 0x80).toByte
        target(to + 2) = (c & 0x3f | 0x80).toByte
        to += 3
      else if isPair(text, i, until) then
        val point = Character.toCodePoint(c, text.charAt(i + 1))
        target(to) = (point >> 18 | 0xf0).toByte
        target(to + 1) = (point >> 12 & 0x3f | 0x80).toByte
        target(to + 2) = (point >> 6 & 0x3f | 0x80).toByte
        target(to + 3) = (point & 0x3f | 0x80).toByte
        to += 4
        i += 1
      else
        target(to) = '?'
        to += 1
      end if
      i += 1
    end while
    i.toLong << 32 | (to - at)
  end encode

  private def isSurrogate(c: Char): Boolean = c >= MIN_SURROGATE && c <= MAX_SURROGATE

  private def isPair(text: String, i: Int, until: Int): Boolean =
    isHighSurrogate(text.charAt(i)) && i + 1 < until && isLowSurrogate(text.charAt(i + 1))
end Utf8
