package outside.duckdb

import java.nio.file.{Files, Path}
import java.time.*
import java.util.UUID
import scala.util.{Random, Using}
import undercroft.duckdb.*
import undercroft.file.*
import undercroft.memory.*
import undercroft.struct.*
import undercroft.struct.LogicalType.TimeUnit

object Visits:
  given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 12, scale = 2)
  case class Visit(
      number: Int,
      day: LocalDate,
      time: LocalTime,
      at: Instant,
      local: LocalDateTime,
      price: BigDecimal,
      id: UUID,
      back: Option[LocalDate],
      length: Duration
  ) derives Struct
  case class Read(
      number: Int,
      day: LocalDate,
      time: LocalTime,
      at: Instant,
      local: LocalDateTime,
      price: BigDecimal,
      id: UUID,
      back: Option[LocalDate],
      length: Duration
  )
end Visits

object Scans:
  given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 18, scale = 2)
  case class Point(day: LocalDate, moment: Instant, price: BigDecimal) derives Struct

/** Numbers that a class with logical types reads. */
object Forged:
  final case class Wide(value: BigDecimal)
  private val wide = LogicalType.decimal128(precision = 38, scale = 0)
  given Struct.StoredAs[Wide, Bits128] = Struct
    .storedAs[Wide, Bits128](value => wide.encode(value.value))(bits => Wide(wide.decode(bits)))
    .withLogicalType(LogicalType.Decimal(38, 0))
  given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 18, scale = 0)
  case class Plain(time: Long, price: Long, wide: Bits128) derives Struct
  case class Meant(time: LocalTime, price: BigDecimal, wide: Wide) derives Struct

object OtherUnits:
  given Struct.StoredAs[Instant, Long] = LogicalType.instant(TimeUnit.Millis)
  given Struct.StoredAs[LocalDateTime, Long] = LogicalType.localDateTime(TimeUnit.Seconds)
  given Struct.StoredAs[LocalTime, Long] = LogicalType.localTime(TimeUnit.Micros)
  given Struct.StoredAs[BigDecimal, Bits128] = LogicalType.decimal128(precision = 38, scale = 4)
  final case class Code(text: String)
  given Struct.StoredAs[Code, Text[4]] = Struct
    .storedAs[Code, Text[4]](code => Text(code.text))(text => Code(text.string))
    .withLogicalType(LogicalType.Named("code"))
  case class Visit(
      @bigEndian at: Instant,
      local: LocalDateTime,
      time: LocalTime,
      price: BigDecimal,
      code: Code,
      @bigEndian day: LocalDate
  ) derives Struct
  case class Read(
      at: Instant,
      local: LocalDateTime,
      time: LocalTime,
      price: BigDecimal,
      code: String,
      day: LocalDate
  )
end OtherUnits

