package outside.logicaltypes

import java.time.*
import java.util.UUID
import scala.util.Random
import undercroft.memory.Region
import undercroft.struct.*
import undercroft.struct.LogicalType.TimeUnit

object Calendars:
  case class Visit(
      day: LocalDate,
      time: LocalTime,
      at: Instant,
      local: LocalDateTime,
      length: Duration,
      id: UUID
  ) derives Struct

  case class Optional(day: Option[LocalDate], id: Option[UUID], at: Option[Instant]) derives Struct
  case class Year(holidays: InlineArray[LocalDate, 3], ids: InlineArray[UUID, 2]) derives Struct
  case class Wire(
      @bigEndian day: LocalDate,
      @bigEndian at: Instant,
      @bigEndian length: Duration,
      last: Byte
  ) derives Struct
  enum Event derives Struct:
    case Opened
    case Moved(to: LocalDate, id: UUID)
end Calendars

object Amounts:
  given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 18, scale = 2)
  case class Price(amount: BigDecimal, day: LocalDate) derives Struct

object DefaultAmounts:
  case class Price(amount: BigDecimal, day: LocalDate) derives Struct

object WideAmounts:
  given Struct.StoredAs[BigDecimal, Bits128] = LogicalType.decimal128(precision = 38, scale = 10)
  case class Price(amount: BigDecimal, day: LocalDate) derives Struct

/** An Instant in another unit, in a scope of its own. */
object InMillis:
  given Struct.StoredAs[Instant, Long] = LogicalType.instant(TimeUnit.Millis)
  case class Tick(at: Instant, price: Int) derives Struct
  def instants(rows: Rows[InNanos.Tick]): Vector[Instant] = rows.map(_.at).toVector
  def read(rows: Rows[Tick]): Vector[Instant] = rows.map(_.at).toVector

object InNanos:
  case class Tick(at: Instant, price: Int) derives Struct

case class Both[A, B](first: A, second: B)
object Both:
  given [A: Struct, B: Struct] => Struct[Both[A, B]] = Struct.derived

object Dues:
  opaque type Due = LocalDate
  object Due:
    def apply(day: LocalDate): Due = day
    extension (due: Due) def day: LocalDate = due
  case class Bill(due: Due, terms: (until: LocalDate, count: Int)) derives Struct

object Isins:
  final case class Isin(code: String)
  given Struct.StoredAs[Isin, Text[12]] = Struct
    .storedAs[Isin, Text[12]](isin => Text(isin.code))(text => Isin(text.string))
    .withLogicalType(LogicalType.Named("isin"))
  case class Share(isin: Isin, count: Int) derives Struct

