package undercroft.struct
package internal.runtime

import java.time.{Duration, Instant, LocalDate, LocalDateTime, LocalTime, ZoneOffset}
import java.util.UUID
import undercroft.struct.LogicalType.TimeUnit

/** Conversions of java.time's types to numbers. They are exact: a number without an equal value,
  * and the reverse, is an ArithmeticException with the range and the value.
  *
  * Units are constants in each branch, so that the JIT divides by constants.
  */
private[struct] object TimeConversions:
  private val NanosPerSecond = 1_000_000_000L

  object OfLocalDate extends Struct.StoredAs[LocalDate, Int]:
    override def logicalType: Option[LogicalType] = Some(LogicalType.Date)
    def decode(stored: Int): LocalDate = LocalDate.ofEpochDay(stored).nn
    def encode(value: LocalDate): Int =
      val days = value.toEpochDay
      if days != days.toInt then
        outOfRange("a LocalDate", decode(Int.MinValue), decode(Int.MaxValue), value)
      days.toInt

  final class OfLocalTime(unit: TimeUnit) extends Struct.StoredAs[LocalTime, Long]:
    override def logicalType: Option[LogicalType] = Some(LogicalType.Time(unit))
    def encode(value: LocalTime): Long =
      val nanos = value.toNanoOfDay
      if nanos % unit.nanos != 0 then tooPrecise("a LocalTime", unit, value)
      nanos / unit.nanos
    def decode(stored: Long): LocalTime =
      val perDay = 86_400L * NanosPerSecond / unit.nanos
      if stored < 0 || stored >= perDay then
        throw ArithmeticException(
          s"a stored LocalTime ${in(unit)} must be from 0 to ${perDay - 1}: $stored"
        )
      LocalTime.ofNanoOfDay(stored * unit.nanos).nn

  final class OfInstant(unit: TimeUnit) extends Struct.StoredAs[Instant, Long]:
    override def logicalType: Option[LogicalType] = Some(LogicalType.Timestamp(unit, isUtc = true))
    def encode(value: Instant): Long =
      ticks(unit, value.getEpochSecond, value.getNano)("an Instant", value, decode(_))
    def decode(stored: Long): Instant = unit match
      case TimeUnit.Nanos   => Instant.ofEpochSecond(0, stored).nn
      case TimeUnit.Micros  => split(stored, 1_000_000L, 1_000)(Instant.ofEpochSecond(_, _).nn)
      case TimeUnit.Millis  => Instant.ofEpochMilli(stored).nn
      case TimeUnit.Seconds => Instant.ofEpochSecond(stored).nn

  final class OfLocalDateTime(unit: TimeUnit) extends Struct.StoredAs[LocalDateTime, Long]:
    override def logicalType: Option[LogicalType] = Some(LogicalType.Timestamp(unit, isUtc = false))
    def encode(value: LocalDateTime): Long =
      ticks(unit, value.toEpochSecond(ZoneOffset.UTC), value.getNano)(
        "a LocalDateTime",
        value,
        decode(_)
      )
    def decode(stored: Long): LocalDateTime = unit match
      case TimeUnit.Nanos   => split(stored, NanosPerSecond, 1)(of)
      case TimeUnit.Micros  => split(stored, 1_000_000L, 1_000)(of)
      case TimeUnit.Millis  => split(stored, 1_000L, 1_000_000)(of)
      case TimeUnit.Seconds => of(stored, 0)
    private def of(seconds: Long, nanos: Int): LocalDateTime =
      LocalDateTime.ofEpochSecond(seconds, nanos, ZoneOffset.UTC).nn
  end OfLocalDateTime

  final class OfDuration(unit: TimeUnit) extends Struct.StoredAs[Duration, Long]:
    override def logicalType: Option[LogicalType] = Some(LogicalType.Duration(unit))
    def encode(value: Duration): Long =
      ticks(unit, value.getSeconds, value.getNano)("a Duration", value, decode(_))
    def decode(stored: Long): Duration = unit match
      case TimeUnit.Nanos   => Duration.ofNanos(stored).nn
      case TimeUnit.Micros  => split(stored, 1_000_000L, 1_000)(Duration.ofSeconds(_, _).nn)
      case TimeUnit.Millis  => Duration.ofMillis(stored).nn
      case TimeUnit.Seconds => Duration.ofSeconds(stored).nn

  object OfUuid extends Struct.StoredAs[UUID, Bits128]:
    override def logicalType: Option[LogicalType] = Some(LogicalType.Uuid)
    def encode(value: UUID): Bits128 =
      (high = value.getMostSignificantBits, low = value.getLeastSignificantBits)
    def decode(stored: Bits128): UUID = UUID(stored.high, stored.low)

  private inline def split[A](ticks: Long, inline perSecond: Long, inline nanos: Int)(
      inline create: (Long, Int) => A
  ): A =
    create(Math.floorDiv(ticks, perSecond), Math.floorMod(ticks, perSecond).toInt * nanos)

  /** The count of units in seconds and nanoseconds; `nanos` is from 0 to 999,999,999. */
  private inline def ticks[A](unit: TimeUnit, seconds: Long, nanos: Int)(
      inline name: String,
      inline value: A,
      inline decode: Long => A
  ): Long =
    val perSecond = NanosPerSecond / unit.nanos
    if nanos % unit.nanos != 0 then tooPrecise(name, unit, value)
    val fraction = nanos / unit.nanos
    // A negative count rounds towards zero, so that the product of the smallest one fits.
    val whole = if seconds < 0 && fraction > 0 then seconds + 1 else seconds
    val rest = if whole == seconds then fraction else fraction - perSecond
    val product = whole * perSecond
    val sum = product + rest
    if Math.multiplyHigh(whole, perSecond) != product >> 63 || ((product ^ sum) & (rest ^ sum)) < 0
    then
      outOfRange(s"$name ${in(unit)}", decode(Long.MinValue), decode(Long.MaxValue), value)
    sum
  end ticks

  private def outOfRange(name: String, least: Any, most: Any, value: Any): Nothing =
    throw ArithmeticException(s"$name must be from $least to $most: $value")

  private def tooPrecise(name: String, unit: TimeUnit, value: Any): Nothing =
    throw ArithmeticException(
      s"$name ${in(unit)} must have no digits below the unit: $value; truncate it, or store it in " +
        "a smaller unit by a given Struct.StoredAs"
    )

  private def in(unit: TimeUnit): String = unit match
    case TimeUnit.Seconds => "in seconds"
    case TimeUnit.Millis  => "in milliseconds"
    case TimeUnit.Micros  => "in microseconds"
    case TimeUnit.Nanos   => "in nanoseconds"
end TimeConversions
