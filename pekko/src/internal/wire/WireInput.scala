package undercroft.pekko
package internal.wire

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

/** Reads values from bytes that may be cut or forged. Confined to one thread.
  *
  * Each read checks the remaining bytes first, and each value takes at least one byte. So a claimed
  * number of elements is at most the number of remaining bytes, and loops and allocations are
  * proportional to the input.
  *
  * @param typeName
  *   the message's type and case, for errors
  */
private[pekko] final class WireInput(
    buffer: ByteBuffer,
    val typeName: String,
    val refs: WireRefs
):
  private val start = buffer.position

  /** The offset of the next byte, from the message's start. */
  def offset: Int = buffer.position - start

  private def require(size: Int, what: String): Unit =
    if buffer.remaining < size then truncated(size, what)

  private def truncated(size: Long, what: String): Nothing =
    fail(
      MessageFault.Truncated,
      offset,
      offset + size,
      s"$what at offset $offset needs $size bytes, but ${buffer.remaining} remain"
    )

  def fail(
      fault: MessageFault,
      from: Long,
      until: Long,
      detail: String,
      cause: Throwable | Null = null
  ): Nothing =
    throw MessageFormatException(fault, typeName, from, until, detail, cause)

  def boolean(): Boolean =
    require(1, "a Boolean")
    buffer.get match
      case 0 => false
      case 1 => true
      case other =>
        val at = offset - 1
        fail(MessageFault.InvalidValue, at, at + 1, s"a Boolean at offset $at is 0 or 1: $other")

  def byte(): Byte =
    require(1, "a Byte")
    buffer.get

  def short(): Short =
    require(2, "a Short")
    buffer.getShort

  def char(): Char =
    require(2, "a Char")
    buffer.getChar

  def int(): Int =
    require(4, "an Int")
    buffer.getInt

  def long(): Long =
    require(8, "a Long")
    buffer.getLong

  def float(): Float =
    require(4, "a Float")
    buffer.getFloat

  def double(): Double =
    require(8, "a Double")
    buffer.getDouble

  /** A number below 2^31, of at most 5 bytes. */
  private def number(): Int =
    val from = offset
    var value = 0L
    var shift = 0
    var last = 0x80
    while (last & 0x80) != 0 do
      if shift > 28 then tooLarge(from)
      require(1, "a count")
      last = buffer.get
      value |= (last & 0x7fL) << shift
      shift += 7
    if value > Int.MaxValue then tooLarge(from)
    value.toInt

  private def tooLarge(from: Int): Nothing =
    fail(MessageFault.InvalidValue, from, offset, s"a count at offset $from exceeds 2147483647")

  /** The number of elements that follow, each of which takes a byte or more. */
  def count(what: String): Int =
    val from = offset
    val claimed = number()
    if claimed > buffer.remaining then
      fail(
        MessageFault.Truncated,
        from,
        offset + claimed.toLong,
        s"a count at offset $from claims $claimed times $what, but ${buffer.remaining} bytes remain"
      )
    claimed

  /** The number of one of `cases` cases. */
  def caseNumber(cases: Int): Int =
    val from = offset
    val claimed = number()
    if claimed >= cases then
      fail(
        MessageFault.InvalidValue,
        from,
        offset,
        s"a case number at offset $from is in [0, $cases): $claimed"
      )
    claimed

  /** The byte of a record without fields. */
  def emptyRecord(): Unit =
    require(1, "a record without fields")
    val content = buffer.get
    if content != 0 then
      val at = offset - 1
      fail(
        MessageFault.InvalidValue,
        at,
        at + 1,
        s"a record without fields at offset $at is 0: $content"
      )

  def string(): String = string(Int.MaxValue)

  /** A text of at most `maxBytes` bytes. */
  def string(maxBytes: Int): String =
    val from = offset
    val array = bytes()
    if array.length > maxBytes then
      fail(
        MessageFault.InvalidValue,
        from,
        offset,
        s"a text at offset $from has at most $maxBytes bytes: ${array.length}"
      )
    val text = String(array, UTF_8)
    // A malformed sequence was replaced by this character, so the text has other bytes.
    if text.indexOf('\ufffd') >= 0 && !Arrays.equals(text.getBytes(UTF_8), array) then
      fail(MessageFault.InvalidValue, from, offset, s"a text at offset $from is malformed UTF-8")
    text

  def bytes(): Array[Byte] =
    val array = new Array[Byte](count("a byte"))
    buffer.get(array): Unit
    array

  def skip(size: Int, what: String): Unit =
    require(size, what)
    buffer.position(buffer.position + size): Unit

  /** Checks that the message ends here. */
  def end(): Unit =
    if buffer.hasRemaining then
      fail(
        MessageFault.TrailingBytes,
        offset,
        offset + buffer.remaining.toLong,
        s"the message ends at offset $offset, but ${buffer.remaining} bytes follow"
      )
end WireInput