class LogicalTypesTest extends undercroft.tools.Suite:
  import Calendars.*
  private val seed = Random.nextLong()
  private val random = Random(seed)
  private val midnight = LocalTime.MIDNIGHT
  private val firstNano = Instant.ofEpochSecond(0, Long.MinValue)
  private val lastNano = Instant.ofEpochSecond(0, Long.MaxValue)

  private def edge(bits: Int): Long = random.nextLong() >> (64 - bits.min(63) - 1)
  private def longs(count: Int): Vector[Long] =
    Vector(0L, 1L, -1L, Long.MaxValue, Long.MinValue) ++
      Vector.fill(count)(edge(random.between(0, 63)))

  private val visits: Vector[Visit] = longs(200).map: number =>
    Visit(
      LocalDate.ofEpochDay(number.toInt),
      LocalTime.ofNanoOfDay(Math.floorMod(number, 86_400_000_000_000L)),
      Instant.ofEpochSecond(0, number),
      LocalDateTime.ofInstant(Instant.ofEpochSecond(0, number), ZoneOffset.UTC),
      Duration.ofNanos(number),
      UUID(number, ~number * 31)
    )

  private inline def holds[T: Struct](values: Vector[T]): Unit =
    Region.scoped:
      assertEquals(Rows.from(values).toVector, values)
      assertEquals(PackedRows.from(values).toVector, values)
      assertEquals(Columns.from(values).toVector, values)
      val growing = Rows.growing[T]
      values.foreach(growing += _)
      assertEquals(growing.toVector, values)
      val same = values.indices.map(i => growing(i))
      assertEquals(same.toVector, values)

  test(s"java.time's values and UUIDs are loaded as they were stored"):
    assert(visits.sizeIs > 100, s"seed $seed")
    holds(visits)
    holds(visits.map(_.day))
    holds(visits.map(_.id))
    holds(visits.map(_.at))
    holds(visits.map(visit => (visit.day, visit.id)))

  test("Instant.now is stored with all its digits"):
    val now = Instant.now()
    holds(Vector(now))

  test("Options, arrays, big-endian fields and cases of enums have values with logical types"):
    holds(
      Optional(None, None, None) +: visits.map(visit =>
        Optional(Some(visit.day), Some(visit.id), Some(visit.at))
      )
    )
    holds(visits.map(visit => Wire(visit.day, visit.at, visit.length, 1)))
    holds(Event.Opened +: visits.map(visit => Event.Moved(visit.day, visit.id)))
    val days = visits.map(_.day)
    val years =
      days.map(day => Year(InlineArray(day, day, days(1)), InlineArray(UUID(1, 2), UUID(-3, 4))))
    holds(years)
    Region.scoped:
      val rows = Rows.from(years)
      rows.ref(0).holidays(2) = LocalDate.of(2026, 11, 25)
      assertEquals(rows.ref(0).holidays(2)(), LocalDate.of(2026, 11, 25))

  test("maps, sets, groups and sorts use values with logical types as keys"):
    Region.scoped:
      val byDay = StructMap[LocalDate, Long](1000)
      val byId = StructMap[UUID, Instant](1000)
      val model = collection.mutable.Map.empty[LocalDate, Long]
      visits.foreach: visit =>
        byDay(visit.day) = visit.length.toNanos
        model(visit.day) = visit.length.toNanos
        byId(visit.id) = visit.at
      model.foreach((day, length) => assertEquals(byDay.get(day), Some(length)))
      visits.foreach(visit => assertEquals(byId.get(visit.id), Some(visit.at)))
      val rows = Rows.from(visits)
      assertEquals(rows.sortBy(_.day).map(_.day).toVector, visits.map(_.day).sorted)
      assertEquals(rows.sortBy(_.at).map(_.at).toVector, visits.map(_.at).sorted)
      rows.sortInPlaceBy(_.length)
      assertEquals(rows.map(_.length).toVector, visits.map(_.length).sorted)
      val least = rows.binarySearchBy(_.length)(Duration.ofNanos(Long.MinValue))
      assertEquals(least, 0L)

  test("a date beyond the Int range is an error with the range, and stores nothing"):
    Region.scoped:
      val rows = Rows.from(List(Holiday(LocalDate.EPOCH)))
      for date <- List(LocalDate.MAX, LocalDate.MIN, LocalDate.ofEpochDay(Int.MaxValue + 1L)) do
        val error = intercept[ArithmeticException](rows(0) = Holiday(date))
        assertEquals(
          error.getMessage,
          s"a LocalDate must be from -5877641-06-23 to +5881580-07-11: $date"
        )
      assertEquals(rows(0).day, LocalDate.EPOCH)

  test("an Instant beyond the range of its unit is an error with the range"):
    for
      (unit, name, nanos) <- List(
        (TimeUnit.Nanos, "nano", 1L),
        (TimeUnit.Micros, "micro", 1000L),
        (TimeUnit.Millis, "milli", 1_000_000L)
      )
    do
      val stored = LogicalType.instant(unit)
      val (least, most) = (stored.decode(Long.MinValue), stored.decode(Long.MaxValue))
      assertEquals(stored.encode(least), Long.MinValue)
      assertEquals(stored.encode(most), Long.MaxValue)
      for out <- List(least.minusNanos(nanos), most.plusNanos(nanos), Instant.MIN) do
        val error = intercept[ArithmeticException](stored.encode(out))
        assertEquals(
          error.getMessage,
          s"an Instant in ${name}seconds must be from $least to $most: $out"
        )
    assertEquals(LogicalType.instant(TimeUnit.Nanos).decode(Long.MaxValue), lastNano)
    assertEquals(LogicalType.instant(TimeUnit.Nanos).decode(Long.MinValue), firstNano)
    val seconds = LogicalType.instant(TimeUnit.Seconds)
    assertEquals(seconds.decode(seconds.encode(Instant.MIN)), Instant.MIN)
    val length = intercept[ArithmeticException](
      LogicalType.duration(TimeUnit.Nanos).encode(Duration.ofSeconds(Long.MaxValue))
    )
    assert(length.getMessage.startsWith("a Duration in nanoseconds must be from "))

  test("digits below the unit are an error, never cut off"):
    val instant = Instant.parse("2026-11-25T10:00:00.000001Z")
    val error = intercept[ArithmeticException](LogicalType.instant(TimeUnit.Millis).encode(instant))
    assertEquals(
      error.getMessage,
      s"an Instant in milliseconds must have no digits below the unit: $instant; truncate it, or " +
        "store it in a smaller unit by a given Struct.StoredAs"
    )
    intercept[ArithmeticException](LogicalType.instant(TimeUnit.Seconds).encode(Instant.MAX))
    intercept[ArithmeticException](
      LogicalType.localTime(TimeUnit.Micros).encode(midnight.plusNanos(1))
    )
    intercept[ArithmeticException](
      LogicalType.duration(TimeUnit.Seconds).encode(Duration.ofMillis(-1))
    )

  test("every unit keeps values before and after 1970"):
    for
      unit <- TimeUnit.values
      number <- longs(300)
    do
      val nanos = unit match
        case TimeUnit.Seconds => 1_000_000_000L
        case TimeUnit.Millis  => 1_000_000L
        case TimeUnit.Micros  => 1_000L
        case TimeUnit.Nanos   => 1L
      val ticks = number / 1_000_000_000L * 3
      val value = BigInt(ticks) * nanos
      val seconds = (value / 1_000_000_000L - (if value < 0 then 1 else 0)).toLong
      val rest = (value - BigInt(seconds) * 1_000_000_000L).toLong
      val instant = Instant.ofEpochSecond(seconds, rest)
      val clue = s"seed $seed, $ticks $unit"
      assertEquals(LogicalType.instant(unit).encode(instant), ticks, clue)
      assertEquals(LogicalType.instant(unit).decode(ticks), instant, clue)
      val duration = Duration.ofSeconds(seconds, rest)
      assertEquals(LogicalType.duration(unit).encode(duration), ticks, clue)
      assertEquals(LogicalType.duration(unit).decode(ticks), duration, clue)
      val local = LocalDateTime.ofEpochSecond(
        Math.floorMod(seconds, 1_000_000_000L),
        Math.floorMod(rest, 1_000_000_000L).toInt,
        ZoneOffset.UTC
      )
      assertEquals(
        LogicalType.localDateTime(unit).decode(LogicalType.localDateTime(unit).encode(local)),
        local,
        clue
      )

  test("decimals keep their digits, and more digits are an error"):
    def random18(digits: Int) = BigInt(Vector.fill(digits)(random.nextInt(10)).mkString)
    val nines = BigDecimal(BigInt("9" * 18), 2)
    val narrow = Vector(nines, -nines, BigDecimal(0), BigDecimal("1E+3")) ++
      Vector.fill(200)(BigDecimal(random18(random.between(1, 19)), 2))
    narrow.foreach: value =>
      val stored = LogicalType.decimal(18, 2)
      assertEquals(stored.decode(stored.encode(value)), value, s"seed $seed")
    def exact(unscaled: BigInt): BigDecimal =
      new BigDecimal(java.math.BigDecimal(unscaled.bigInteger, 10), java.math.MathContext(38))
    val most = exact(BigInt("9" * 38))
    val wide = Vector(most, exact(-BigInt("9" * 38)), BigDecimal(0), BigDecimal("1E-10")) ++
      Vector.fill(200)(
        exact(random18(random.between(1, 39)))
      )
    wide.foreach: value =>
      val stored = LogicalType.decimal128(38, 10)
      val signed = if random.nextBoolean() then value
      else exact(-BigInt(value.bigDecimal.movePointRight(10).toBigIntegerExact))
      val loaded = stored.decode(stored.encode(signed))
      assertEquals(loaded.bigDecimal.compareTo(signed.bigDecimal), 0, s"seed $seed, $signed")
    val huge =
      List("0.001", "10000000000000000", "1E+2000000000", "1E-2000000000", "-12345678901234567.8")
    huge.foreach: text =>
      val error =
        intercept[ArithmeticException](LogicalType.decimal(18, 2).encode(BigDecimal(text)))
      assertEquals(
        error.getMessage,
        s"a decimal must have at most 16 digits before the point and 2 after it: ${BigDecimal(text)}"
      )
    assertEquals(LogicalType.decimal(18, 2).encode(BigDecimal("0E+2000000000")), 0L)
    val digits = intercept[IllegalArgumentException](LogicalType.decimal(19, 2))
    assertEquals(digits.getMessage, "precision must be from 1 to 18 digits: 19")
    val scale = intercept[IllegalArgumentException](LogicalType.decimal128(5, 6))
    assertEquals(scale.getMessage, "scale must be from 0 to the precision 5: 6")

  test("decimals of both sizes are stored in tables"):
    val days = visits.map(_.day)
    locally:
      import Amounts.given
      holds(days.map(day => Amounts.Price(BigDecimal(day.toEpochDay, 2), day)))
    locally:
      import WideAmounts.given
      holds(
        days.map(day => WideAmounts.Price(BigDecimal(BigInt(day.toEpochDay).pow(3), 10), day))
      )

  test("a BigDecimal has 20 digits before the decimal point and 18 after it by default"):
    assertEquals(
      Struct[DefaultAmounts.Price].logicalTypes(List("amount")),
      LogicalType.Decimal(precision = 38, scale = 18)
    )
    val most = BigDecimal.exact("99999999999999999999.999999999999999999")
    val values = Vector(most, -most, BigDecimal(0), BigDecimal("1E-18"), BigDecimal("1.50"))
    holds(values.map(DefaultAmounts.Price(_, LocalDate.EPOCH)))
    Region.scoped:
      val amounts = Rows.from(values)
      assertEquals(amounts.toVector, values)
      for wrong <- List("1E-19", "1E+20") do
        assertEquals(
          intercept[ArithmeticException](amounts(0) = BigDecimal(wrong)).getMessage,
          "a decimal must have at most 20 digits before the point and 18 after it: " +
            BigDecimal(wrong)
        )
      assertEquals(amounts.toVector, values)

  test("the logical types of a struct are listed by the paths of its fields"):
    assertEquals(
      Struct[Visit].logicalTypes,
      Map(
        List("day") -> LogicalType.Date,
        List("time") -> LogicalType.Time(TimeUnit.Nanos),
        List("at") -> LogicalType.Timestamp(TimeUnit.Nanos, isUtc = true),
        List("local") -> LogicalType.Timestamp(TimeUnit.Nanos, isUtc = false),
        List("length") -> LogicalType.Duration(TimeUnit.Nanos),
        List("id") -> LogicalType.Uuid
      )
    )
    assertEquals(
      Struct[Event].logicalTypes,
      Map(List("Moved", "to") -> LogicalType.Date, List("Moved", "id") -> LogicalType.Uuid)
    )
    assertEquals(Struct[Optional].logicalTypes(List("day", "get")), LogicalType.Date)
    assertEquals(Struct[Year].logicalTypes(List("ids")), LogicalType.Uuid)
    assertEquals(Struct[LocalDate].logicalTypes(Nil), LogicalType.Date)
    assertEquals(Struct[Isins.Share].logicalTypes, Map(List("isin") -> LogicalType.Named("isin")))
    def generic[A: Struct]: Struct[(A, Int)] = Struct.derived
    assertEquals(generic[LocalDate].logicalTypes, Map(List("_1") -> LogicalType.Date))

  test("generic classes, opaque types and tuples have the layout of their values' types"):
    def rowsOf[A: Struct](values: A*)(using undercroft.memory.Allocator): Rows[Both[A, Int]] =
      Rows.from(values.map(value => Both(value, 1)))
    Region.scoped:
      val day = LocalDate.of(2026, 11, 25)
      assertEquals(rowsOf(day, LocalDate.EPOCH).map(_.first).toVector, Vector(day, LocalDate.EPOCH))
      assertEquals(rowsOf(UUID(1, 2)).map(_.first).toVector, Vector(UUID(1, 2)))
      assertEquals(rowsOf(Option(day)).map(_.first).toVector, Vector(Some(day)))
      assertEquals(
        Struct[Both[Option[LocalDate], Int]].logicalTypes,
        Map(List("first", "get") -> LogicalType.Date)
      )
      val due = Rows.from(List(Dues.Bill(Dues.Due(day), (until = day, count = 2))))
      assertEquals(due.map(_.due.day).toVector, Vector(day))
      assertEquals(due.count(_.terms.until == day), 1L)
      assertEquals(
        Struct[Dues.Bill].logicalTypes,
        Map(List("due") -> LogicalType.Date, List("terms", "until") -> LogicalType.Date)
      )

  test("code with another StoredAs than the default one does not read its values"):
    Region.scoped:
      val rows = Rows.from(List(InNanos.Tick(Instant.ofEpochSecond(7), 1)))
      val error = intercept[LayoutMismatchException](InMillis.instants(rows))
      assertEquals(error.field, "at")
      assertEquals(
        error.found,
        "Long of the default StoredAs of Instant at offset 0, 0 packed, 0 in columns"
      )
      val millis = Rows.from(List(InMillis.Tick(Instant.ofEpochSecond(7), 1)))
      assertEquals(InMillis.read(millis), Vector(Instant.ofEpochSecond(7)))

  test("code with another StoredAs of two Longs than the default one does not read its values"):
    val id = UUID(1, 2)
    Region.scoped:
      val rows = Rows.from(List(Ids.Order(id)))
      val error = intercept[LayoutMismatchException](SwappedIds.read(rows))
      assertEquals(error.field, "id.high")
      assertEquals(
        error.found,
        "Long of the default StoredAs of UUID at offset 0, 0 packed, 0 in columns"
      )
      val arrays = Columns.from(List(Ids.Orders(InlineArray(id, id))))
      assertEquals(intercept[LayoutMismatchException](SwappedIds.first(arrays)).field, "ids")
      val options = Rows.from(List(Ids.Maybe(Some(id))))
      val inOption = intercept[LayoutMismatchException](SwappedIds.readAll(options))
      assertEquals(inOption.field, "id.get.high")
      val amounts = Rows.from(List(DefaultAmounts.Price(BigDecimal(1), LocalDate.EPOCH)))
      val decimals = intercept[LayoutMismatchException](TenDecimals.read(amounts))
      assertEquals(decimals.field, "amount.high")
      assertEquals(Ids.read(rows), Vector(id))
