package outside.duckdb

import java.time.{Instant, LocalDate, LocalDateTime, LocalTime}
import java.util.UUID
import scala.compiletime.testing.typeCheckErrors
import scala.concurrent.duration.{Duration, DurationInt}
import scala.util.Random
import undercroft.duckdb.*
import undercroft.memory.*
import undercroft.struct.*

class ParametersTest extends undercroft.tools.Suite:

  private def use[A](body: DuckDb => A): A =
    val duckdb = DuckDb()
    try body(duckdb)
    finally duckdb.close()

  private def cars(duckdb: DuckDb, count: Long)(using Region): Unit =
    duckdb.register("cars", Columns.tabulate[Car](count)(Car.of))

  test("values of every type are bound with SQL's type"):
    use: duckdb =>
      def typeOf(value: Sql): (String, String) =
        duckdb.query(sql"select typeof($value), cast($value as varchar)").as[(String, String)].head
      val uuid = UUID(1, 2)
      val types = List[(SqlParameter, String, String)](
        (true, "BOOLEAN", "true"),
        (-5.toByte, "TINYINT", "-5"),
        (-5.toShort, "SMALLINT", "-5"),
        (Int.MinValue, "INTEGER", "-2147483648"),
        (Long.MaxValue, "BIGINT", "9223372036854775807"),
        (0.1f, "FLOAT", "0.1"),
        (-0.1, "DOUBLE", "-0.1"),
        (BigInt(2).pow(100), "HUGEINT", "1267650600228229401496703205376"),
        (BigDecimal("12.340"), "DECIMAL(5,3)", "12.340"),
        (BigDecimal("0.005"), "DECIMAL(3,3)", ".005"),
        (BigDecimal("1e3"), "DECIMAL(4,0)", "1000"),
        (BigDecimal("0e1000000000"), "DECIMAL(1,0)", "0"),
        ("it's \u0000 \uD83D\uDE00 $1 ?", "VARCHAR", "it's \u0000 \uD83D\uDE00 $1 ?"),
        (Text[8]("Ada").string, "VARCHAR", "Ada"),
        (LocalDate.of(2026, 11, 23), "DATE", "2026-11-23"),
        (LocalTime.of(9, 30, 1, 2000), "TIME_NS", "09:30:01.000002"),
        (LocalTime.of(9, 30), "TIME_NS", "09:30:00"),
        (LocalTime.of(9, 30, 1, 1999), "TIME_NS", "09:30:01.000001999"),
        (LocalDateTime.of(2026, 11, 23, 9, 30), "TIMESTAMP", "2026-11-23 09:30:00"),
        (uuid, "UUID", uuid.toString),
        (CarColor.Green, "VARCHAR", "Green"),
        (Some(7), "INTEGER", "7"),
        (List(1, 2), "INTEGER[]", "[1, 2]"),
        (Vector("a", "b"), "VARCHAR[]", "[a, b]")
      )
      for (value, tpe, shown) <- types do
        assertEquals(typeOf(sql"$value"), (tpe, shown), s"$value")
      assertEquals(duckdb.query(sql"select ${None} is null").as[Boolean], Vector(true))
      val error = intercept[IllegalArgumentException](duckdb.query(sql"select '${1}'"))
      assert(error.getStackTrace.exists(_.getClassName.contains("ParametersTest")), error)
      val instant = Instant.parse("2026-11-23T09:30:00.5Z")
      assertEquals(duckdb.query(sql"select $instant").as[Instant], Vector(instant))

  test("dates and timestamps of years before 1 and after 9999 are bound and read"):
    use: duckdb =>
      duckdb.query("set timezone = 'UTC'")
      val dates =
        for year <- List(-5_877_641, -44, -1, 0, 1, 9999, 10_000, 123_456, 5_881_580)
        yield LocalDate.of(year, 7, 9)
      for date <- dates do
        assertEquals(duckdb.query(sql"select $date").as[LocalDate], Vector(date))
      val times =
        for year <- List(-290_000, -44, 0, 1, 9999, 10_000, 290_000)
        yield LocalDateTime.of(year, 3, 15, 23, 59, 1, 2000)
      for time <- times do
        assertEquals(duckdb.query(sql"select $time").as[LocalDateTime], Vector(time))
        val moment = time.toInstant(java.time.ZoneOffset.UTC)
        assertEquals(duckdb.query(sql"select $moment").as[Instant], Vector(moment))
      val written = "select date '0044-03-15 (BC)', timestamp '12020-01-01 00:00:00'"
      assertEquals(
        duckdb.query(written).as[(LocalDate, LocalDateTime)],
        Vector((LocalDate.of(-43, 3, 15), LocalDateTime.of(12020, 1, 1, 0, 0)))
      )
      val infinite = duckdb.query("select date 'infinity'")
      val _ = intercept[RuntimeException](infinite.as[LocalDate])

  test("a parameter in the text beside values is refused, and in strings and comments it is text"):
    use: duckdb =>
      val refused = Seq(
        sql"select ?, ${1}",
        sql"select $$1, ${1}",
        sql"select ${1} + ?",
        sql"select ${1}, '?' || ?",
        sql"select ${1} /* ' */ , $$1 -- '"
      )
      for statement <- refused do
        val error = intercept[IllegalArgumentException](duckdb.query(statement))
        val isCounted = error.getMessage.contains("1 values and 2 parameters") ||
          error.getMessage.contains("use each of its 1 values once; it uses 2")
        assert(isCounted, error.getMessage)
      val accepted = Seq(
        sql"select '?' || ${1}",
        sql"select 'it''s $$1 ?' || ${1}",
        sql"select E'\'?' || ${1}",
        sql"select $$$$ ? $$1 ' $$$$ || ${1}",
        sql"select $$a$$ ? $$$$ $$a$$ || ${1}",
        sql"""select ${1} as "?""$$1" """,
        sql"select ${1} -- ? $$1",
        sql"select /* ? /* $$1 */ ? */ ${1}",
        sql"select a$$1 + ${1} from (select 1 as a$$1)"
      )
      for statement <- accepted do
        assertEquals(duckdb.query(statement).rows.size, 1, statement.text)

  test("a value cannot change the statement"):
    use: duckdb =>
      duckdb.query("create table people (name varchar); insert into people values ('Ada')")
      for attack <- List("' or 1 = 1 --", "'; drop table people; --", "$1", "?", "\\' or true") do
        val found = duckdb.query(sql"select count(*) from people where name = $attack")
        assertEquals(found.as[Long], Vector(0L), attack)
      assertEquals(duckdb.query("select name from people").as[String], Vector("Ada"))

  test("values select the same rows of a registered table as the same test in Scala"):
    val seed = Random.nextLong()
    val random = Random(seed)
    Region.scoped:
      use: duckdb =>
        cars(duckdb, 5000)
        val all = Vector.tabulate(5000)(i => Car.of(i.toLong))
        for _ <- 1 to 50 do
          val least = random.nextInt(6000) - 500
          val color = CarColor.fromOrdinal(random.nextInt(3))
          val doors = List.fill(random.nextInt(4))(random.nextInt(5000))
          val electric = random.nextBoolean()
          val found = duckdb.query(
            sql"""select id from cars
                  where (id >= $least and color = $color and engine.electric = $electric)
                     or id in $doors
                  order by id"""
          )
          val expected = all.filter: car =>
            (car.id >= least && car.color == color && car.engine.electric == electric) ||
              doors.contains(car.id)
          assertEquals(found.as[Int], expected.map(_.id), s"seed $seed")

  test("a statement is composed of others, and nothing is left of an empty list"):
    Region.scoped:
      use: duckdb =>
        cars(duckdb, 100)
        def ids(condition: Sql) =
          duckdb.query(sql"select id from cars where $condition order by id").as[Int]
        val few = sql"id < ${3}"
        assertEquals(ids(few), Vector(0, 1, 2))
        assertEquals(ids(sql"$few and not ($few and id > ${1})"), Vector(0, 1))
        assertEquals(ids(sql"id in ${List.empty[Int]}"), Vector())
        assertEquals(ids(sql"$few and id not in ${List.empty[Int]}"), Vector(0, 1, 2))
        assertEquals(
          sql"a = ${1} and ${sql"b = ${2}"} or c = ${3}".text,
          "a = $1 and b = $2 or c = $3"
        )
        assertEquals(sql"path like 'C:\temp%'".text, "path like 'C:\\temp%'")

  test("a value inside quotes, two statements with values and unknown types are refused"):
    use: duckdb =>
      def message(sql: => Sql) = intercept[IllegalArgumentException](duckdb.query(sql)).getMessage
      val name = "Ada"
      assert(message(sql"select '$name', $name").contains("uses 1: a value inside quotes"))
      assertEquals(
        message(sql"create table a as select $name; drop table a"),
        "SQL with values must be a single statement; this has 1 values and several statements"
      )
      intercept[DuckDbException](duckdb.query("select * from a")): Unit
      assert(message(
        sql"select ${BigDecimal("1e40")}"
      ).contains("at most 38 digits; this BigDecimal has 41"))
      assert(message(
        sql"select ${Some(Some(CarChange.Repaired(1, CarColor.Red)))}"
      ).contains("with fields"))
      assert(message(sql"select ${List(Map(1 -> 2))}").contains("no parameter for scala.Tuple2"))
      assert(message(sql"select ${"\uD83D"}").contains("half of a surrogate pair"))
      assert(message(sql"select ${null: String}").contains("null; use None"))
      assert(typeCheckErrors("""sql"select ${Car.of(1)}"""").nonEmpty)
      assertEquals(duckdb.query(sql"select $name").as[String], Vector("Ada"))

  test("a BigDecimal with a large exponent is refused before its digits are written out"):
    for (number, digits) <- Seq("1e1000000000" -> 1_000_000_001, "1e-1000000000" -> 1_000_000_000)
    do
      val error = intercept[IllegalArgumentException](sql"select ${BigDecimal(number)}")
      assertEquals(
        error.getMessage,
        s"a DECIMAL of SQL must have at most 38 digits; this BigDecimal has $digits"
      )

  test("a thousand statements with values, right and wrong ones, leave nothing behind"):
    use: duckdb =>
      for i <- 1 to 1000 do
        assertEquals(duckdb.query(sql"select $i + ${i.toLong}").as[Long], Vector(2L * i))
        intercept[DuckDbException](duckdb.query(sql"select $i + ${s"text $i"}")): Unit

  test("a query that exceeds its time limit ends, and the next one runs"):
    use: duckdb =>
      val endless = "select sum(a.range * b.range) from range(10000000) a, range(10000000) b"
      val late = intercept[DuckDbException](duckdb.query(endless, timeLimit = 50.millis))
      assertEquals(late.getMessage, "the query was ended after its time limit of 50 milliseconds")
      assert(late.getStackTrace.exists(_.getClassName.contains("ParametersTest")), late)
      assertEquals(duckdb.query("select 2", timeLimit = 1.hour).as[Int], Vector(2))
      assertEquals(duckdb.query("select 3", timeLimit = Duration.Inf).as[Int], Vector(3))
      for limit <- List(Duration.Zero, -1.second, Duration.MinusInf, Duration.Undefined) do
        val wrong = intercept[IllegalArgumentException](duckdb.query("select 1", timeLimit = limit))
        assertEquals(wrong.getMessage, s"timeLimit must be at least 1 ms; it is $limit")

  test("a time limit ends a scan whose condition no row fulfils"):
    Region.scoped:
      use: duckdb =>
        val zeros = Levels(0, 0, 0, 0, 0, 0, 0, 0)
        duckdb.register("levels", Columns.tabulate[Levels](100_000)(_ => zeros))
        duckdb.query("set threads = 1")
        val keys = (1 to 29 by 2).mkString("(", ", ", ")")
        val condition = "abcdefgh".map(column => s"$column in $keys").mkString(" or ")
        val sql = s"select count(*) from levels where $condition"
        val plan = duckdb.query(s"explain $sql").rows.flatten.map(_.show).mkString
        assert(!plan.contains("Filter"), plan) // the scan alone decides the condition
        def wholeNanos() =
          val start = System.nanoTime
          assertEquals(duckdb.query(sql)(0, 0).long, 0L)
          System.nanoTime - start
        val whole = Seq.fill(3)(wholeNanos()).min
        val limit = Duration.fromNanos(whole / 4)
        // A busy machine may delay some of the attempts.
        val isEnded = (1 to 100).exists: _ =>
          val start = System.nanoTime
          try
            duckdb.query(sql, timeLimit = limit)
            false
          catch
            case late: DuckDbException =>
              val nanos = System.nanoTime - start
              assertEquals(
                late.getMessage,
                s"the query was ended after its time limit of $limit"
              )
              assertEquals(late.code, 8003) // DuckDB's code of an interrupt
              nanos < whole / 4 * 3
        assert(isEnded, s"a limit of $limit; the whole scan takes $whole ns")
        assertEquals(duckdb.query(sql)(0, 0).long, 0L)
end ParametersTest

case class Levels(a: Byte, b: Byte, c: Byte, d: Byte, e: Byte, f: Byte, g: Byte, h: Byte)
    derives Struct,
      CanEqual
