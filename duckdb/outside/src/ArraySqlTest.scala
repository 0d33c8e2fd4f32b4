package outside.duckdb

import java.nio.file.Files
import java.time.*
import java.util.UUID
import scala.util.Random
import undercroft.duckdb.*
import undercroft.file.*
import undercroft.memory.*
import undercroft.struct.*

object Journeys:
  given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 12, scale = 2)
  final case class Wide(value: BigDecimal)
  private val wide = LogicalType.decimal128(precision = 38, scale = 4)
  given Struct.StoredAs[Wide, Bits128] = Struct
    .storedAs[Wide, Bits128](value => wide.encode(value.value))(bits => Wide(wide.decode(bits)))
    .withLogicalType(LogicalType.Decimal(38, 4))

  final case class Stop(day: LocalDate, code: Option[Text[3]], legs: InlineArray[Option[Short], 2])
      derives Struct

  enum Route derives Struct, CanEqual:
    case Direct
    case Via(days: InlineArray[LocalDate, 2], codes: InlineArray[Option[Text[20]], 2])

  final case class Journey(
      id: Int,
      days: InlineArray[LocalDate, 3],
      times: InlineArray[LocalTime, 2],
      moments: InlineArray[Instant, 2],
      locals: InlineArray[LocalDateTime, 2],
      prices: InlineArray[BigDecimal, 2],
      wides: InlineArray[Wide, 2],
      ids: InlineArray[UUID, 2],
      lengths: InlineArray[Duration, 2],
      counts: InlineArray[Option[Int], 3],
      holidays: InlineArray[Option[LocalDate], 2],
      owners: InlineArray[Option[UUID], 2],
      names: InlineArray[Text[15], 2],
      colors: InlineArray[CarColor, 2],
      grid: InlineArray[InlineArray[LocalDate, 2], 3],
      stops: InlineArray[Stop, 2],
      last: Option[Stop],
      changes: InlineArray[CarChange, 2],
      back: Option[InlineArray[InlineArray[Option[LocalDate], 2], 3]],
      routes: InlineArray[Route, 2]
  ) derives Struct
end Journeys

object Forgeries:
  final case class Plain(id: Int, times: InlineArray[Long, 3]) derives Struct
  final case class Meant(id: Int, times: InlineArray[LocalTime, 3]) derives Struct

object Large:
  final case class Points(id: Int, days: InlineArray[Option[LocalDate], 300]) derives Struct

  /** A third of the days are absent. */
  def points(i: Int): Points = Points(
    i,
    InlineArray.tabulate(k => Option.when((i + k) % 3 > 0)(LocalDate.ofEpochDay(i + k)))
  )

