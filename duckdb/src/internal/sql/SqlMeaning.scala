package undercroft.duckdb
package internal.sql

import internal.api.DuckDbValues
import java.time.{DateTimeException, LocalTime, ZoneOffset}
import undercroft.file.ColumnKind
import undercroft.file.format.LogicalKind

/** Logical types as SQL types. DuckDB stores the same numbers, with these exceptions: moments in
  * UTC and times of day have microseconds or nanoseconds, durations have microseconds, and 128 bits
  * have the lower half first.
  */
private[duckdb] object SqlMeaning:

  /** A column without a meaning for which SQL has no type, such as a user's name. */
  def of(column: ColumnKind): ColumnKind = column match
    case ColumnKind.Logical(_, _: LogicalKind.Named, stored)    => stored
    case ColumnKind.Logical(_, _, elsewhere: ColumnKind.Opaque) => elsewhere
    case other                                                  => other

  /** A column whose durations are their stored numbers. */
  def withoutDurations(column: ColumnKind): ColumnKind = column match
    case ColumnKind.Logical(_, _: LogicalKind.Duration, stored) => stored
    case ColumnKind.Record(name, fields) => ColumnKind.Record(name, fields.map(withoutDurations))
    case ColumnKind.Optional(name, isDefined, value) =>
      ColumnKind.Optional(name, isDefined, withoutDurations(value))
    case ColumnKind.OneOf(name, tag, members) =>
      val plain = members.map(member =>
        new ColumnKind.Record(member.name, member.fields.map(withoutDurations))
      )
      ColumnKind.OneOf(name, tag, plain)
    case items: ColumnKind.Items => items.copy(item = withoutDurations(items.item))
    case other                   => other

  def sqlType(kind: LogicalKind, of: ColumnKind): String = kind match
    case _: LogicalKind.Date    => "DATE"
    case time: LogicalKind.Time => if isNanos(time.unit) then "TIME_NS" else "TIME"
    case timestamp: LogicalKind.Timestamp if timestamp.isUtc =>
      if isNanos(timestamp.unit) then "TIMESTAMPTZ_NS" else "TIMESTAMPTZ"
    case timestamp: LogicalKind.Timestamp =>
      Vector("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP", "TIMESTAMP_NS")(timestamp.unit.ordinal)
    case decimal: LogicalKind.Decimal => s"DECIMAL(${width(of)}, ${decimal.scale})"
    case _: LogicalKind.Uuid          => "UUID"
    case _: LogicalKind.Duration      => "INTERVAL"
    case other                        => throw IllegalStateException(other.description)

  /** DuckDB's number of the type of a constant that is compared with a column. */
  def typeNumber(kind: LogicalKind): Int = kind match
    case _: LogicalKind.Date => DuckDbValues.Date
    case time: LogicalKind.Time =>
      if isNanos(time.unit) then DuckDbValues.TimeNs else DuckDbValues.Time
    case timestamp: LogicalKind.Timestamp if timestamp.isUtc =>
      if isNanos(timestamp.unit) then DuckDbValues.TimestampTzNs else DuckDbValues.TimestampTz
    case timestamp: LogicalKind.Timestamp => DuckDbValues.TimestampS + timestamp.unit.ordinal
    case _: LogicalKind.Decimal           => DuckDbValues.Decimal
    case _: LogicalKind.Duration          => DuckDbValues.Interval
    case _                                => DuckDbValues.Uuid

  /** The digits of a decimal: DuckDB has 64 bits for up to 18 digits, and 128 for up to 38. */
  private def width(of: ColumnKind): Int = of match
    case _: ColumnKind.Record => LogicalKind.MOST_DIGITS
    case _                    => LogicalKind.LONG_DIGITS

  /** The stored numbers that DuckDB has a finite value for, and its units in a stored one. */
  final case class StoredRange(least: Long, most: Long, factor: Long) derives CanEqual

  /** The range of numbers of up to 64 bits. */
  def range(kind: LogicalKind): StoredRange = kind match
    case _: LogicalKind.Date    => StoredRange(Int.MinValue + 2L, Int.MaxValue - 1L, 1)
    case time: LogicalKind.Time => StoredRange(0, 86_400L * time.unit.perSecond - 1, factor(kind))
    case _: LogicalKind.Decimal =>
      val most = 1_000_000_000_000_000_000L - 1
      StoredRange(-most, most, 1)
    case _ =>
      StoredRange(
        (Long.MinValue + 2) / factor(kind),
        (Long.MaxValue - 1) / factor(kind),
        factor(kind)
      )

  /** Whether 128 bits are a number of at most 38 decimal digits. */
  def isDecimal(high: Long, low: Long): Boolean =
    val isNegative = high < 0
    val lower = if isNegative then -low else low
    val upper = if isNegative then ~high + (if low == 0 then 1 else 0) else high
    upper >= 0 && (upper < LimitHigh ||
      upper == LimitHigh && java.lang.Long.compareUnsigned(lower, LimitLow) < 0)

  /** The halves of 10^38. */
  private final val LimitHigh = 0x4b3b4ca85a86c47aL
  private final val LimitLow = 0x098a224000000000L

  private def factor(kind: LogicalKind): Long = kind match
    case time: LogicalKind.Time if !isNanos(time.unit) => Micros / time.unit.perSecond
    case timestamp: LogicalKind.Timestamp if timestamp.isUtc && !isNanos(timestamp.unit) =>
      Micros / timestamp.unit.perSecond
    case _ => 1

  /** The stored number of a constant, as DuckDB writes it; None if the column cannot have it. */
  def stored(kind: LogicalKind, text: String): Option[Long] =
    try
      kind match
        case _: LogicalKind.Date =>
          val days = SqlDates.date(text).toEpochDay
          Option.when(days == days.toInt)(days)
        case time: LogicalKind.Time =>
          val nanos = LocalTime.parse(text).nn.toNanoOfDay
          ticks(0, nanos, time.unit)
        case timestamp: LogicalKind.Timestamp if timestamp.isUtc =>
          val moment = SqlDates.instant(text)
          ticks(moment.getEpochSecond, moment.getNano, timestamp.unit)
        case timestamp: LogicalKind.Timestamp =>
          val moment = SqlDates.dateTime(text)
          ticks(moment.toEpochSecond(ZoneOffset.UTC), moment.getNano, timestamp.unit)
        case decimal: LogicalKind.Decimal =>
          Some(
            java.math.BigDecimal(text).setScale(decimal.scale).nn.unscaledValue.nn.longValueExact
          )
        case duration: LogicalKind.Duration =>
          SqlInterval.parse(text).flatMap: interval =>
            ticks(0, interval.micros * NanosInMicro, duration.unit)
        case _ => None
    catch case _: (DateTimeException | ArithmeticException | NumberFormatException) => None

  /** Seconds and nanoseconds in a unit, if they are a whole number of it. */
  private def ticks(seconds: Long, nanos: BigInt, unit: LogicalKind.Unit): Option[Long] =
    val total = BigInt(seconds) * Nanos + nanos
    val size = Nanos / unit.perSecond
    Option.when(total % size == 0)(total / size).filter(_.isValidLong).map(_.toLong)

  private def isNanos(unit: LogicalKind.Unit): Boolean = unit.perSecond == Nanos
  private final val Micros = 1_000_000L
  private final val Nanos = 1_000_000_000L
  private final val NanosInMicro = 1000
end SqlMeaning
