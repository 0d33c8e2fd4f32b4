package undercroft.struct

import internal.runtime.{DecimalConversion, TimeConversions, WideDecimalConversion}
import java.time.{Instant, LocalDateTime, LocalTime}

/** The meaning of stored numbers, which files have in their schemas for readers that do not know
  * the class: Arrow, DuckDB, Spark, Python.
  *
  * A [[Struct.StoredAs]] has a logical type or none. It does not change the stored bytes, and costs
  * nothing when rows are read or written. Types of java.time, UUIDs and BigDecimals have a given
  * `StoredAs` already; other units, and the digits of a BigDecimal, are a given of one line. Values
  * are immutable.
  *
  * {{{
  * import java.time.Instant
  * given Struct.StoredAs[Instant, Long] = LogicalType.instant(LogicalType.TimeUnit.Millis)
  * given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 18, scale = 2)
  * final case class Payment(at: Instant, amount: BigDecimal) derives Struct
  * println(Struct[Payment].logicalTypes(List("amount"))) // Decimal(18,2)
  * }}}
  */
enum LogicalType derives CanEqual:
  /** Days since 1970-01-01, in an Int. */
  case Date

  /** The time since midnight, in a Long. */
  case Time(unit: LogicalType.TimeUnit)

  /** The time since 1970-01-01T00:00, in a Long: in UTC, or in a time zone that the file does not
    * know.
    */
  case Timestamp(unit: LogicalType.TimeUnit, isUtc: Boolean)

  /** An amount of time, in a Long. */
  case Duration(unit: LogicalType.TimeUnit)

  /** A number of up to `precision` decimal digits, `scale` of them after the decimal point: without
    * the point in a Long (up to 18 digits) or a [[Bits128]] (up to 38).
    */
  case Decimal(precision: Int, scale: Int)

  /** A universally unique identifier, in a [[Bits128]]. */
  case Uuid

  /** A type that its users know by its name, in any stored type. Names have 1 to 255 bytes of
    * UTF-8.
    */
  case Named(name: String)
end LogicalType

object LogicalType:

  /** The unit of a stored time. */
  enum TimeUnit(private[undercroft] val nanos: Long) derives CanEqual:
    case Seconds extends TimeUnit(1_000_000_000L)
    case Millis extends TimeUnit(1_000_000L)
    case Micros extends TimeUnit(1_000L)
    case Nanos extends TimeUnit(1L)

  /** Stores an Instant in a Long. A value out of its range, or with digits below the unit, throws
    * ArithmeticException. In nanoseconds, which is the default of every Instant, the range is from
    * 1677-09-21T00:12:43.145224192Z to 2262-04-11T23:47:16.854775807Z.
    *
    * {{{
    * import java.time.Instant
    * given Struct.StoredAs[Instant, Long] = LogicalType.instant(LogicalType.TimeUnit.Micros)
    * println(Rows.from(List(Instant.ofEpochSecond(1))).map(_.getEpochSecond).toVector) // Vector(1)
    * }}}
    */
  def instant(unit: TimeUnit): Struct.StoredAs[Instant, Long] = TimeConversions.OfInstant(unit)

  /** Stores a LocalDateTime in a Long, as [[instant]]; it has no time zone. */
  def localDateTime(unit: TimeUnit): Struct.StoredAs[LocalDateTime, Long] =
    TimeConversions.OfLocalDateTime(unit)

  /** Stores a LocalTime in a Long. A value with digits below the unit throws ArithmeticException.
    */
  def localTime(unit: TimeUnit): Struct.StoredAs[LocalTime, Long] =
    TimeConversions.OfLocalTime(unit)

  /** Stores a Duration in a Long, of up to 292 years in nanoseconds. A value out of its range, or
    * with digits below the unit, throws ArithmeticException.
    */
  def duration(unit: TimeUnit): Struct.StoredAs[java.time.Duration, Long] =
    TimeConversions.OfDuration(unit)

  /** Stores a BigDecimal in a Long. A value with more digits throws ArithmeticException; a loaded
    * value has the scale.
    *
    * @param precision
    *   the most digits, from 1 to 18
    * @param scale
    *   the digits after the decimal point, from 0 to `precision`
    */
  def decimal(precision: Int, scale: Int): Struct.StoredAs[BigDecimal, Long] =
    DecimalConversion.check(precision, scale, DecimalConversion.MostLongDigits)
    DecimalConversion(precision, scale)

  /** Stores a BigDecimal of up to 38 digits in two Longs, as [[decimal]].
    *
    * {{{
    * given Struct.StoredAs[BigDecimal, Bits128] = LogicalType.decimal128(precision = 38, scale = 18)
    * println(Rows.from(List(BigDecimal("0.000000000000000001"))).map(_ * 3).toVector)
    * }}}
    */
  def decimal128(precision: Int, scale: Int): Struct.StoredAs[BigDecimal, Bits128] =
    DecimalConversion.check(precision, scale, DecimalConversion.MostDigits)
    WideDecimalConversion(precision, scale)
end LogicalType

/** 128 bits as two Longs, the upper 64 bits first. */
type Bits128 = (high: Long, low: Long)
