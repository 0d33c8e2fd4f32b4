package outside.duckdb

import java.time.{Instant, LocalDateTime, LocalTime, ZoneOffset}
import scala.util.Random
import undercroft.duckdb.*
import undercroft.memory.*
import undercroft.struct.*

/** Times as values of `sql`, compared with fields that store nanoseconds and with other columns. */
class TimeParametersTest extends undercroft.tools.Suite:
  import TimeParametersTest.*

  private def use[A](body: DuckDb => A): A =
    val duckdb = DuckDb()
    try body(duckdb)
    finally duckdb.close()

  test("times are compared with fields of the default storage as in Scala, to the nanosecond"):
    val seed = Random.nextLong()
    val random = Random(seed)
    val events = Vector.tabulate(200)(Event.of(_, random))
    Region.scoped:
      use: duckdb =>
        duckdb.register("events", Columns.from(events))
        def ids(condition: Sql): Vector[Int] =
          duckdb.query(sql"select id from events where $condition order by id").as[Int]
        def check[A: Ordering](name: String, values: Seq[A], valueOf: Event => A)(
            parameter: A => SqlParameter
        ): Unit =
          import scala.math.Ordering.Implicits.infixOrderingOps
          val column = Sql.verbatim(name)
          def assertIds(condition: Sql)(isSelected: A => Boolean): Unit =
            val expected = events.filter(event => isSelected(valueOf(event))).map(_.id)
            assertEquals(ids(condition), expected, s"${condition.text}, seed $seed")
          for value <- values; bound = parameter(value) do
            assertIds(sql"$column = $bound")(_ == value)
            assertIds(sql"$column <> $bound")(_ != value)
            assertIds(sql"$column < $bound")(_ < value)
            assertIds(sql"$column >= $bound")(_ >= value)
            assertIds(sql"$column in ${List(bound)}")(_ == value)
            val last = parameter(values.last)
            assertIds(sql"$column between $bound and $last"): other =>
              other >= value && other <= values.last
        val chosen = Seq.fill(5)(events(random.nextInt(events.size)))
        check("moment", chosen.map(_.moment), _.moment)(identity)
        check("local", chosen.map(_.local), _.local)(identity)
        check("time", chosen.map(_.time), _.time)(identity)

  test("a moment without digits below a microsecond does not equal its neighbor with some"):
    val moment = Instant.parse("2026-03-01T23:58:00.123456Z")
    val moments = Vector(moment, moment.plusNanos(789))
    Region.scoped:
      use: duckdb =>
        duckdb.register("moments", Rows.from(moments.zipWithIndex.map((at, id) => Moment(id, at))))
        for (at, id) <- moments.zipWithIndex do
          assertEquals(
            duckdb.query(sql"select id from moments where moment = $at").as[Int],
            Vector(id)
          )

  test("times compare with columns of microseconds, in order after a cast"):
    val seconds = LocalDateTime.of(2026, 3, 1, 23, 58)
    val (at, time) = (seconds.toInstant(ZoneOffset.UTC), seconds.toLocalTime)
    use: duckdb =>
      duckdb.query("set timezone = 'Asia/Kolkata'")
      val columns =
        sql"$at::timestamptz as moment, $seconds::timestamp as local, $time::time as time"
      duckdb.query(sql"create table t as select $columns")
      val conditions = Seq(
        sql"moment = $at" -> 1L,
        sql"moment = ${at.plusNanos(1)}" -> 0L,
        sql"moment >= $at::timestamptz" -> 1L,
        sql"moment > $at::timestamptz" -> 0L,
        sql"local >= $seconds" -> 1L,
        sql"local >= ${seconds.plusNanos(1)}" -> 0L,
        sql"local in ${List(seconds)}" -> 1L,
        sql"time = $time" -> 1L,
        sql"time >= $time::time" -> 1L
      )
      for (condition, count) <- conditions do
        val found = duckdb.query(sql"select count(*) from t where $condition").as[Long]
        assertEquals(found, Vector(count), condition.text)
      // Converted to nanoseconds, this row would be an error.
      duckdb.query("insert into t (local) values (timestamp '9999-01-01 00:00:00')")
      val later = duckdb.query(sql"select count(*) from t where local > $seconds").as[Long]
      assertEquals(later, Vector(1L))

  test("beyond the range of nanoseconds, digits below a microsecond are refused"):
    val (first, last) =
      (Instant.EPOCH.plusNanos(Long.MinValue + 2), Instant.EPOCH.plusNanos(Long.MaxValue - 1))
    use: duckdb =>
      def local(at: Instant) = LocalDateTime.ofInstant(at, ZoneOffset.UTC)
      for at <- Seq(first, first.plusNanos(1), last, last.minusNanos(1)) do
        assertEquals(duckdb.query(sql"select $at").as[Instant], Vector(at))
        assertEquals(duckdb.query(sql"select ${local(at)}").as[LocalDateTime], Vector(local(at)))
      for at <- Seq(first.minusNanos(1), last.plusNanos(1), Instant.ofEpochSecond(-1L << 38, 1)) do
        for value <- Seq[Instant | LocalDateTime](at, local(at)) do
          val error = intercept[IllegalArgumentException](sql"select $value")
          assertEquals(
            error.getMessage,
            s"a value with digits below a microsecond must be from $first to $last, " +
              s"the range of SQL's nanoseconds; it is $value"
          )
      val late = Instant.parse("2300-01-01T00:00:00.000001Z")
      assertEquals(duckdb.query(sql"select $late").as[Instant], Vector(late))

  test("an Instant beyond the range of TIMESTAMPTZ is refused with the range"):
    val first = Instant.parse("-290308-12-22T00:00:00Z")
    val last = Instant.parse("+294247-01-10T04:00:54.775806Z")
    for at <- Seq(Instant.MIN, first.minusSeconds(1), last.plusNanos(1000)) do
      assertEquals(
        intercept[IllegalArgumentException](sql"select $at").getMessage,
        s"a TIMESTAMPTZ of SQL must be from $first to $last; it is $at"
      )
end TimeParametersTest

object TimeParametersTest:
  case class Moment(id: Int, moment: Instant) derives Struct

  case class Event(id: Int, moment: Instant, local: LocalDateTime, time: LocalTime) derives Struct

  object Event:
    /** Times of few nanoseconds, so that several events have the same. */
    def of(id: Int, random: Random): Event =
      def nanos() = 123_456_000 + random.nextInt(3) * 1000 + random.nextInt(3)
      val local = LocalDateTime.of(2026, 3, 1, 23, 58, 0, nanos())
      Event(id, local.withNano(nanos()).toInstant(ZoneOffset.UTC), local, local.toLocalTime)
end TimeParametersTest
