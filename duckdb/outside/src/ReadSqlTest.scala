package outside.duckdb

import java.time.{Duration, Instant, LocalDate, LocalDateTime, LocalTime}
import java.util.UUID
import scala.compiletime.testing.typeCheckErrors
import scala.concurrent.duration.DurationInt
import undercroft.duckdb.*
import undercroft.memory.*
import undercroft.struct.*

final case class Fact(id: Long, ticket: Long, price: Long, buy: Boolean, name: Text[12])
    derives Struct, CanEqual

final case class Wide(
    byte: Byte,
    short: Short,
    char: Char,
    int: Int,
    long: Long,
    float: Float,
    double: Double,
    date: LocalDate,
    time: LocalTime,
    moment: Instant,
    local: LocalDateTime,
    worked: Duration,
    price: BigDecimal,
    key: UUID,
    color: CarColor,
    motor: Motor,
    days: InlineArray[Option[LocalDate], 2],
    grid: InlineArray[InlineArray[Int, 2], 2],
    text: Text[40],
    maybe: Option[Text[4]],
    part: Option[Motor]
) derives Struct,
      CanEqual

final case class Few(id: Int, name: Option[Text[4]]) derives Struct, CanEqual
final case class Colored(color: CarColor) derives Struct, CanEqual
final case class Bright(bright: Boolean, level: Float) derives Struct, CanEqual
final case class Timed(time: LocalTime) derives Struct, CanEqual
final case class Dated(day: LocalDate) derives Struct, CanEqual
final case class Pairs(pair: InlineArray[Int, 2]) derives Struct, CanEqual
final case class Nested(motor: Motor) derives Struct, CanEqual
final case class Changed(change: CarChange) derives Struct
final case class Linked(next: Ref[Fact]) derives Struct

object Units:
  given Struct.StoredAs[Instant, Long] = LogicalType.instant(LogicalType.TimeUnit.Millis)
  given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 6, scale = 2)
  final case class Stamped(at: Instant, price: BigDecimal) derives Struct, CanEqual

