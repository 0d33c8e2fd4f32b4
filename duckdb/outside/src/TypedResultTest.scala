package outside.duckdb

import java.time.{Instant, LocalDate, LocalDateTime, LocalTime}
import java.util.UUID
import scala.compiletime.testing.typeCheckErrors
import undercroft.duckdb.*
import undercroft.memory.*
import undercroft.struct.*

final case class Painted(color: CarColor, count: Long, strongest: Option[Int]) derives CanEqual
final case class Positive(id: Int, number: Long):
  require(number > 0, s"number must be positive: $number")
final case class Several(
    a: Int,
    b: Long,
    c: Short,
    d: Byte,
    e: Boolean,
    f: Double,
    g: Float,
    h: String,
    i: Option[Long],
    j: BigDecimal,
    k: LocalDate
) derives CanEqual
final case class Sold(id: Int, name: Text[12], price: Double) derives Struct, CanEqual

class TypedResultTest extends undercroft.tools.Suite:

  private def use[A](body: DuckDb => A): A =
    val duckdb = DuckDb()
    try body(duckdb)
    finally duckdb.close()

  private def message(body: => Any): String =
    intercept[IllegalArgumentException](body).getMessage

  test("rows are read as case classes by the names of the columns, in any order and case"):
    Region.scoped:
      use: duckdb =>
        duckdb.register("cars", Rows.tabulate[Car](10)(Car.of))
        val painted = duckdb.query("""
          select max(engine.power) filter (color = 'Green') as strongest, count(*) as "COUNT",
            1 as other, color
          from cars group by color order by color""").as[Painted]
        assertEquals(
          painted,
          Vector(
            Painted(CarColor.Red, 4, None),
            Painted(CarColor.Green, 3, Some(70)),
            Painted(CarColor.Blue, 3, None)
          )
        )

  test("rows are read one at a time, and times are shown as DuckDB writes them"):
    use: duckdb =>
      val rows = duckdb.query("select range as id, 'n' || range as name from range(5000)")
      assertEquals(rows.size, 5000)
      val read = rows.iteratorAs[(Long, String)]
      assertEquals(read.drop(4999).toVector, Vector((4999L, "n4999")))
      val typed = duckdb.query("select null::int as x union all select 1").iteratorAs[Int]
      assertEquals(message(typed.toVector), "row 0, column x: null is not an Int")
      val values = Vector(
        "date '2026-11-29'",
        "date '0044-03-15 (BC)'",
        "date '12026-01-01'",
        "'infinity'::date",
        "'-infinity'::timestamp",
        "timestamp '2026-11-29 09:30:00.25'",
        "timestamp '0044-03-15 (BC) 01:02:03.000004'",
        "time '24:00:00'",
        "time '09:30:00.000001'",
        "timestamp_ns '2026-11-29 09:30:00.000000001'",
        "timestamptz '2026-11-29 09:30:00+05'",
        "-0.5::decimal(4, 2)",
        "123456789.12::decimal(18, 2)",
        "'b'::enum('a', 'b')",
        "[1, null]",
        "{'a': 1, 'b': 'x'}",
        "interval '1 day'",
        "'x'::blob",
        "uuid '00000000-0000-0003-0000-000000000004'",
        "18446744073709551615"
      )
      for value <- values do
        val row = duckdb.query(s"select $value, ($value)::varchar")
        assertEquals(row(0, 0).show, row(0, 1).show, value)
        assertEquals(duckdb.query(s"select nullif($value, $value)")(0, 0), SqlValue.Null, value)

  test("rows are read as tuples and as single values of every type"):
    use: duckdb =>
      def one[T: SqlRow](text: String): T = duckdb.query(s"select $text").as[T].head
      assertEquals(one[(Boolean, Byte, Short)]("true, -128, 300"), (true, -128.toByte, 300.toShort))
      assertEquals(one[Int]("2147483647"), Int.MaxValue)
      assertEquals(one[Long]("-9223372036854775808"), Long.MinValue)
      assertEquals(one[BigInt]("170141183460469231731687303715884105727"), BigInt(2).pow(127) - 1)
      assertEquals(one[(BigDecimal, BigDecimal)]("1.50, 7"), (BigDecimal("1.50"), BigDecimal(7)))
      assertEquals(one[(Double, Double)]("1.5::double, 7"), (1.5, 7.0))
      assertEquals(one[Float]("1.5::float"), 1.5f)
      assert(one[Double]("'nan'::double").isNaN && one[Float]("'nan'::float").isNaN)
      assertEquals(one[String]("'it''s'"), "it's")
      assertEquals(one[UUID](s"'${UUID(3, 4)}'::uuid"), UUID(3, 4))
      assertEquals(one[LocalDate]("date '2026-11-23'"), LocalDate.of(2026, 11, 23))
      assertEquals(one[LocalTime]("time '09:30:00.000001'"), LocalTime.of(9, 30, 0, 1000))
      assertEquals(
        one[LocalDateTime]("timestamp '2026-11-23 09:30:00.25'"),
        LocalDateTime.of(2026, 11, 23, 9, 30, 0, 250_000_000)
      )
      assertEquals(one[Option[Int]]("null"), None)
      assertEquals(one[Option[CarColor]]("'Blue'"), Some(CarColor.Blue))
      assertEquals(one[Text[5]]("'Ada'"), Text[5]("Ada"))
      for zone <- List("UTC", "America/St_Johns", "Asia/Kolkata", "Europe/Berlin") do
        duckdb.query(s"set TimeZone = '$zone'"): Unit
        val instant = Instant.parse("2026-07-01T12:00:00.123456Z")
        assertEquals(duckdb.query(sql"select $instant").as[Instant], Vector(instant), zone)

  test("a FLOAT is shown with the digits of a Float, and a DECIMAL with all digits of its scale"):
    use: duckdb =>
      val row = duckdb.query(
        "select 0.1::float, 0.1::double, 0.1::float::double, 16777216::float, 0::decimal(18, 8), " +
          "0.00000012::decimal(18, 8), -1.50::decimal(38, 2)"
      ).rows.head
      val floats = Vector("0.1", "0.1", "0.10000000149011612", "1.6777216E7")
      assertEquals(row.map(_.show), floats ++ Vector("0.00000000", "0.00000012", "-1.50"))
      assertEquals(row(0), SqlValue.Double(0.1f.toDouble))
      assertEquals(row(0).double, 0.1f.toDouble)
      // Only SQL's scales are written out.
      assertEquals(SqlValue.Decimal(BigDecimal("1E+1000000000")).show, "1E+1000000000")

  test("a row of many fields has each of them in its place"):
    use: duckdb =>
      val query =
        "select i::int as a, -i as b, 3::smallint as c, 4::tinyint as d, i % 2 = 0 as e, " +
          "i / 2 as f, 0.5::float as g, 'h' || i as h, nullif(i, 0) as i, i::decimal(9, 1) as j, " +
          "date '2026-11-30' as k from range(3000) t(i)"
      val day = LocalDate.of(2026, 11, 30)
      for (row, n) <- duckdb.query(query).as[Several].zipWithIndex do
        val number = Option.when(n != 0)(n.toLong)
        val expected =
          Several(
            n,
            -n,
            3,
            4,
            n % 2 == 0,
            n / 2.0,
            0.5f,
            s"h$n",
            number,
            BigDecimal(n).setScale(1),
            day
          )
        assertEquals(row, expected)

  test("texts of every length are read, also between nulls"):
    use: duckdb =>
      val rows = duckdb.query(
        "select if(i % 5 = 4, null, repeat('é', (i // 2)::int) || repeat('x', (i % 2)::int)) as t " +
          "from range(6000) r(n), lateral (select n % 40 as i)"
      )
      for (text, n) <- rows.as[Option[String]].zipWithIndex do
        val i = n % 40
        assertEquals(text, Option.when(i % 5 != 4)("é" * (i / 2) + "x" * (i % 2)), s"row $n")

  test("an exception of a row's class is thrown as it is"):
    use: duckdb =>
      assertEquals(
        message(duckdb.query("select 1 as id, -7 as number").as[Positive]),
        "requirement failed: number must be positive: -7"
      )
      assertEquals(
        message(duckdb.query("select 1 as id, 0.5 as number").as[Positive]),
        "row 0, column number: 0.5 is not a Long"
      )

  test("a result becomes a table"):
    Region.scoped:
      use: duckdb =>
        val sold = Columns.from(
          duckdb.query(
            "select range::int as id, 'car ' || range as name, range / 2.0 as price from range(100)"
          ).as[Sold]
        )
        assertEquals(sold(99), Sold(99, Text("car 99"), 49.5))

  test("a value that the type does not have is refused with its row and column"):
    use: duckdb =>
      val rows = "select range as id, if(range = 2, null, 'x') as name from range(3)"
      assertEquals(
        message(duckdb.query(rows).as[(Long, String)]),
        "row 2, column name: null is not a String"
      )
      assertEquals(
        message(duckdb.query("select 2147483648").as[Int]),
        "row 0, column 2147483648: 2147483648 is not an Int"
      )
      assert(message(duckdb.query("select 1.5 as n").as[Long]).contains("1.5 is not a Long"))
      assert(message(duckdb.query("select 0.1::double").as[Float]).contains("is not a Float"))
      assert(
        message(duckdb.query("select 9007199254740993").as[Double]).contains("is not a Double")
      )
      assert(message(duckdb.query("select '250'").as[Int]).contains("250 is not an Int"))
      assert(
        message(duckdb.query("select 'Pink'").as[CarColor]).contains("is not a case of CarColor")
      )
      assert(message(duckdb.query("select 'too long'").as[Text[3]]).contains("is not a Text[3]"))
      assert(message(duckdb.query("select 'x'").as[UUID]).contains("x is not a UUID"))
      assert(message(duckdb.query("select 'infinity'::date").as[LocalDate]).contains("infinity"))

  test("a missing column and a wrong number of columns are refused, without rows too"):
    use: duckdb =>
      val none = "select 1 as id, 2 as price where false"
      assertEquals(
        message(duckdb.query(none).as[Sold]),
        "the result has no column for the field name; its columns are id, price"
      )
      assertEquals(
        message(duckdb.query(none).as[Int]),
        "an Int needs a single column; the result has 2: id, price"
      )
      assertEquals(
        message(duckdb.query(none).as[(Int, Int, Int)]),
        "a tuple of 3 values needs as many columns; the result has 2: id, price"
      )
      assertEquals(duckdb.query(none).as[(Int, Int)], Vector())

  test("a type that no row has does not compile, with the reason"):
    val list = typeCheckErrors("QueryResult(Vector(), Vector()).as[List[Int]]").map(_.message)
    assert(list.mkString.contains("can be read as case classes, tuples"), list.toString)
    val field =
      typeCheckErrors("QueryResult(Vector(), Vector()).as[(Int, List[Int])]").map(_.message)
    assert(field.mkString.contains("not as"), field.toString)
    val change = typeCheckErrors("QueryResult(Vector(), Vector()).as[CarChange]").map(_.message)
    assert(change.mkString.contains("enum"), change.toString)
end TypedResultTest
