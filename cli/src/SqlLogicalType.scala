package undercroft.cli

import undercroft.file.format.{Field, LogicalKind, Type}
import undercroft.file.format.LogicalKind.Unit

/** A SQL type whose values are stored as numbers with a logical type.
  *
  * @param selection
  *   the SQL expression of the stored number, of a decimal or of the text of a UUID; null if the
  *   value is out of the range
  * @param range
  *   the stored values; others are an error, or, if it is None, the column is stored without a
  *   logical type
  */
private[cli] final class SqlLogicalType private (
    val stored: Type.Logical,
    val selection: String,
    val range: Option[String]
)

private[cli] object SqlLogicalType:

  /** The logical type for the values of an expression.
    *
    * @param source
    *   the logical type that the source states, whose unit and digits are kept
    */
  def of(
      sqlType: String,
      expression: String,
      source: Option[LogicalKind]
  ): Option[SqlLogicalType] = sqlType match
    case "DATE" =>
      // Null for infinity.
      val days = s"date_diff('day', date '1970-01-01', $expression)"
      val kind = LogicalKind.Date()
      Some(SqlLogicalType(Type.Logical(Type.Primitive.INT, kind), days, Some(Dates)))
    case "TIME" =>
      val unit = source match
        case Some(time: LogicalKind.Time) => time.unit
        case _                            => Unit.MICROS
      Some(time(inUnit(s"epoch_us($expression)", unit), unit))
    case "TIME_NS"      => Some(time(s"epoch_ns($expression)", Unit.NANOS))
    case "TIMESTAMP_S"  => Some(timestamp(expression, Unit.SECONDS, isUtc = false))
    case "TIMESTAMP_MS" => Some(timestamp(expression, Unit.MILLIS, isUtc = false))
    case "TIMESTAMP"    => Some(timestamp(expression, Unit.MICROS, isUtc = false))
    case "TIMESTAMP_NS" => Some(timestamp(expression, Unit.NANOS, isUtc = false))
    case "TIMESTAMP WITH TIME ZONE" | "TIMESTAMPTZ" =>
      val unit = source match
        case Some(timestamp: LogicalKind.Timestamp) => timestamp.unit
        case _                                      => Unit.MICROS
      Some(timestamp(expression, unit, isUtc = true))
    case "TIMESTAMP_NS WITH TIME ZONE" | "TIMESTAMPTZ_NS" =>
      Some(timestamp(expression, Unit.NANOS, isUtc = true))
    case "UUID" => Some(SqlLogicalType(Type.Logical(Pair, LogicalKind.Uuid()), expression, None))
    case "INTERVAL" => Some(duration(expression))
    case decimal(digits, scale) =>
      Some(this.decimal(expression, number(digits), number(scale), source))
    case "BIGINT" =>
      source.collect:
        case duration: LogicalKind.Duration =>
          SqlLogicalType(Type.Logical(Type.Primitive.LONG, duration), expression, None)
    case _ => None

  private val decimal = raw"DECIMAL\((\d+),(\d+)\)".r

  private def number(digits: String | Null): Int = digits.nn.toInt

  private def decimal(
      expression: String,
      digits: Int,
      scale: Int,
      source: Option[LogicalKind]
  ): SqlLogicalType =
    val stored = if digits <= LogicalKind.LONG_DIGITS then Type.Primitive.LONG else Pair
    val kind = source match
      case Some(decimal: LogicalKind.Decimal) if decimal.scale == scale => decimal
      case _ => LogicalKind.Decimal(digits, scale)
    SqlLogicalType(Type.Logical(stored, kind), expression, None)

  /** Microseconds in a unit of at least one. */
  private def inUnit(micros: String, unit: Unit): String =
    val perUnit = Unit.MICROS.perSecond / Math.min(unit.perSecond, Unit.MICROS.perSecond)
    if perUnit == 1 then micros else s"$micros // $perUnit"

  private def time(number: String, unit: Unit): SqlLogicalType =
    val perDay = 86_400L * unit.perSecond
    val last = if unit.perSecond == Unit.NANOS.perSecond then LastTimeNanos else LastTimeMicros
    SqlLogicalType(
      Type.Logical(Type.Primitive.LONG, LogicalKind.Time(unit)),
      s"if($number < $perDay, $number, null)",
      Some(s"00:00:00 to $last")
    )

  private def timestamp(expression: String, unit: Unit, isUtc: Boolean): SqlLogicalType =
    val isNanos = unit.perSecond == Unit.NANOS.perSecond
    val micros = s"try_cast($expression as ${if isUtc then "timestamptz" else "timestamp"})"
    val number =
      if isNanos then s"epoch_ns($expression)" else inUnit(s"epoch_us($micros)", unit)
    SqlLogicalType(
      Type.Logical(Type.Primitive.LONG, LogicalKind.Timestamp(unit, isUtc)),
      s"if(isfinite($micros), $number, null)",
      Some(if isNanos then NanoTimestamps else Timestamps)
    )

  /** Null for an INTERVAL that is not a duration: with months, or with more microseconds than a
    * Long has. A day has 24 hours.
    */
  private def duration(expression: String): SqlLogicalType =
    def part(name: String) = s"datepart('$name', $expression)"
    SqlLogicalType(
      Type.Logical(Type.Primitive.LONG, LogicalKind.Duration(Unit.MICROS)),
      s"if(${part("year")} = 0 and ${part("month")} = 0, try(epoch_us($expression)), null)",
      None
    )

  /** 128 bits, as a table stores them. */
  private val Pair: Type.Struct = Type.Struct(
    "Bits128",
    16,
    java.util.List.of(
      Field.Leaf("high", 0, Type.Primitive.LONG),
      Field.Leaf("low", 8, Type.Primitive.LONG)
    )
  )

  private val Dates = "5877642-06-25 (BC) to 5881580-07-10"
  private val Timestamps = "290309-12-22 (BC) 00:00:00 to 294247-01-10 04:00:54.775806"
  private val NanoTimestamps =
    "1677-09-21 00:12:43.145224194 to 2262-04-11 23:47:16.854775806"
  private val LastTimeMicros = "23:59:59.999999"
  private val LastTimeNanos = "23:59:59.999999999"
end SqlLogicalType