class ReadSqlTest extends undercroft.tools.Suite:

  private def use[A](body: DuckDb => A): A =
    val duckdb = DuckDb()
    try body(duckdb)
    finally duckdb.close()

  private def message(body: => Any): String =
    intercept[IllegalArgumentException](body).getMessage

  private val facts =
    "select range as id, range * 7 % 5000 as ticket, -range as price, range % 3 = 0 as buy, " +
      "'n' || range % 1000 as name from range("

  private def fact(i: Long): Fact = Fact(i, i * 7 % 5000, -i, i % 3 == 0, Text(s"n${i % 1000}"))

  test("rows of a query are read into tables of all layouts, over many chunks, in their order"):
    Region.scoped:
      use: duckdb =>
        val count = 150_001
        val (rows, packed, columns) = (
          Rows.readSql[Fact](duckdb, s"$facts$count)"),
          PackedRows.readSql[Fact](duckdb, s"$facts$count)"),
          Columns.readSql[Fact](duckdb, s"$facts$count)")
        )
        for table <- Seq(rows, packed, columns) do assertEquals(table.size, count.toLong)
        for i <- 0 until count by 997 do
          assertEquals(rows(i), fact(i))
          assertEquals(packed(i), fact(i))
          assertEquals(columns(i), fact(i))
        assertEquals(columns(count - 1), fact(count - 1))
        assertEquals(columns.sumOf(_.price), -(count - 1L) * count / 2)

  test("rows of a query are appended to growing tables"):
    Region.scoped:
      use: duckdb =>
        val rows = Rows.growing[Fact]
        rows += fact(9)
        rows.appendSql(duckdb, s"${facts}5000)")
        rows.appendSql(
          duckdb,
          sql"select * from (${Sql.verbatim(s"${facts}5000)")}) where id < ${3}"
        )
        assertEquals(rows.size, 5004L)
        assertEquals(
          (rows(0), rows(1), rows(5000), rows(5003)),
          (fact(9), fact(0), fact(4999), fact(2))
        )
        val columns = Columns.growingTo[Fact](maxRows = 10_000)
        columns.appendSql(duckdb, s"${facts}5000) order by id desc")
        assertEquals((columns.size, columns(0)), (5000L, fact(4999)))
        // All of the rows, or none.
        intercept[IndexOutOfBoundsException](columns.appendSql(duckdb, s"${facts}5001)")): Unit
        intercept[IllegalArgumentException](
          columns.appendSql(
            duckdb,
            s"select id, ticket, if(id = 4000, null, 1) as price, buy, name " +
              s"from (${facts}5000))"
          )
        ): Unit
        assertEquals(columns.size, 5000L)

  test("values of every type that a table has are read back as they are"):
    Region.scoped:
      val wide = (i: Int) =>
        Wide(
          (i - 5).toByte,
          (i * 300).toShort,
          ('a' + i).toChar,
          Int.MinValue + i,
          Long.MaxValue - i,
          i / 4f,
          if i == 1 then Double.NaN else i / 3.0,
          LocalDate.of(1969, 12, 28).plusDays(i),
          LocalTime.of(23, 59, 59, i * 1001),
          Instant.parse("1969-12-31T23:59:59.999999999Z").plusNanos(i),
          LocalDateTime.of(1, 2, 3, 4, 5, 6).plusYears(1900 + i),
          Duration.ofSeconds(-5 + i, 7000),
          BigDecimal(-1234567890123456789L, 4) * i,
          UUID(Long.MinValue + i, -i),
          CarColor.fromOrdinal(i % 3),
          Motor(i * 10, i % 2 == 0),
          InlineArray(Option.when(i % 2 == 0)(LocalDate.of(2026, 1, 1)), None),
          InlineArray(InlineArray(i, 2), InlineArray(3, -i)),
          Text(s"a text of more than twelve bytes: $i"),
          Option.when(i % 3 == 0)(Text(s"t$i")),
          Option.when(i % 2 == 1)(Motor(i, true))
        )
      val source = Rows.tabulate[Wide](10)(i => wide(i.toInt))
      use: duckdb =>
        duckdb.register("wide", source)
        val query = "select * from wide"
        for
          (table, name) <- Seq(
            Rows.readSql[Wide](duckdb, query) -> "rows",
            PackedRows.readSql[Wide](duckdb, query) -> "packed",
            Columns.readSql[Wide](duckdb, query) -> "columns"
          )
          i <- 0 until 10
        do assertEquals(table(i).toString, source(i).toString, name)

  test("columns are found by name, converted between numbers, lists and units, and others ignored"):
    Region.scoped:
      use: duckdb =>
        val few = Rows.readSql[Few](duckdb, "select 'x' as NAME, 7::utinyint as Id, 1 as other")
        assertEquals(few(0), Few(7, Some(Text("x"))))
        val none = Rows.readSql[Few](duckdb, "select 7::hugeint as id, null as name")
        assertEquals(none(0), Few(7, None))
        val colors = "select unnest(['Blue', 'Red'])::enum('Red', 'Pink', 'Blue') as color"
        assertEquals(
          Columns.readSql[Colored](duckdb, colors).toVector,
          Vector(Colored(CarColor.Blue), Colored(CarColor.Red))
        )
        assertEquals(
          Rows.readSql[Colored](duckdb, "select 'Green' as color")(0),
          Colored(CarColor.Green)
        )
        assertEquals(
          Rows.readSql[Bright](duckdb, "select true as bright, 0.5::double as level")(0),
          Bright(true, 0.5f)
        )
        assertEquals(
          Rows.readSql[Timed](duckdb, "select time '09:30:00.000001' as time")(0),
          Timed(LocalTime.of(9, 30, 0, 1000))
        )
        assertEquals(
          Rows.readSql[Dated](duckdb, "select '2026-11-29' as day")(0),
          Dated(LocalDate.of(2026, 11, 29))
        )
        val lists = Rows.readSql[Pairs](
          duckdb,
          "select case range % 2 when 0 then [range::int, 1] else [2, 3] end as pair from range(3000)"
        )
        assertEquals(lists(2998), Pairs(InlineArray(2998, 1)))
        assertEquals(lists(2999), Pairs(InlineArray(2, 3)))
        val nested =
          "select {'electric': range = 1, 'other': 0, 'power': range} as motor from range(2)"
        assertEquals(Rows.readSql[Nested](duckdb, nested)(1), Nested(Motor(1, true)))
        val constants = Columns.readSql[Bright](
          duckdb,
          "select true as bright, 1::float as level from range(5000)"
        )
        assertEquals(constants(4999), Bright(true, 1f))
        assertEquals(Rows.readSql[Few](duckdb, "select 1 as id, 'a' as name where false").size, 0L)
        val last =
          "create table t(x int); insert into t values (1); select x as id, null as name from t"
        assertEquals(Rows.readSql[Few](duckdb, last).toVector, Vector(Few(1, None)))

  test("times and decimals are read in the field's unit and scale, if it has them"):
    Region.scoped:
      use: duckdb =>
        val stamped = (moment: String, price: String) =>
          Rows.readSql[Units.Stamped](
            duckdb,
            s"select '$moment'::timestamptz as at, $price as price"
          )(0)
        val at = Instant.parse("2026-11-29T01:02:03.004Z")
        val moment = "2026-11-29 01:02:03.004+00"
        for price <- Seq("1.50::decimal(6, 2)", "1.5", "1.500::decimal(30, 3)") do
          assertEquals(stamped(moment, price), Units.Stamped(at, BigDecimal("1.50")), price)
        assertEquals(stamped(moment, "7::bigint").price, BigDecimal(7))
        val fine = message(stamped("2026-11-29 01:02:03.0041+00", "1.5"))
        assert(fine.contains("row 0, column at:") && fine.endsWith("is not an Instant"), fine)
        assertEquals(
          message(stamped(moment, "1.505")),
          "row 0, column price: 1.505 is not a BigDecimal of 6 digits, 2 of them after the point"
        )
        assert(message(stamped(moment, "10000.00::decimal(18, 2)")).contains("10000.00 is not"))
        assert(message(stamped(moment, "10000.0")).contains("10000.0 is not"))
        // Its digits are those of the least Long, which has no absolute value.
        val least = "-92233720368547758.08::decimal(30, 2)"
        assert(message(stamped(moment, least)).contains("58.08 is not a BigDecimal of 6 digits"))

  test("a value that a field does not have is refused with its row and its column"):
    Region.scoped:
      use: duckdb =>
        val few = (text: String) => Rows.readSql[Few](duckdb, text)
        val rows = "select if(range = 2999, null, range) as id, 'x' as name from range(3000)"
        assertEquals(message(few(rows)), "row 2999, column id: null is not an Int")
        assertEquals(
          message(few("select 2147483648 as id, null as name")),
          "row 0, column id: 2147483648 is not an Int"
        )
        assertEquals(
          message(few("select 1 as id, 'long text' as name")),
          "row 0, column name: long text is not a Text[4]"
        )
        assertEquals(
          message(few("select 1 as id, 'a' || chr(0) as name")),
          "row 0, column name: a\u0000 is not a Text[4]"
        )
        assert(message(few("select '1' as id, null as name")).endsWith("1 is not an Int"))
        assert(message(few("select 1.5 as id, null as name")).endsWith("1.5 is not an Int"))
        assertEquals(
          message(Rows.readSql[Colored](duckdb, "select 'Pink' as color")),
          "row 0, column color: Pink is not one of Red, Green, Blue"
        )
        assert(message(Rows.readSql[Bright](duckdb, "select true as bright, 0.1::double as level"))
          .endsWith("0.1 is not a Float"))
        assert(message(Rows.readSql[Timed](duckdb, "select time '24:00:00' as time"))
          .endsWith("24:00:00 is not a LocalTime"))
        assert(message(Rows.readSql[Dated](duckdb, "select 'infinity'::date as day"))
          .endsWith("infinity is not a LocalDate"))
        assert(message(Rows.readSql[Pairs](duckdb, "select [1] as pair"))
          .endsWith("[1] is not an array of 2 elements"))
        assert(message(Rows.readSql[Pairs](duckdb, "select [1, null] as pair"))
          .endsWith("column pair[]: null is not an Int"))
        assertEquals(
          message(Rows.readSql[Nested](duckdb, "select {'power': 1} as motor")),
          "column motor has no column for the field electric; its columns are power"
        )
        assertEquals(
          message(few("select 1 as id")),
          "the result has no column for the field name; its columns are id"
        )
        assert(message(Rows.readSql[Changed](
          duckdb,
          "select 1 as change"
        )).startsWith("the field change"))
        val errors =
          typeCheckErrors("Rows.readSql[Linked](DuckDb(), \"\")(using Malloc)").map(_.message)
        assert(errors.mkString.contains("`next` is a Ref"), errors)

  test("a result is read without a limit of rows, and a query ends at its time limit"):
    Region.scoped:
      use: duckdb =>
        val table = Columns.readSql[Fact](duckdb, s"${facts}1200000)")
        assertEquals(table.size, 1_200_000L)
        assertEquals(duckdb.query(s"${facts}1200000)").size, 1_200_000)
        val pairs = "select sum(a.range * b.range) as id, 'x' as name " +
          "from range(10000000) a, range(10000000) b"
        val late =
          intercept[DuckDbException](Rows.readSql[Few](duckdb, pairs, timeLimit = 50.millis))
        assert(late.getMessage.contains("time limit"), late.getMessage)
        assertEquals(Rows.readSql[Few](duckdb, "select 1 as id, null as name").size, 1L)
end ReadSqlTest