/** SQL over inline arrays of dates, times, decimals, UUIDs, durations and Options. */
class ArraySqlTest extends undercroft.tools.RoundsSuite:
  import Journeys.{*, given}

  private val seed = Random.nextLong()
  private val random = Random(seed)

  private def day(): LocalDate = LocalDate.ofEpochDay(random.nextInt(40_000) - 20_000)
  private def uuid(): UUID = UUID(random.nextLong(), random.nextLong())
  private def option[A](value: => A): Option[A] = Option.when(random.nextBoolean())(value)
  private def moment(): Instant =
    Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000))

  private def stop(): Stop = Stop(
    day(),
    option(Text[3](s"${random.nextInt(1000)}")),
    InlineArray.tabulate(_ => option(random.nextInt().toShort))
  )

  private def journey(i: Int): Journey = Journey(
    i,
    InlineArray.tabulate(_ => day()),
    InlineArray.tabulate(_ => LocalTime.ofNanoOfDay(random.nextLong(86_400_000_000_000L))),
    InlineArray.tabulate(_ => moment()),
    InlineArray.tabulate(_ => LocalDateTime.ofInstant(moment(), ZoneOffset.UTC)),
    InlineArray.tabulate(_ => BigDecimal(random.nextInt(), 2)),
    InlineArray.tabulate(_ => Wide(BigDecimal(BigInt(100, random) - (BigInt(1) << 99), 4))),
    InlineArray.tabulate(_ => uuid()),
    InlineArray.tabulate(_ => Duration.ofSeconds(random.nextInt(), random.nextInt(1000) * 1000L)),
    InlineArray.tabulate(_ => option(random.nextInt())),
    InlineArray.tabulate(_ => option(day())),
    InlineArray.tabulate(_ => option(uuid())),
    InlineArray.tabulate(k => Text[15]("żółw" * random.nextInt(3) + k)),
    InlineArray.tabulate(_ => CarColor.fromOrdinal(random.nextInt(3))),
    InlineArray.tabulate(_ => InlineArray.tabulate(_ => day())),
    InlineArray.tabulate(_ => stop()),
    option(stop()),
    InlineArray.tabulate(_ =>
      if random.nextBoolean() then CarChange.Opened
      else CarChange.Repaired(random.nextInt(), CarColor.Blue)
    ),
    option(InlineArray.tabulate(_ => InlineArray.tabulate(_ => option(day())))),
    InlineArray.tabulate(_ =>
      if random.nextBoolean() then Route.Direct
      else
        Route.Via(
          InlineArray.tabulate(_ => day()),
          InlineArray.tabulate(_ => option(Text[20](s"a code of ${random.nextInt(1000)}")))
        )
    )
  )

  private def use[A](body: DuckDb => A): A =
    val duckdb = DuckDb()
    try body(duckdb)
    finally duckdb.close()

  /** Compares an expression with its values on the heap. */
  private def check[T](
      duckdb: DuckDb,
      table: String,
      journeys: Vector[Journey],
      expression: String
  )(
      value: Journey => Option[T]
  )(using SqlReader[T]): Unit =
    val found = duckdb.query(s"select id, $expression as v from $table order by id")
      .as[(Int, Option[T])]
    assertEquals(
      found.toVector,
      journeys.map(journey => (journey.id, value(journey))),
      s"$expression of $table, seed $seed"
    )

  private def via(journey: Journey): Option[Route.Via] = journey.routes(1) match
    case via: Route.Via => Some(via)
    case _              => None

  private def checkAll(
      duckdb: DuckDb,
      table: String,
      all: Vector[Journey],
      places: Range = 0 until 2
  ): Unit =
    for k <- places do
      val at = s"[${k + 1}]"
      check(duckdb, table, all, s"days$at")(journey => Some(journey.days(k)))
      check(duckdb, table, all, s"times$at")(journey => Some(journey.times(k)))
      check(duckdb, table, all, s"moments$at")(journey => Some(journey.moments(k)))
      check(duckdb, table, all, s"locals$at")(journey => Some(journey.locals(k)))
      check(duckdb, table, all, s"prices$at")(journey => Some(journey.prices(k)))
      check(duckdb, table, all, s"wides$at")(journey => Some(journey.wides(k).value))
      check(duckdb, table, all, s"ids$at")(journey => Some(journey.ids(k)))
      check(duckdb, table, all, s"lengths$at")(journey => Some(journey.lengths(k)))
      check(duckdb, table, all, s"counts$at")(_.counts(k))
      check(duckdb, table, all, s"holidays$at")(_.holidays(k))
      check(duckdb, table, all, s"owners$at")(_.owners(k))
      check(duckdb, table, all, s"names$at")(journey => Some(journey.names(k).string))
      check(duckdb, table, all, s"colors$at")(journey => Some(journey.colors(k)))
      check(duckdb, table, all, s"grid[3]$at")(journey => Some(journey.grid(2)(k)))
      check(duckdb, table, all, s"grid[1]$at")(journey => Some(journey.grid(0)(k)))
      check(duckdb, table, all, s"stops$at.day")(journey => Some(journey.stops(k).day))
      check(duckdb, table, all, s"stops$at.code")(_.stops(k).code.map(_.string))
      check(duckdb, table, all, s"stops[2].legs$at")(_.stops(1).legs(k))
      check(duckdb, table, all, s"last.legs$at")(_.last.flatMap(_.legs(k)))
      check(duckdb, table, all, s"changes$at.Repaired.price"):
        _.changes(k) match
          case CarChange.Repaired(price, _) => Some(price)
          case CarChange.Opened             => None
      check(duckdb, table, all, s"back[3]$at")(_.back.flatMap(_(2)(k)))
      check(duckdb, table, all, s"routes[2].Via.days$at")(via(_).map(_.days(k)))
      check(duckdb, table, all, s"routes[2].Via.codes$at")(via(_).flatMap(_.codes(k).map(_.string)))
    end for
    check(duckdb, table, all, "back is null")(journey => Some(journey.back.isEmpty))
    check(duckdb, table, all, "len(list_filter(flatten(back::date[][]), lambda d: d is null))"):
      _.back.map(_.iterator.map(_.iterator.count(_.isEmpty)).sum)
  end checkAll

  testRounds("elements of arrays in SQL are the elements in Scala, of all and of selected rows")(
    2_200, // more than a vector of DuckDB
    5_000
  ): rows =>
    val journeys = Vector.tabulate(rows)(journey)
    Region.scoped:
      use: duckdb =>
        duckdb.register("journeys", Rows.from(journeys))
        duckdb.register("packed", PackedRows.from(journeys))
        duckdb.register("columns", Columns.from(journeys))
        for (table, places) <- Seq("journeys" -> 0, "packed" -> 1, "columns" -> 0) do
          checkAll(duckdb, table, journeys, places to places)
          checkAll(
            duckdb,
            s"(from $table where id >= 2000 and id <> 2100 and id < 2500)",
            journeys.filter(journey =>
              journey.id >= 2000 && journey.id != 2100 && journey.id < 2500
            ),
            places = 1 until 2
          )

  test("arrays have SQL's types of their elements"):
    Region.scoped:
      use: duckdb =>
        duckdb.register("journeys", Columns.from(Vector.tabulate(3)(journey)))
        val types = duckdb
          .query("select column_name, column_type from (describe journeys)")
          .as[(String, String)]
        assertEquals(
          types.toVector.filterNot((name, _) =>
            Set("id", "stops", "last", "changes", "routes")(name)
          ),
          Vector(
            "days" -> "DATE[3]",
            "times" -> "TIME_NS[2]",
            "moments" -> "TIMESTAMPTZ_NS[2]",
            "locals" -> "TIMESTAMP_NS[2]",
            "prices" -> "DECIMAL(18,2)[2]",
            "wides" -> "DECIMAL(38,4)[2]",
            "ids" -> "UUID[2]",
            "lengths" -> "INTERVAL[2]",
            "counts" -> "INTEGER[3]",
            "holidays" -> "DATE[2]",
            "owners" -> "UUID[2]",
            "names" -> "VARCHAR[2]",
            "colors" -> "ENUM('Red', 'Green', 'Blue')[2]",
            "grid" -> "DATE[2][3]",
            "back" -> "DATE[2][3]"
          )
        )

  test("conditions on elements and whole arrays select the rows that they select in Scala"):
    val journeys = Vector.tabulate(3_000)(journey)
    val first = journeys(1234)
    val days = s"['${first.days(0)}', '${first.days(1)}', '${first.days(2)}']::date[3]"
    val counts = first.counts(0).fold("null")(_.toString)
    Region.scoped:
      use: duckdb =>
        duckdb.register("journeys", Rows.from(journeys))
        def ids(condition: String): Set[Int] =
          duckdb.query(s"select id from journeys where $condition").as[Int].toSet
        def heap(condition: Journey => Boolean): Set[Int] =
          journeys.filter(condition).map(_.id).toSet
        assertEquals(ids(s"days = $days"), heap(_.days == first.days))
        assertEquals(
          ids(s"days <> $days and id < 2000"),
          heap(j => j.days != first.days && j.id < 2000)
        )
        assertEquals(
          ids(s"counts[1] is not distinct from $counts"),
          heap(_.counts(0) == first.counts(0))
        )
        assertEquals(ids("counts[2] is null"), heap(_.counts(1).isEmpty))
        assertEquals(ids("counts is null"), Set())
        assertEquals(
          ids("holidays[1] > date '1980-05-01'"),
          heap(_.holidays(0).exists(_.isAfter(LocalDate.of(1980, 5, 1))))
        )
        assertEquals(
          ids("stops[2].day >= date '1980-05-01' or id = 7"),
          heap(j => !j.stops(1).day.isBefore(LocalDate.of(1980, 5, 1)) || j.id == 7)
        )
        assertEquals(
          ids("last.legs[1] is null and last is not null"),
          heap(_.last.exists(_.legs(0).isEmpty))
        )
        assertEquals(
          ids(s"ids[1] in ('${first.ids(0)}', '${journeys(7).ids(0)}')"),
          Set(first.id, journeys(7).id)
        )
        assertEquals(ids("list_contains(names, 'żółw0')"), heap(j => j.names(0).string == "żółw0"))

  test("durations in arrays are numbers in a DuckDb of numbers"):
    Region.scoped:
      val journeys = Vector.tabulate(100)(journey)
      val duckdb = DuckDb(DurationColumns.Numbers)
      try
        duckdb.register("journeys", Columns.from(journeys))
        assertEquals(
          duckdb.query("select lengths[2] from journeys order by id").as[Long].toVector,
          journeys.map(_.lengths(1).toNanos)
        )
      finally duckdb.close()

  test("an element out of the range of its type is an error with its row and place"):
    val folder = Files.createTempDirectory("undercroft-outside-").nn
    val path = folder.resolve("times.rows").nn
    import Forgeries.*
    try
      val table = Rows.create[Plain](path, maxRows = 10)
      for i <- 0 until 10 do
        table += Plain(i, InlineArray.tabulate(k => if i == 6 && k == 2 then -1L else 1L))
      table.seal()
      table.close()
      use: duckdb =>
        val meant = Rows.openReadOnly[Meant](path)
        try
          duckdb.register("times", meant)
          val error = intercept[ArithmeticException](duckdb.query("select times from times"))
          assertEquals(
            error.getMessage,
            "row 6, element 2 of `times` is stored as -1, which is out of the range of DuckDB's type"
          )
          assertEquals(duckdb.query("select times[3] from times where id < 6").rows.size, 6)
        finally meant.close()
    finally
      Files.deleteIfExists(path): Unit
      Files.delete(folder)
    end try

  test("vectors of many nulls in arrays do not corrupt DuckDB's heap"):
    val outcome = CheckedHeap.run(classOf[LargeArrays])
    assertEquals(outcome.exit, 0, outcome.output)
    assert(outcome.output.contains("all nulls were counted"), outcome.output)
end ArraySqlTest

/** Reads arrays with more elements in a vector than it has rows. */
object LargeArrays:
  import Large.*

  def main(arguments: Array[String]): Unit =
    Region.scoped:
      val points = Columns.tabulate[Points](2_100)(i => Large.points(i.toInt))
      val duckdb = DuckDb()
      duckdb.register("points", points)
      for condition <- Seq("true", "id > 10") do
        val counted = duckdb.query(
          s"""select count(*) from (select id, unnest(days) as day from points where $condition)
             |where day is null""".stripMargin
        )(0, 0).long
        val expected = (0L until 2_100L).filter(i => condition == "true" || i > 10)
          .map(i => (0 until 300).count(k => (i + k) % 3 == 0).toLong).sum
        if counted != expected then throw AssertionError(s"$counted nulls, but $expected expected")
      duckdb.close()
    println("all nulls were counted")
end LargeArrays

final class LargeArrays
