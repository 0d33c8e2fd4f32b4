package undercroft.duckdb
package internal.scan

import java.lang.foreign.ValueLayout
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays
import undercroft.file.{FieldSlices, TextSlice}

/** A condition on a text. Texts are compared by their bytes in UTF-8, in DuckDB's order. */
private[duckdb] enum TextCondition derives CanEqual:
  case Among(texts: Vector[Array[Byte]])

  /** Texts before a limit, or equal to it if `included`. */
  case Before(limit: Array[Byte], included: Boolean)

  /** Texts after a limit, or equal to it if `included`. */
  case After(limit: Array[Byte], included: Boolean)

  case StartsWith(prefix: Array[Byte])

  /** Whether a text fulfils the condition. */
  def holds(text: String): Boolean =
    val bytes = text.getBytes(UTF_8).nn
    this match
      case Among(texts)         => texts.exists(Arrays.equals(_, bytes))
      case Before(limit, equal) => TextCondition.isBefore(compare(bytes, limit), equal)
      case After(limit, equal)  => TextCondition.isBefore(-compare(bytes, limit), equal)
      case StartsWith(prefix) =>
        val agreed = Arrays.mismatch(bytes, prefix)
        agreed < 0 || agreed == prefix.length

  private def compare(a: Array[Byte], b: Array[Byte]): Int = Arrays.compareUnsigned(a, b)
end TextCondition

private[duckdb] object TextCondition:
  /** Whether a comparison's result is that of a text before a limit. */
  private[duckdb] def isBefore(compared: Int, included: Boolean): Boolean =
    compared < 0 || included && compared == 0

  /** The bytes of a constant; None if the bytes of a field do not decide: a text may have U+FFFD
    * for bytes that are not UTF-8, and zero bytes end it.
    */
  def constant(text: String): Option[Array[Byte]] =
    Option.when(!text.exists(c => c == Replacement || c == 0))(text.getBytes(UTF_8).nn)

  private final val Replacement = '\ufffd'
end TextCondition

/** Selects rows by a condition on a text. Confined to one thread. */
private[duckdb] final class TextFilter(
    lanes: FieldSlices,
    filter: ColumnFilter,
    condition: TextCondition
) extends RowSelector:
  private val memory = lanes.memory
  private val size = filter.textSize
  private val start = lanes.start(filter.offset, size)
  private val step = lanes.step(size)
  private val slice = TextSlice(memory, start, step, size)

  def fits(row: Long): Boolean = holds(row) != filter.isNegated

  private def holds(row: Long): Boolean = condition match
    case TextCondition.Among(texts) =>
      val at = start + row * step
      var k = 0
      while k < texts.length && !equal(at, texts(k)) do k += 1
      k < texts.length
    case TextCondition.Before(limit, included) =>
      TextCondition.isBefore(compare(row, limit), included)
    case TextCondition.After(limit, included) =>
      TextCondition.isBefore(-compare(row, limit), included)
    case TextCondition.StartsWith(prefix) => common(start + row * step, prefix) == prefix.length

  /** The number of bytes in which the field at `at` and a constant agree. */
  private def common(at: Long, constant: Array[Byte]): Int =
    val most = Math.min(size, constant.length)
    var i = 0
    while i < most && byte(at + i) == constant(i) do i += 1
    i

  private def equal(at: Long, constant: Array[Byte]): Boolean =
    val length = constant.length
    length <= size && common(at, constant) == length &&
    (length == size || byte(at + length) == 0)

  /** The order of a row's text and a constant. */
  private def compare(row: Long, constant: Array[Byte]): Int =
    val at = start + row * step
    val same = common(at, constant)
    val next = if same < size then byte(at + same) else 0.toByte
    // The bytes before are whole characters of the constant, unless the next one continues a character.
    val isInside = same < constant.length && (constant(same) & 0xc0) == 0x80
    if next < 0 || isInside then decoded(row, constant)
    else if next == 0 then if same == constant.length then 0 else -1
    else if same == constant.length then 1
    else Integer.compare(next & 0xff, constant(same) & 0xff)

  /** Compares the text as it is read, with invalid sequences replaced. */
  private def decoded(row: Long, constant: Array[Byte]): Int =
    val length = slice.load(row)
    Arrays.compareUnsigned(slice.bytes, 0, length, constant, 0, constant.length)

  private def byte(at: Long): Byte = memory.get(TextFilter.layout, at)
end TextFilter

private[duckdb] object TextFilter:
  private val layout: ValueLayout.OfByte = ValueLayout.JAVA_BYTE.nn
end TextFilter
