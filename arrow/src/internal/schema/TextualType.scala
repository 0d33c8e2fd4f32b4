package undercroft.arrow
package internal.schema

import java.math.{BigDecimal, BigInteger}
import java.nio.ByteBuffer
import java.time.{DateTimeException, LocalDate, LocalDateTime, LocalTime, ZoneOffset}

/** A type whose values are read as text, in DuckDB's notation: dates, times, decimals, and unsigned
  * integers of 64 bits.
  */
private[arrow] enum TextualType(val size: Int) derives CanEqual:
  /** Days since 1970, or milliseconds of whole days. */
  case Date(bytes: Int) extends TextualType(bytes)

  /** The time since midnight, in `ticks` per second. */
  case Time(bytes: Int, ticks: Long) extends TextualType(bytes)

  /** The time since 1970, in `ticks` per second: in UTC, or without a time zone. */
  case Timestamp(ticks: Long, isUtc: Boolean) extends TextualType(8)
  case Decimal(bytes: Int, precision: Int, scale: Int) extends TextualType(bytes)
  case UInt64 extends TextualType(8)

  def show: String = this match
    case Date(_)          => "date"
    case Time(_, _)       => "time"
    case Timestamp(_, _)  => "timestamp"
    case Decimal(_, _, _) => "decimal"
    case UInt64           => "uint64"

  /** Whether all values are integers. */
  def isInteger: Boolean = this match
    case Decimal(_, _, 0) | UInt64 => true
    case _                         => false

  /** The integer at a position of little-endian bytes, if it is in the range of a Long. */
  def long(values: ByteBuffer, at: Int): Option[Long] = this match
    case Decimal(_, _, 0) =>
      val unscaled = integer(values, at)
      Option.when(unscaled.bitLength < 64)(unscaled.longValue)
    case UInt64 => Some(values.getLong(at)).filter(_ >= 0)
    case _      => None

  /** The text of the value at a position of little-endian bytes; throws DateTimeException if the
    * value is out of range.
    */
  def text(values: ByteBuffer, at: Int): String = this match
    case Date(4) => TextualType.show(LocalDate.ofEpochDay(values.getInt(at)).nn)
    case Date(_) =>
      TextualType.show(LocalDate.ofEpochDay(Math.floorDiv(values.getLong(at), 86_400_000L)).nn)
    case Time(bytes, ticks) =>
      val time = if bytes == 4 then values.getInt(at).toLong else values.getLong(at)
      if time < 0 || time >= 86_400 * ticks then
        throw DateTimeException(s"$time is not in [0, ${86_400 * ticks})")
      TextualType.show(LocalTime.ofNanoOfDay(time * (TextualType.Nanos / ticks)).nn)
    case Timestamp(ticks, isUtc) =>
      val time = values.getLong(at)
      val nanos = Math.floorMod(time, ticks) * (TextualType.Nanos / ticks)
      val seconds = Math.floorDiv(time, ticks)
      val moment = LocalDateTime.ofEpochSecond(seconds, nanos.toInt, ZoneOffset.UTC).nn
      val zone = if isUtc then "+00" else ""
      s"${TextualType.show(moment.toLocalDate.nn)} ${TextualType.show(moment.toLocalTime.nn)}$zone"
    case Decimal(_, _, scale) => BigDecimal(integer(values, at), scale).toPlainString
    case UInt64               => java.lang.Long.toUnsignedString(values.getLong(at)).nn

  private def integer(values: ByteBuffer, at: Int): BigInteger =
    BigInteger(Array.tabulate(size)(i => values.get(at + size - 1 - i)))
end TextualType

private[arrow] object TextualType:
  private inline val Nanos = 1_000_000_000L

  /** The type of the values of a field that are read as text. */
  def of(tpe: ArrowType): Option[TextualType] = tpe match
    case ArrowType.Textual(kind)     => Some(kind)
    case ArrowType.Number(64, false) => Some(UInt64)
    case _                           => None

  private def show(date: LocalDate): String =
    val isBefore = date.getYear <= 0
    val year = padded(if isBefore then 1 - date.getYear else date.getYear, 4)
    val day = s"$year-${padded(date.getMonthValue, 2)}-${padded(date.getDayOfMonth, 2)}"
    if isBefore then s"$day (BC)" else day

  private def show(time: LocalTime): String =
    val whole =
      s"${padded(time.getHour, 2)}:${padded(time.getMinute, 2)}:${padded(time.getSecond, 2)}"
    if time.getNano == 0 then whole
    else s"$whole.${padded(time.getNano, 9)}".reverse.dropWhile(_ == '0').reverse

  private def padded(number: Int, width: Int): String =
    val digits = number.toString
    "0".repeat(Math.max(0, width - digits.length)) + digits
end TextualType
