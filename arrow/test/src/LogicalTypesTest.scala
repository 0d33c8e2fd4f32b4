package undercroft.arrow

import java.nio.file.Path
import java.time.*
import java.util.UUID
import scala.util.Random
import undercroft.arrow.Python.run
import undercroft.memory.*
import undercroft.struct.*
import undercroft.struct.LogicalType.TimeUnit

object LogicalTypesTest:
  given [A] => CanEqual[A, A] = CanEqual.derived
  final case class Isin(code: String)
  given Struct.StoredAs[Isin, Text[12]] = Struct
    .storedAs[Isin, Text[12]](isin => Text(isin.code))(text => Isin(text.string))
    .withLogicalType(LogicalType.Named("isin"))
  given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 18, scale = 2)

  final case class Wide(value: BigDecimal)
  private val wide = LogicalType.decimal128(precision = 38, scale = 10)
  given Struct.StoredAs[Wide, Bits128] = Struct
    .storedAs[Wide, Bits128](value => wide.encode(value.value))(bits => Wide(wide.decode(bits)))
    .withLogicalType(LogicalType.Decimal(38, 10))

  final case class Visit(
      day: LocalDate,
      time: LocalTime,
      at: Instant,
      local: LocalDateTime,
      length: Duration,
      price: BigDecimal,
      wide: Wide,
      id: UUID,
      back: Option[LocalDate],
      isin: Isin
  ) derives Struct

  object Coarse:
    given Struct.StoredAs[LocalTime, Long] = LogicalType.localTime(TimeUnit.Millis)
    given Struct.StoredAs[Instant, Long] = LogicalType.instant(TimeUnit.Seconds)
    final case class Visit(time: LocalTime, at: Instant, @bigEndian day: LocalDate) derives Struct
end LogicalTypesTest