/** SQL over dates, times, decimals and UUIDs, compared with the values on the heap. */
class LogicalSqlTest extends undercroft.tools.Suite:
  import Visits.{Read, Visit}
  private val seed = Random.nextLong()
  private val random = Random(seed)

  private def visit(i: Int): Visit =
    // Close together, so that comparisons with a random value have rows on both sides.
    val seconds = i / 10 - 1000 + random.nextInt(100)
    val at = Instant.ofEpochSecond(seconds, random.nextInt(3) * 1001)
    Visit(
      i,
      LocalDate.ofEpochDay(i / 20 - 500),
      LocalTime.ofSecondOfDay(random.nextInt(86_400)).plusNanos(random.nextInt(2)),
      at,
      LocalDateTime.ofInstant(at, ZoneOffset.UTC),
      BigDecimal(i - 7_000 + random.nextInt(10), 2),
      UUID(random.nextLong(), random.nextLong()),
      Option.when(random.nextBoolean())(LocalDate.ofEpochDay(i / 20 - 500)),
      Duration.ofSeconds(i)
    )

  private def read(visit: Visit): Read =
    import visit.*
    Read(number, day, time, at, local, price, id, back, length)

  private def inFolder[A](body: Path => A): A =
    val folder = Files.createTempDirectory("undercroft-outside-")
    try body(folder)
    finally
      Using.resource(Files.walk(folder)): paths =>
        paths.sorted(java.util.Comparator.reverseOrder).forEach(path => Files.deleteIfExists(path))

  private def use[A](body: DuckDb => A): A =
    val duckdb = DuckDb()
    try body(duckdb)
    finally duckdb.close()

  test("columns with logical types have SQL's types, and are read back as the values"):
    val visits = Vector.tabulate(300)(visit)
    import Visits.given
    Region.scoped:
      use: duckdb =>
        duckdb.register("visits", Rows.from(visits))
        duckdb.register("columns", Columns.from(visits))
        val types = duckdb.query("""select column_type from (describe visits)""").as[String]
        val expected =
          "INTEGER, DATE, TIME_NS, TIMESTAMPTZ_NS, TIMESTAMP_NS, DECIMAL(18,2), UUID, DATE, INTERVAL"
        assertEquals(types.mkString(", "), expected)
        for table <- Seq("visits", "columns") do
          val values = duckdb.query(s"select * from $table order by number").as[Read]
          assertEquals(values, visits.map(read), s"seed $seed")

  test("conditions on dates, times and decimals select the rows that they select on the heap"):
    import Visits.given
    val visits = Vector.tabulate(15_000)(visit)
    inFolder: folder =>
      def check[L <: Layout](tables: TableFactory[L], name: String): Unit =
        val path = folder.resolve(name)
        val written = tables.create[Visit](path, maxRows = 15_000)
        visits.foreach(written += _)
        written.seal()
        val table = tables.openReadOnly[Visit](path)
        use: duckdb =>
          duckdb.register("visits", table)
          def count(condition: String): Long =
            duckdb.query(s"select count(*) from visits where $condition").as[Long].head
          for _ <- 0 until 5 do
            val chosen = visits(random.nextInt(visits.size))
            val clue = s"seed $seed, $name, $chosen"
            def compare[A](column: String, literal: String, field: Visit => A)(using
                order: Ordering[A]
            ): Unit =
              val value = field(chosen)
              def model(holds: Int => Boolean): Long =
                visits.count(visit => holds(order.compare(field(visit), value)))
              assertEquals(count(s"$column = $literal"), model(_ == 0), clue)
              assertEquals(count(s"$column <> $literal"), model(_ != 0), clue)
              assertEquals(count(s"$column < $literal"), model(_ < 0), clue)
              assertEquals(count(s"$column <= $literal"), model(_ <= 0), clue)
              assertEquals(count(s"$column > $literal"), model(_ > 0), clue)
              assertEquals(count(s"$literal <= $column"), model(_ >= 0), clue)
            def text(value: Any) = value.toString.replace('T', ' ')
            compare("day", s"date '${chosen.day}'", _.day)
            compare("time", s"'${chosen.time}'::time_ns", _.time)
            compare("\"at\"", s"'${chosen.at}'::timestamptz_ns", _.at)
            compare(
              "local",
              s"'${text(chosen.local)}'::timestamp_ns",
              visit => visit.local: java.time.chrono.ChronoLocalDateTime[?]
            )(using
              Ordering.by(local => (local.toLocalDate.toEpochDay, local.toLocalTime.toNanoOfDay))
            )
            compare("price", s"${chosen.price}", _.price)
            compare("price", s"${chosen.price}::decimal(30, 5)", _.price)
            val day = chosen.day
            assertEquals(
              count(s"back = date '$day'"),
              visits.count(_.back.contains(day)).toLong,
              clue
            )
            assertEquals(
              count(s"day in (date '$day', date '${day.plusDays(3)}')"),
              visits.count(visit => visit.day == day || visit.day == day.plusDays(3)).toLong,
              clue
            )
            assertEquals(count(s"id = '${chosen.id}'::uuid"), 1L, clue)
            assertEquals(
              count(s"cast(price as bigint) = ${chosen.number}"),
              visits.count(_.price.setScale(
                0,
                BigDecimal.RoundingMode.HALF_UP
              ) == BigDecimal(chosen.number)).toLong,
              clue
            )
            assertEquals(
              count(s"day < timestamp '$day 12:00:00'"),
              visits.count(!_.day.isAfter(day)).toLong,
              clue
            )
          end for
          duckdb.query("set TimeZone = 'Asia/Kolkata'"): Unit
          val moment = visits(7_000).at
          assertEquals(
            count(s"\"at\" >= '$moment'::timestamptz_ns"),
            visits.count(!_.at.isBefore(moment)).toLong
          )
        table.close()
      end check
      check(Rows, "rows")
      check(Columns, "columns")

  test("conditions are decided by the scan, which skips the blocks without a row"):
    import Scans.{Point, given}
    val points = Vector.tabulate(300_000): i =>
      Point(
        LocalDate.ofEpochDay(i / 100 - 1500),
        Instant.ofEpochSecond(i - 150_000),
        BigDecimal(i - 150_000, 2)
      )
    inFolder: folder =>
      val path = folder.resolve("points.columns")
      val written = Columns.create[Point](path, maxRows = 300_000)
      written.appendAll(points)
      written.seal()
      val table = Columns.openReadOnly[Point](path)
      use: duckdb =>
        duckdb.register("points", table)
        for
          (condition, holds) <- Seq[(String, Point => Boolean)](
            ("day = date '1970-01-01'", _.day == LocalDate.EPOCH),
            ("day < date '1966-01-01'", _.day.isBefore(LocalDate.of(1966, 1, 1))),
            ("day >= date '1974-01-01'", !_.day.isBefore(LocalDate.of(1974, 1, 1))),
            (
              "moment = timestamptz '1970-01-02 00:00:00+00'",
              _.moment == Instant.ofEpochSecond(86_400)
            ),
            (
              "moment > '1970-01-02 12:00:00+00'::timestamptz_ns",
              _.moment.isAfter(Instant.ofEpochSecond(129_600))
            ),
            ("price = -1499.99", _.price == BigDecimal("-1499.99")),
            ("price > 1499.5", _.price > BigDecimal("1499.5")),
            (
              "price in (1.00, 2.50)",
              point => point.price == BigDecimal(1) || point.price == BigDecimal("2.5")
            )
          )
        do
          val sql = s"from points where $condition"
          val expected = points.count(holds).toLong
          assert(expected > 0 && expected < points.size, condition)
          assertEquals(duckdb.query(s"select count(*) $sql").as[Long], Vector(expected), condition)
        end for
        for
          condition <- Seq(
            "day = date '1970-01-01'",
            "date '1970-01-01' < day",
            "moment > '1970-01-02 12:00:00+00'::timestamptz_ns",
            "price <= 12.34"
          )
        do
          val rows = duckdb.query(s"explain select sum(price) from points where $condition").rows
          val plan = rows.flatten.map(_.show).mkString("\n")
          assert(!plan.contains("Filter"), s"$condition\n$plan")
      table.close()

  test("other units, big-endian numbers and 128 bits are read and compared"):
    import OtherUnits.{Code, given}
    val visits = Vector.tabulate(500): i =>
      val at = Instant.ofEpochMilli(i - 250L)
      OtherUnits.Visit(
        at,
        LocalDateTime.ofEpochSecond(i, 0, ZoneOffset.UTC),
        LocalTime.ofNanoOfDay(i * 1000L),
        BigDecimal(BigInt(10).pow(30) * (i - 250), 4),
        Code(s"c$i"),
        LocalDate.ofEpochDay(i - 250)
      )
    Region.scoped:
      use: duckdb =>
        duckdb.register("visits", PackedRows.from(visits))
        val values = duckdb.query("select * from visits order by \"at\"").as[OtherUnits.Read]
        assertEquals(
          values,
          visits.map(visit =>
            OtherUnits.Read(
              visit.at,
              visit.local,
              visit.time,
              visit.price,
              visit.code.text,
              visit.day
            )
          )
        )
        def count(condition: String): Long =
          duckdb.query(s"select count(*) from visits where $condition").as[Long].head
        assertEquals(count("\"at\" >= timestamptz '1970-01-01 00:00:00+00'"), 250L)
        assertEquals(count("\"at\" >= timestamptz '1970-01-01 00:00:00.0001+00'"), 249L)
        assertEquals(count("local < timestamp_s '1970-01-01 00:01:00'"), 60L)
        assertEquals(count("time = time '00:00:00.000007'"), 1L)
        assertEquals(count("price < 0"), 250L)
        assertEquals(count("day = date '1969-12-31'"), 1L)
        assertEquals(count("code = 'c7'"), 1L)

  test("a date that DuckDB takes for infinity is an error, and not another value"):
    Region.scoped:
      use: duckdb =>
        duckdb.register(
          "days",
          Rows.from(List(LocalDate.EPOCH, LocalDate.ofEpochDay(Int.MaxValue)))
        )
        val error = intercept[ArithmeticException](duckdb.query("select * from days"))
        assertEquals(
          error.getMessage,
          "row 1 of `value` is stored as 2147483647, which is out of the range of DuckDB's type"
        )
  test("a file whose numbers are no times or decimals is an error with the row"):
    import Forged.{Meant, Plain, given}
    inFolder: folder =>
      val days = 86_400_000_000_000L
      val limit = BigInt(10).pow(38)
      def plain(time: Long, price: Long, wide: BigInt) =
        Plain(time, price, ((wide >> 64).toLong, wide.toLong))
      val valid = Vector(
        plain(0, -999_999_999_999_999_999L, 1 - limit),
        plain(days - 1, 999_999_999_999_999_999L, limit - 1)
      )
      val wrong = Vector(
        plain(days, 0, 0),
        plain(-1, 0, 0),
        plain(Long.MaxValue, 0, 0),
        plain(0, 1_000_000_000_000_000_000L, 0),
        plain(0, Long.MinValue, 0),
        plain(0, 0, limit),
        plain(0, 0, -limit),
        plain(0, 0, -(BigInt(1) << 127))
      )
      def queried(rows: Vector[Plain], name: String): Vector[(LocalTime, BigDecimal, BigDecimal)] =
        val path = folder.resolve(name)
        val file = Rows.create[Plain](path)
        rows.foreach(file += _)
        file.commit()
        file.close()
        val table = Rows.openReadOnly[Meant](path)
        try
          use: duckdb =>
            duckdb.register("forged", table)
            duckdb.query("select time, price, wide from forged").as[(
                LocalTime,
                BigDecimal,
                BigDecimal
            )]
        finally table.close()
      val read = queried(valid, "valid.rows")
      assertEquals(read.map(_._1), Vector(LocalTime.MIN, LocalTime.MAX))
      assertEquals(
        read.map(_._3.bigDecimal.toBigInteger),
        Vector(1 - limit, limit - 1).map(_.bigInteger)
      )
      for (row, i) <- wrong.zipWithIndex do
        val error = intercept[ArithmeticException](queried(valid :+ row, s"forged$i.rows"))
        assert(error.getMessage.startsWith("row 2 of "), error.getMessage)
end LogicalSqlTest
