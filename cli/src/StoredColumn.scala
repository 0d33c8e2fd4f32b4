package undercroft.cli

import java.lang.foreign.{MemorySegment, ValueLayout}
import java.math.BigInteger
import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID
import undercroft.duckdb.SqlValue
import undercroft.file.format.{LogicalKind, Type}

/** The part of a SQL value that a column stores. */
private[cli] enum StoredPart derives CanEqual:
  case Whole

  /** A decimal without its decimal point. */
  case Unscaled(scale: Int)

  /** The upper or the lower 64 bits of a decimal or a UUID. */
  case Half(kind: LogicalKind, isUpper: Boolean)

private[cli] object StoredPart:
  /** The part that one number stores. */
  def of(kind: LogicalKind): StoredPart = kind match
    case decimal: LogicalKind.Decimal => Unscaled(decimal.scale)
    case _                            => Whole

/** The values of a SQL expression in the rows of a struct file.
  *
  * @param path
  *   the name of the column or of the STRUCT's field, for errors
  */
private[cli] final class StoredColumn(
    path: String,
    val selection: String,
    val stored: Type,
    val offset: Int,
    part: StoredPart
):
  private val caseNumbers: Map[String, Int] = stored match
    case ordinal: Type.Ordinal => Numbers.of(ordinal)
    case _                     => Map.empty

  /** Stores a value at offset `at` in a row whose bytes are all zero. Throws [[BadInput]] with the
    * row's number for a text with U+0000.
    */
  def put(data: MemorySegment, at: Long, row: Long, value: SqlValue): Unit = part match
    case StoredPart.Whole => putWhole(data, at, row, value)
    case StoredPart.Unscaled(scale) =>
      if value != SqlValue.Null then putInteger(data, at, unscaled(value, scale).longValueExact)
    case StoredPart.Half(decimal: LogicalKind.Decimal, isUpper) =>
      if value != SqlValue.Null then
        val digits = unscaled(value, decimal.scale)
        putInteger(data, at, (if isUpper then digits.shiftRight(64).nn else digits).longValue)
    case StoredPart.Half(_, isUpper) =>
      if value != SqlValue.Null then
        val uuid = UUID.fromString(value.show).nn
        val half = if isUpper then uuid.getMostSignificantBits else uuid.getLeastSignificantBits
        putInteger(data, at, half)

  /** The digits of a DECIMAL. */
  private def unscaled(value: SqlValue, scale: Int): BigInteger =
    java.math.BigDecimal(value.show).setScale(scale).nn.unscaledValue.nn

  private def putWhole(data: MemorySegment, at: Long, row: Long, value: SqlValue): Unit =
    value match
      case SqlValue.Null           => ()
      case SqlValue.Bool(is)       => putInteger(data, at, if is then 1 else 0)
      case SqlValue.Integer(value) => putInteger(data, at, value.toLong)
      case SqlValue.Double(value) if stored == Type.Primitive.FLOAT =>
        data.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, value.toFloat)
      case SqlValue.Double(value) => data.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, value)
      case other                  => putText(data, at, row, other.show)

  private def putInteger(data: MemorySegment, at: Long, value: Long): Unit = stored.size match
    case 1 => data.set(ValueLayout.JAVA_BYTE, at, value.toByte)
    case 2 => data.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, value.toShort)
    case 4 => data.set(ValueLayout.JAVA_INT_UNALIGNED, at, value.toInt)
    case _ => data.set(ValueLayout.JAVA_LONG_UNALIGNED, at, value)

  private def putText(data: MemorySegment, at: Long, row: Long, text: String): Unit =
    if caseNumbers.nonEmpty then putInteger(data, at, caseNumbers(text))
    else
      val bytes = text.getBytes(UTF_8)
      val zero = bytes.indexOf(0.toByte)
      if zero >= 0 then
        throw BadInput(
          s"row $row of column '$path' has a text with U+0000 at byte $zero, which is not stored " +
            "in a struct file: it pads texts"
        )
      MemorySegment.copy(bytes, 0, data, ValueLayout.JAVA_BYTE, at, bytes.length)
end StoredColumn

private object Numbers:
  def of(ordinal: Type.Ordinal): Map[String, Int] =
    import scala.jdk.CollectionConverters.*
    ordinal.cases.asScala.zipWithIndex.toMap