end LogicalTypesTest

object Ids:
  case class Order(id: UUID) derives Struct
  case class Orders(ids: InlineArray[UUID, 2]) derives Struct
  case class Maybe(id: Option[UUID]) derives Struct
  def read(rows: Rows[Order]): Vector[UUID] = rows.map(_.id).toVector

/** UUIDs with their halves swapped, in a scope of its own. */
object SwappedIds:
  given Struct.StoredAs[UUID, Bits128] = Struct.storedAs[UUID, Bits128](id =>
    (high = id.getLeastSignificantBits, low = id.getMostSignificantBits)
  )(bits => UUID(bits.low, bits.high))
  def read(rows: Rows[Ids.Order]): Vector[UUID] = rows.map(_.id).toVector
  def readAll(rows: Rows[Ids.Maybe]): Vector[Option[UUID]] = rows.map(_.id).toVector
  def first(rows: Columns[Ids.Orders]): Vector[UUID] = rows.map(_.ids(0)).toVector

object TenDecimals:
  given Struct.StoredAs[BigDecimal, Bits128] = LogicalType.decimal128(precision = 38, scale = 10)
  def read(rows: Rows[DefaultAmounts.Price]): Vector[BigDecimal] = rows.map(_.amount).toVector

case class Holiday(day: LocalDate) derives Struct