/** Logical types in Arrow files, in both directions, with pyarrow as the other side. */
class LogicalTypesTest extends undercroft.tools.Suite:
  import LogicalTypesTest.{Isin, Visit, Wide, given}
  private val seed = Random.nextLong()
  private val random = Random(seed)

  private def visit(number: Long): Visit =
    val at = Instant.ofEpochSecond(0, number).nn
    Visit(
      LocalDate.ofEpochDay(number.toInt).nn,
      LocalTime.ofNanoOfDay(Math.floorMod(number, 86_400_000_000_000L)).nn,
      at,
      LocalDateTime.ofInstant(at, ZoneOffset.UTC).nn,
      Duration.ofNanos(number).nn,
      BigDecimal(number % 1_000_000_000_000_000_000L, 2),
      Wide(BigDecimal(BigInt(number) * number, 10)),
      UUID(number, -number),
      Option.when(random.nextBoolean())(LocalDate.EPOCH.nn),
      Isin(s"DE${number % 1000}")
    )

  private val visits = Vector(0L, 1L, -1L, Long.MaxValue, Long.MinValue).map(visit) ++
    Vector.fill(100)(visit(random.nextLong() >> random.nextInt(64)))

  private inline def written[L <: Layout](tables: TableFactory[L]): Path =
    val file = Samples.path()
    Region.scoped(tables.from(visits).writeArrow(file, 32))
    file

  test("values with logical types are read from an Arrow file as they were written"):
    for file <- Vector(written(Rows), written(PackedRows), written(Columns)) do
      Region.scoped:
        assertEquals(Columns.readArrow[Visit](file).toVector, visits, s"seed $seed")
        assertEquals(Rows.readArrow[Visit](file).toVector, visits, s"seed $seed")

  test("pyarrow reads dates, times, decimals and UUIDs as such"):
    val report = run("logical", "pyarrow", written(Columns).toString)
    assertEquals(
      report("types"),
      ujson.Obj(
        "day" -> "date32[day]",
        "time" -> "time64[ns]",
        "at" -> "timestamp[ns, tz=UTC]",
        "local" -> "timestamp[ns]",
        "length" -> "duration[ns]",
        "price" -> "decimal128(18, 2)",
        "wide" -> "decimal128(38, 10)",
        "id" -> "extension<arrow.uuid>",
        "back" -> "date32[day]",
        "isin" -> "string"
      )
    )
    assertEquals(report("metadata")("isin"), ujson.Obj("undercroft.logicalType" -> "isin"))
    for (visit, i) <- visits.zipWithIndex do
      def value(name: String): String = report("values")(name)(i).str
      val nanos = BigInt(visit.at.getEpochSecond) * 1_000_000_000 + visit.at.getNano
      assertEquals(value("day"), visit.day.toEpochDay.toString)
      assertEquals(value("at"), nanos.toString)
      assertEquals(value("local"), nanos.toString)
      assertEquals(value("time"), visit.time.toNanoOfDay.toString)
      assertEquals(BigInt(value("length")), nanos)
      assertEquals(BigDecimal(value("price")), visit.price)
      val wide = java.math.BigDecimal(value("wide"))
      assertEquals(wide.compareTo(visit.wide.value.bigDecimal), 0)
      assertEquals(value("id"), visit.id.toString)

  test("times of 32 bits, and big-endian dates, are written and read"):
    import LogicalTypesTest.Coarse.{Visit, given}
    val rows = Vector(
      Visit(LocalTime.MIDNIGHT.nn, Instant.EPOCH.nn, LocalDate.EPOCH.nn),
      Visit(LocalTime.of(23, 59, 59, 999_000_000).nn, Instant.MIN.nn, LocalDate.of(-1, 1, 1).nn)
    )
    val file = Samples.path()
    Region.scoped(PackedRows.from(rows).writeArrow(file))
    Region.scoped(assertEquals(Rows.readArrow[Visit](file).toVector, rows))
    val types = run("logical", "pyarrow", file.toString)("types")
    assertEquals(types("time").str, "time32[ms]")
    assertEquals(types("at").str, "timestamp[s, tz=UTC]")

  private def fromPython(name: String): Path =
    val file = Samples.path()
    val _ = run("write-logical", "pyarrow", file.toString, name)
    file

  test("columns that pyarrow wrote in other units are read exactly"):
    val file = fromPython("")
    val local = LocalDateTime.of(2026, 11, 25, 1, 2, 3).nn
    val expected = Vector(
      Visit(
        LocalDate.of(2026, 11, 25).nn,
        LocalTime.of(1, 2, 3).nn,
        local.toInstant(ZoneOffset.UTC).nn.plusNanos(4000).nn,
        local,
        Duration.ofNanos(-1000).nn,
        BigDecimal("-1.50"),
        Wide(BigDecimal(-1)),
        UUID(Long.MinValue, 7),
        None,
        Isin("DE0001")
      ),
      Visit(
        LocalDate.of(1, 1, 1).nn,
        LocalTime.of(23, 59, 59).nn,
        Instant.parse("1969-12-31T00:00:00Z").nn,
        LocalDateTime.of(1969, 12, 31, 0, 0).nn,
        Duration.ofDays(1).nn,
        BigDecimal("12345678901234.5"),
        Wide(BigDecimal("1234567890123456789012345678")),
        UUID(0, 5),
        Some(LocalDate.of(2026, 11, 25).nn),
        Isin("DE0002")
      )
    )
    Region.scoped:
      assertEquals(Rows.readArrow[Visit](file).toVector, expected)
      assertEquals(Columns.readArrow[Visit](file).toVector, expected)

  for (name, words) <- Seq(
      "late" -> "row 0 of `at` is 4611686018427387904",
      "local" -> "`at` must be a UTC timestamp in nanoseconds, but is timestamp",
      "number" -> "`at` must be a UTC timestamp in nanoseconds, but is int64",
      "digits" -> "row 0 of `price` is 1.001, which is not a decimal(18, 2)",
      "precise" -> "row 0 of `price` is 10000000000000000, which is not a decimal(18, 2)",
      "part" -> "row 0 of `day` is 1"
    )
  do
    test(s"a value that a field cannot store exactly is an error: $name"):
      val file = fromPython(name)
      val error = intercept[ArrowException](Region.scoped(Rows.readArrow[Visit](file)))
      assert(error.getMessage.nn.contains(words), error.getMessage)
end LogicalTypesTest
