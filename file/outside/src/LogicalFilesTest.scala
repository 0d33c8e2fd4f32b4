package outside.logicalfiles

import java.nio.file.{Files, Path}
import java.time.*
import java.util.UUID
import scala.util.Random
import undercroft.file.*
import undercroft.file.format.{Durability, ErrorKind, StructFile}
import undercroft.struct.*
import undercroft.struct.LogicalType.TimeUnit

/** A class with a field of each logical type, at each depth. */
object Journeys:
  given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 18, scale = 2)
  enum Stop derives Struct:
    case Planned(on: LocalDate, id: UUID)
    case Cancelled
  case class Journey(
      id: UUID,
      day: LocalDate,
      time: LocalTime,
      at: Instant,
      local: LocalDateTime,
      length: Duration,
      price: BigDecimal,
      back: Option[LocalDate],
      partner: Option[UUID],
      days: InlineArray[LocalDate, 2],
      guests: InlineArray[UUID, 2],
      stop: Stop,
      @bigEndian paid: Instant,
      note: (LocalDate, Int)
  ) derives Struct
end Journeys

/** The same fields as plain numbers. */
object PlainJourneys:
  case class Bits(high: Long, low: Long) derives Struct
  case class Journey(
      id: Bits,
      day: Int,
      price: Long,
      back: Option[Int],
      partner: Option[Bits],
      days: InlineArray[Int, 2],
      guests: InlineArray[Bits, 2]
  ) derives Struct

object MeantJourneys:
  import Journeys.given
  case class Journey(
      id: UUID,
      day: LocalDate,
      price: BigDecimal,
      back: Option[LocalDate],
      partner: Option[UUID],
      days: InlineArray[LocalDate, 2],
      guests: InlineArray[UUID, 2]
  ) derives Struct

object Nanos:
  case class Tick(at: Instant, count: Int) derives Struct
  val epoch = Tick(Instant.EPOCH, 1)
object Millis:
  given Struct.StoredAs[Instant, Long] = LogicalType.instant(TimeUnit.Millis)
  case class Tick(at: Instant, count: Int) derives Struct
object Numbers:
  case class Tick(at: Long, count: Int) derives Struct
object OptionalTicks:
  case class Tick(at: Option[Instant], count: Int) derives Struct
object DatedTicks:
  case class Tick(
      at: Instant,
      count: Int,
      day: LocalDate = LocalDate.of(2026, 11, 25),
      id: UUID = UUID(1, 2)
  ) derives Struct

object Scale2:
  given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 9, scale = 2)
  case class Price(amount: BigDecimal) derives Struct
object Scale3:
  given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 18, scale = 3)
  case class Price(amount: BigDecimal) derives Struct
object Longer:
  given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 18, scale = 2)
  case class Price(amount: BigDecimal) derives Struct

object Codes:
  final case class Isin(code: String)
  given isin: Struct.StoredAs[Isin, Text[12]] =
    Struct.storedAs[Isin, Text[12]](isin => Text(isin.code))(text => Isin(text.string))
  case class Plain(code: Isin) derives Struct
object NamedCodes:
  import Codes.Isin
  given Struct.StoredAs[Isin, Text[12]] = Codes.isin.withLogicalType(LogicalType.Named("isin"))
  case class Plain(code: Isin) derives Struct
object OtherCodes:
  import Codes.Isin
  given Struct.StoredAs[Isin, Text[12]] = Codes.isin.withLogicalType(LogicalType.Named("wkn"))
  case class Plain(code: Isin) derives Struct
object WrongCodes:
  import Codes.Isin
  given Struct.StoredAs[Isin, Text[12]] = Codes.isin.withLogicalType(LogicalType.Date)
  case class Plain(code: Isin) derives Struct

