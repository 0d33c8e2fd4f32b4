package outside.duckdb

import java.nio.file.Files
import java.time.Duration
import scala.util.Random
import undercroft.duckdb.*
import undercroft.file.*
import undercroft.memory.*
import undercroft.struct.*
import undercroft.struct.LogicalType.TimeUnit

/** Durations in each unit, alone, absent, in a struct and in an enum. */
object Timings:
  case class Timing(number: Int, took: Duration, pause: Option[Duration], inner: Step)
      derives Struct
  case class Step(took: Duration) derives Struct
  enum Event derives Struct:
    case Idle(took: Duration)
    case Other(code: Int)
  case class Log(event: Event) derives Struct
  object InMillis:
    given Struct.StoredAs[Duration, Long] = LogicalType.duration(TimeUnit.Millis)
    case class Timing(number: Int, @bigEndian took: Duration) derives Struct
  object InSeconds:
    given Struct.StoredAs[Duration, Long] = LogicalType.duration(TimeUnit.Seconds)
    case class Timing(number: Int, took: Duration) derives Struct
  object InMicros:
    given Struct.StoredAs[Duration, Long] = LogicalType.duration(TimeUnit.Micros)
    case class Timing(number: Int, took: Duration) derives Struct
end Timings

class DurationSqlTest extends undercroft.tools.Suite:
  import Timings.*
  private val seed = Random.nextLong()
  private val random = Random(seed)

  private def use[A](durations: DurationColumns)(body: DuckDb => A): A =
    val duckdb = DuckDb(durations)
    try body(duckdb)
    finally duckdb.close()

  private def use[A](body: DuckDb => A): A = use(DurationColumns.Intervals)(body)

  private def micros(count: Long): Duration = Duration.ofNanos(count * 1000)

  /** Microseconds of any size, often at the edges of seconds and days. */
  private def length(): Long = random.nextInt(4) match
    case 0 => random.nextInt(21) - 10L
    case 1 => (random.nextInt(9) - 4L) * 86_400_000_000L + random.nextInt(3) - 1
    case 2 => (random.nextInt(9) - 4L) * 1_000_000 + random.nextInt(3) - 1
    case _ => random.nextLong() % 9_000_000_000_000_000L

  private def timing(number: Int): Timing =
    Timing(
      number,
      micros(length()),
      Option.when(random.nextBoolean())(micros(length())),
      Step(micros(length()))
    )

  test("durations are read as INTERVALs with their exact length, in every layout"):
    val timings = Vector.tabulate(3000)(timing)
    Region.scoped:
      use: duckdb =>
        duckdb.register("aligned", Rows.from(timings))
        duckdb.register("packed", PackedRows.from(timings))
        duckdb.register("columns", Columns.from(timings))
        for table <- Seq("aligned", "packed", "columns") do
          val read = duckdb
            .query(s"select number, took, pause, (\"inner\").took from $table order by number")
            .as[(Int, Duration, Option[Duration], Duration)]
          val expected = timings.map(t => (t.number, t.took, t.pause, t.inner.took))
          assertEquals(read, expected, s"seed $seed, $table")
          // DuckDB has no sum of INTERVALs, but one of their microseconds.
          val sql =
            s"select to_microseconds(sum(epoch_us(took))::bigint) from $table where number < 100"
          val sum = timings.take(100).map(_.took).reduce(_ `plus` _)
          assertEquals(duckdb.query(sql).as[Duration].head, sum, s"seed $seed")
          val extremes = duckdb.query(s"select min(took), max(took) from $table")
          val took = timings.map(_.took)
          assertEquals(extremes.as[(Duration, Duration)].head, (took.min, took.max), s"seed $seed")

  test("conditions on durations select the rows that they select on the heap"):
    val timings = Vector.tabulate(5000)(timing)
    Region.scoped:
      use: duckdb =>
        duckdb.register("timings", Rows.from(timings))
        for _ <- 0 until 10 do
          val chosen = timings(random.nextInt(timings.size)).took
          for
            (operator, holds) <- Seq[(String, Int => Boolean)](
              ("=", _ == 0),
              ("<>", _ != 0),
              ("<", _ < 0),
              ("<=", _ <= 0),
              (">", _ > 0),
              (">=", _ >= 0)
            )
          do
            def count(condition: Sql) =
              duckdb.query(sql"select count(*) from timings where $condition").as[Long].head
            val model = timings.count(t => holds(t.took.compareTo(chosen))).toLong
            val constant = Sql.verbatim(s"took $operator interval '${chosen.toNanos / 1000} us'")
            val clue = s"seed $seed, took $operator $chosen"
            assertEquals(count(constant), model, clue)
            assertEquals(count(sql"${Sql.verbatim(s"took $operator")} $chosen"), model, clue)
            val some = timings.count(_.pause.exists(pause => holds(pause.compareTo(chosen)))).toLong
            assertEquals(count(sql"${Sql.verbatim(s"pause $operator")} $chosen"), some, clue)
          end for
        end for
        // The scan compares months and days of either sign as DuckDB does.
        duckdb.query("create table copies as select took from timings"): Unit
        val parts = Vector.fill(10)(
          s"${random.nextInt(5) - 2} month ${random.nextInt(99) - 49} day ${length() % 99_999_999} us"
        )
        for
          interval <- parts ++ Seq("1 day -1 hour", "1 month", "30 days", "-1 day 1 hour")
          operator <- Seq("=", "<", ">=")
        do
          def count(table: String) =
            val sql = s"select count(*) from $table where took $operator interval '$interval'"
            duckdb.query(sql).as[Long].head
          assertEquals(count("timings"), count("copies"), s"seed $seed, $operator $interval")

  test("a condition on a duration is decided by the scan"):
    Region.scoped:
      use: duckdb =>
        duckdb.register("timings", Rows.from(Vector.tabulate(5000)(timing)))
        def plan(condition: String): String =
          duckdb.query(s"explain select sum(number) from timings where $condition").rows
            .flatten.map(_.show).mkString("\n")
        for
          condition <- Seq(
            "took > interval '2 seconds'",
            "interval '-3 days' >= took",
            "took < interval '1 day -1 hour'",
            "pause = interval '0 us'",
            "took in (interval '1 us', interval '1 month')",
            "(\"inner\").took <> interval '1 us'"
          )
        do assert(!plan(condition).contains("Filter"), condition + plan(condition))
        assert(plan("took + interval '1 us' > interval '1 day'").contains("Filter"))

  test("every unit is read with its exact length up to the ends of an INTERVAL"):
    val most = Long.MaxValue / 1_000_000
    Region.scoped:
      use: duckdb =>
        def check(lengths: Vector[Duration]): Unit =
          val read = duckdb.query("select took from timings order by number").as[Duration]
          assertEquals(read, lengths)
        locally:
          import InSeconds.{Timing, given}
          val lengths = Vector(0, 1, -1, most, -most).map(Duration.ofSeconds(_).nn)
          val timings = lengths.zipWithIndex.map((took, i) => Timing(i, took))
          duckdb.register("timings", Rows.from(timings))
          check(lengths)
        locally:
          import InMillis.{Timing, given}
          val lengths = Vector(0, 1, -1, most * 1000, -most * 1000).map(Duration.ofMillis(_).nn)
          val timings = lengths.zipWithIndex.map((took, i) => Timing(i, took))
          duckdb.register("timings", Rows.from(timings))
          check(lengths)
        locally:
          import InMicros.{Timing, given}
          val lengths = Vector(0, 1, -1, Long.MaxValue, -Long.MaxValue).map: count =>
            val micros = Math.floorMod(count, 1_000_000L)
            Duration.ofSeconds(Math.floorDiv(count, 1_000_000L), micros * 1000).nn
          val timings = lengths.zipWithIndex.map((took, i) => Timing(i, took))
          duckdb.register("timings", Columns.from(timings))
          check(lengths)

  test("a duration that an INTERVAL does not have is an error, and is readable as a number"):
    Region.scoped:
      val timings = Rows.from(Vector(Step(micros(1)), Step(Duration.ofNanos(1500))))
      use: duckdb =>
        duckdb.register("timings", timings)
        val error = intercept[ArithmeticException](duckdb.query("select took from timings"))
        assertEquals(
          error.getMessage,
          "row 1 of `took` is stored as 1500 nanoseconds, which an INTERVAL, of microseconds, does " +
            "not have: DuckDb(DurationColumns.Numbers) reads the stored number"
        )
        // Other rows are readable, and so is the table after the error.
        val exact = duckdb.query("select took from timings where took = interval '1 us'")
        assertEquals(exact.as[Duration], Vector(micros(1)))
        import InSeconds.{Timing, given}
        val far = Vector(Duration.ofSeconds(Long.MaxValue / 1_000_000 + 1))
        duckdb.register("far", Rows.from(far.map(Timing(0, _))))
        val overflow = intercept[ArithmeticException](duckdb.query("select took from far"))
        assert(overflow.getMessage.nn.startsWith("row 0 of `took` is stored as 922"), overflow)
      use(DurationColumns.Numbers): duckdb =>
        duckdb.register("timings", timings)
        duckdb.register("logs", Rows.from(Vector(Log(Event.Idle(Duration.ofNanos(7))))))
        duckdb.register("all", Rows.from(Vector(timing(1))))
        assertEquals(duckdb.query("select took from timings").as[Long], Vector(1000L, 1500L))
        assertEquals(duckdb.query("select event.Idle.took from logs").as[Long], Vector(7L))
        assertEquals(
          duckdb.query("select typeof(pause), typeof((\"inner\").took) from \"all\"").as[(
              String,
              String
          )],
          Vector(("BIGINT", "BIGINT"))
        )

  test("an absent duration is NULL, whatever the bytes in its place"):
    Region.scoped:
      val logs = Rows.from(Vector(Log(Event.Idle(micros(5))), Log(Event.Other(-1))))
      use: duckdb =>
        duckdb.register("logs", logs)
        val read = duckdb.query("select event.Idle.took from logs").as[Option[Duration]]
        assertEquals(read, Vector(Some(micros(5)), None))

  test("durations are parameters and results"):
    use: duckdb =>
      for
        value <- Vector(
          Duration.ZERO,
          micros(-1),
          micros(1),
          Duration.ofDays(1000),
          Duration.ofSeconds(-86_400, 1000),
          Duration.ofSeconds(Long.MaxValue / 1_000_000, 775_807_000),
          Duration.ofSeconds(-Long.MaxValue / 1_000_000 - 1, 224_193_000)
        )
      do
        val read = duckdb.query(sql"select $value, typeof($value)").as[(Duration, String)].head
        assertEquals(read, (value.nn, "INTERVAL"))
        assertEquals(
          duckdb.query(sql"select $value in ${List(value.nn)}").as[Boolean],
          Vector(true)
        )
      // As times, parameters have microseconds.
      val cut = duckdb.query(sql"select ${Duration.ofNanos(1999)}, ${Duration.ofNanos(-1999)}")
      assertEquals(cut.as[(Duration, Duration)].head, (micros(1), micros(-1)))
      assertEquals(
        duckdb.query(sql"select ${None: Option[Duration]} is null")(0, 0),
        SqlValue.Bool(true)
      )
      val far = Duration.ofSeconds(Long.MaxValue)
      val error = intercept[IllegalArgumentException](sql"select $far")
      assertEquals(
        error.getMessage,
        s"an INTERVAL of SQL must have at most 9223372036854775807 microseconds; this Duration is $far"
      )
      def read(interval: String) = duckdb.query(s"select interval '$interval'").as[Duration].head
      assertEquals(read("3 days 01:02:03.5"), Duration.ofDays(3).plusMillis(3_723_500))
      assertEquals(read("-3 days 01:00:00"), Duration.ofDays(-3).plusHours(1))
      assertEquals(read("0 days"), Duration.ZERO)
      for months <- Seq("1 month", "2 years", "-1 month 30 days") do
        val wrong = intercept[IllegalArgumentException](read(months))
        assert(wrong.getMessage.nn.endsWith("is not a Duration"), wrong)
      intercept[IllegalArgumentException](duckdb.query("select 'one hour'").as[Duration]): Unit
      intercept[IllegalArgumentException](duckdb.query("select ''").as[Duration]): Unit

  test("blocks of a sealed file are skipped by their durations"):
    import InMicros.given
    val folder = Files.createTempDirectory("undercroft-outside-")
    val path = folder.resolve("timings.columns")
    try
      val written = Columns.create[InMicros.Timing](path, maxRows = 300_000)
      written.appendAll(Vector.tabulate(300_000)(i => InMicros.Timing(i, micros(i - 150_000L))))
      written.seal()
      val table = Columns.openReadOnly[InMicros.Timing](path)
      try
        use: duckdb =>
          duckdb.register("timings", table)
          def count(condition: String) =
            duckdb.query(s"select count(*) from timings where $condition").as[Long].head
          assertEquals(count("took < interval '0 us'"), 150_000L)
          assertEquals(count("took between interval '-1 us' and interval '1 us'"), 3L)
          assertEquals(count("took in (interval '7 us', interval '1 day')"), 1L)
      finally table.close()
    finally
      Files.deleteIfExists(path)
      Files.deleteIfExists(folder.resolve("timings.columns.lock"))
      Files.deleteIfExists(folder): Unit
end DurationSqlTest
