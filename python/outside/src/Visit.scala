package outside.python

import java.time.*
import java.util.UUID
import undercroft.struct.*
import undercroft.struct.LogicalType.TimeUnit

/** A decimal of 38 digits. */
final case class Amount(value: BigDecimal)
object Amount:
  private val stored = LogicalType.decimal128(precision = 38, scale = 10)
  given Struct.StoredAs[Amount, Bits128] = Struct
    .storedAs[Amount, Bits128](wide => stored.encode(wide.value))(bits =>
      Amount(stored.decode(bits))
    )
    .withLogicalType(LogicalType.Decimal(38, 10))

/** A field of each logical type. */
final case class Visit(
    day: LocalDate,
    time: LocalTime,
    at: Instant,
    local: LocalDateTime,
    length: Duration,
    price: BigDecimal,
    wide: Amount,
    id: UUID,
    back: Option[LocalDate],
    until: Option[Instant],
    partner: Option[UUID],
    days: InlineArray[LocalDate, 2],
    ids: InlineArray[UUID, 2],
    @bigEndian paid: Instant
) derives Struct

given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 18, scale = 2)
given Struct.StoredAs[LocalDateTime, Long] = LogicalType.localDateTime(TimeUnit.Seconds)

object Visit:
  def of(i: Int): Visit =
    val day = LocalDate.of(1969, 12, 1).plusDays(i)
    val at = Instant.ofEpochSecond(i - 35, i)
    val id = UUID(i - 35, -i)
    Visit(
      day,
      LocalTime.ofNanoOfDay(i * 1_000_000_001L),
      at,
      day.atTime(1, 2, i % 60),
      Duration.ofNanos(35 - i),
      BigDecimal(i - 35, 2),
      Amount(BigDecimal(BigInt(10).pow(26) * (i - 35) + 7, 0)),
      id,
      Option.when(i % 2 == 0)(day),
      Option.when(i % 3 == 0)(at),
      Option.when(i % 2 == 1)(id),
      InlineArray(day, LocalDate.EPOCH),
      InlineArray(id, UUID(0, i)),
      at
    )
  end of

  /** The values as NumPy, `decimal` and `uuid` write them. */
  def expected(i: Int): Map[String, Any] =
    val visit = of(i)
    import visit.*
    val nanos = LocalDateTime.ofInstant(at, ZoneOffset.UTC)
    def shown(text: LocalDateTime) =
      val seconds = text.withNano(0).toString
      s"${if seconds.length == 16 then seconds + ":00" else seconds}"
    val moment = f"${shown(nanos)}.${nanos.getNano}%09d"
    Map(
      "day" -> day.toString,
      "time" -> s"${time.toNanoOfDay} nanoseconds",
      "at" -> moment,
      "local" -> shown(local),
      "length" -> s"${length.toNanos} nanoseconds",
      "price" -> price.toString,
      "wide" -> wide.value.setScale(10).toString,
      "id" -> id.toString,
      "back" -> back.map(_.toString).orNull,
      "until" -> until.map(_ => moment).orNull,
      "partner" -> partner.map(_.toString).orNull,
      "days" -> Seq(day.toString, "1970-01-01"),
      "ids" -> Seq(id.toString, UUID(0, i).toString),
      "paid" -> moment
    )
  end expected
end Visit