class LogicalFilesTest extends undercroft.tools.Suite:
  import outside.file.Trades.{failure, inFolder}
  private val seed = Random.nextLong()
  private val random = Random(seed)

  private def journey(): Journeys.Journey =
    import Journeys.*
    val number = random.nextLong() >> random.nextInt(64)
    val day = LocalDate.ofEpochDay(number.toInt)
    val at = Instant.ofEpochSecond(0, number)
    val id = UUID(number, random.nextLong())
    Journey(
      id,
      day,
      LocalTime.ofNanoOfDay(Math.floorMod(number, 86_400_000_000_000L)),
      at,
      LocalDateTime.ofInstant(at, ZoneOffset.UTC),
      Duration.ofNanos(number),
      BigDecimal(number % 1_000_000_000_000_000_000L, 2),
      Option.when(random.nextBoolean())(day),
      Option.when(random.nextBoolean())(id),
      InlineArray(day, LocalDate.EPOCH),
      InlineArray(id, UUID(0, 0)),
      if random.nextBoolean() then Stop.Cancelled else Stop.Planned(day, id),
      at,
      (day, 7)
    )
  end journey

  private def version(path: Path): Int = Files.readAllBytes(path)(8).toInt

  test("values with logical types are read from files of every layout as they were written"):
    import Journeys.given
    val journeys = Vector.fill(300)(journey())
    inFolder: folder =>
      def check[L <: Layout](tables: TableFactory[L], name: String): Unit =
        val path = folder.resolve(name)
        val table = tables.create[Journeys.Journey](path, maxRows = 1000)
        journeys.foreach(table += _)
        table.commit()
        table.close()
        assertEquals(version(path), 3)
        val more = tables.open[Journeys.Journey](path, maxRows = 1000)
        more += journeys(0)
        more.seal()
        val read = tables.openReadOnly[Journeys.Journey](path)
        assertEquals(read.toVector, journeys :+ journeys(0), s"seed $seed")
        read.close()
      check(Rows, "rows")
      check(PackedRows, "packed")
      check(Columns, "columns")

  test("a file without logical types keeps version 2, and a class with them reads it"):
    import Journeys.given
    val id = UUID(3, -4)
    val bits = PlainJourneys.Bits(3, -4)
    val day = LocalDate.of(1969, 12, 31)
    val plain = PlainJourneys.Journey(
      bits,
      -1,
      1234,
      Some(-1),
      Some(bits),
      InlineArray(-1, 0),
      InlineArray(bits, bits)
    )
    val meant = MeantJourneys.Journey(
      id,
      day,
      BigDecimal("12.34"),
      Some(day),
      Some(id),
      InlineArray(day, LocalDate.EPOCH),
      InlineArray(id, id)
    )
    inFolder: folder =>
      def check[L <: Layout](tables: TableFactory[L], name: String): Unit =
        val path = folder.resolve(name)
        val table = tables.create[PlainJourneys.Journey](path, maxRows = 10)
        table += plain
        table.commit()
        table.close()
        assertEquals(version(path), 2)
        val before = Files.readAllBytes(path).toVector
        val read = tables.openReadOnly[MeantJourneys.Journey](path)
        assertEquals(read.toVector, Vector(meant))
        read.close()
        assertEquals(Files.readAllBytes(path).toVector, before)
        // A writer stores the logical types, and the plain class does not fit any more.
        val more = tables.open[MeantJourneys.Journey](path, maxRows = 10)
        more += meant
        more.commit()
        more.close()
        assertEquals(version(path), 3)
        val (kind, words) = failure(tables.openReadOnly[PlainJourneys.Journey](path).close())
        assertEquals(kind, ErrorKind.WRONG_SCHEMA)
        for part <- List(
            "field id is a UUID; expected the struct Bits",
            "field day is a date, stored as Int; expected Int",
            "field price is a decimal(18, 2), stored as Long; expected Long",
            "field back.get is a date, stored as Int; expected Int",
            "field partner.get is a UUID; expected the struct Bits",
            "field days is InlineArray[a date, stored as Int, 2]; expected InlineArray[Int, 2]",
            "field guests is InlineArray[a UUID, stored as the struct UUID of 16 bytes, 2]"
          )
        do assert(words.contains(part), s"$part\n$words")
        val again = tables.openReadOnly[MeantJourneys.Journey](path)
        assertEquals(again.toVector, Vector(meant, meant))
        again.close()
      end check
      check(Rows, "rows")
      check(PackedRows, "packed")
      check(Columns, "columns")

  private def ticks(folder: Path): Path =
    val path = folder.resolve("ticks.rows")
    val table = Rows.create[Nanos.Tick](path)
    table += Nanos.Tick(Instant.ofEpochSecond(7), 1)
    table.commit()
    table.close()
    path

  test("a timestamp of another unit is an error with both units, for readers and writers"):
    import Millis.given
    inFolder: folder =>
      val path = ticks(folder)
      val before = Files.readAllBytes(path).toVector
      for opened <- List(
          () => Rows.openReadOnly[Millis.Tick](path).close(),
          () => Rows.open[Millis.Tick](path).close()
        )
      do
        val (kind, words) = failure(opened())
        assertEquals(kind, ErrorKind.WRONG_SCHEMA)
        val field = "field at is a UTC timestamp in nanoseconds, stored as Long; expected a UTC " +
          "timestamp in milliseconds, stored as Long"
        assert(words.contains(field), words)
      val plain = failure(Rows.openReadOnly[Numbers.Tick](path).close())._2
      assert(
        plain.contains("field at is a UTC timestamp in nanoseconds, stored as Long; expected Long"),
        plain
      )
      assertEquals(Files.readAllBytes(path).toVector, before)

  test("a value with a logical type becomes an Option of it, and new fields have their defaults"):
    inFolder: folder =>
      val path = ticks(folder)
      val optional = Rows.openReadOnly[OptionalTicks.Tick](path)
      assertEquals(optional.toVector, Vector(OptionalTicks.Tick(Some(Instant.ofEpochSecond(7)), 1)))
      optional.close()
      val dated = Rows.open[DatedTicks.Tick](path)
      assertEquals(dated.toVector, Vector(DatedTicks.Tick(Instant.ofEpochSecond(7), 1)))
      dated.close()

  test("a decimal may gain digits before the point, but not another scale"):
    inFolder: folder =>
      val path = folder.resolve("prices.rows")
      locally:
        import Scale2.given
        val table = Rows.create[Scale2.Price](path)
        table += Scale2.Price(BigDecimal("-1234567.89"))
        table.commit()
        table.close()
      locally:
        import Scale3.given
        val words = failure(Rows.openReadOnly[Scale3.Price](path).close())._2
        assert(
          words.contains(
            "field amount is a decimal(9, 2), stored as Long; expected a decimal(18, 3)"
          ),
          words
        )
      locally:
        import Longer.given
        val table = Rows.openReadOnly[Longer.Price](path)
        assertEquals(table.toVector, Vector(Longer.Price(BigDecimal("-1234567.89"))))
        table.close()
        Rows.open[Longer.Price](path).close()
      locally:
        import Scale2.given
        val words = failure(Rows.openReadOnly[Scale2.Price](path).close())._2
        assert(
          words.contains(
            "field amount is a decimal(18, 2), stored as Long; expected a decimal(9, 2)"
          ),
          words
        )

  test("a type with a name of its own is distinguished from the same bytes without it"):
    inFolder: folder =>
      val path = folder.resolve("codes.rows")
      locally:
        import Codes.given
        val table = Rows.create[Codes.Plain](path)
        table += Codes.Plain(Codes.Isin("DE0001"))
        table.commit()
        table.close()
      locally:
        import NamedCodes.given
        val table = Rows.open[NamedCodes.Plain](path)
        assertEquals(table(0).code.code, "DE0001")
        table.close()
      locally:
        import OtherCodes.given
        val words = failure(Rows.openReadOnly[OtherCodes.Plain](path).close())._2
        val field =
          "field code is the logical type isin, stored as Text[12]; expected the logical " +
            "type wkn, stored as Text[12]"
        assert(words.contains(field), words)
      locally:
        import WrongCodes.given
        val error = intercept[IllegalArgumentException](
          Rows.create[WrongCodes.Plain](folder.resolve("wrong.rows"))
        )
        assertEquals(error.getMessage, "a date cannot be stored as Text[12]")

  test("rows that are themselves dates, and blocks of fields with logical types"):
    inFolder: folder =>
      val path = folder.resolve("days.rows")
      val days = Rows.create[LocalDate](path)
      for i <- -5 to 5 do days += LocalDate.ofEpochDay(i)
      days.seal()
      val read = Rows.openReadOnly[LocalDate](path)
      assertEquals(read.map(_.toEpochDay).toVector, (-5L to 5L).toVector)
      read.close()
      val file = StructFile.open(path)
      val range = file.statistics("value").get(0)
      assertEquals((range.min, range.max), (java.lang.Long.valueOf(-5), java.lang.Long.valueOf(5)))
      file.close()
      assert(failure(Rows.openReadOnly[Int](path).close())._2.contains("a date, stored as Int"))
end LogicalFilesTest
