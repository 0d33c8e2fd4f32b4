package outside.duckdb

import java.nio.file.Files
import java.time.{Duration, LocalDate}
import undercroft.duckdb.*
import undercroft.file.*
import undercroft.memory.*
import undercroft.struct.*

enum Wing derives CanEqual:
  case North, South

case class Place(wing: Wing, `room no`: Int) derives Struct
case class Stay(
    id: Int,
    name: Text[8],
    guests: Option[Int],
    place: Place,
    paid: Boolean,
    arrival: LocalDate,
    length: Duration,
    price: Double
) derives Struct

/** The conditions that an `explain` shows for the tables. */
class ExplainTest extends munit.FunSuite:
  private def stay(i: Long) = Stay(
    i.toInt,
    Text(s"guest ${i % 10}"),
    Option.when(i % 2 == 0)(i.toInt % 5),
    Place(Wing.fromOrdinal((i % 2).toInt), (i % 50).toInt),
    i % 3 == 0,
    LocalDate.ofEpochDay(20_000 + i % 30),
    Duration.ofDays(1 + i % 7),
    i * 0.5
  )

  private def using[A](body: DuckDb => A): A =
    val duckdb = DuckDb()
    try body(duckdb)
    finally duckdb.close()

  /** The rows of an `explain` that are not DuckDB's plan. */
  private def scans(duckdb: DuckDb, sql: String | Sql): Vector[String] =
    duckdb.query(sql).rows.collect {
      case Vector(SqlValue.Text("scan"), SqlValue.Text(text)) => text
    }

  test("the rows of an explain count for maxRows"):
    using: duckdb =>
      Region.scoped:
        duckdb.register("stays", Rows.tabulate[Stay](100)(stay))
        val sql = "explain select count(*) from stays where id < 50"
        val rows = duckdb.query(sql, maxRows = 2).rows // DuckDB's plan and a scan
        assertEquals(rows.size, 2)
        val error = intercept[IllegalStateException](duckdb.query(sql, maxRows = 1))
        assertEquals(error.getMessage, "the result must have at most 1 rows, but has more")
        assertEquals(scans(duckdb, sql).size, 1)

  test("an explain shows the conditions that a table decides, as SQL"):
    using: duckdb =>
      Region.scoped:
        val stays = Columns.tabulate[Stay](100)(stay)
        duckdb.register("Stays", stays)
        for
          (condition, shown) <- List(
            "id < 50" -> "id < 50",
            "50 > id" -> "id < 50",
            "id <> 7 and price >= 3.5" -> "id <> 7 and price >= 3.5",
            "name = 'guest 1'" -> "name = 'guest 1'",
            "name like 'o''%'" -> "",
            "guests is null" -> "guests is null",
            "guests is not null" -> "guests is not null",
            "guests = 3 or id > 90" -> "(guests = 3 or id > 90)",
            "place.wing = 'South'" -> "place.wing = 'South'",
            "place.\"room no\" in (1, 3)" -> "place.\"room no\" in (1, 3)",
            "paid" -> "paid",
            "not paid" -> "not paid",
            "id between 3 and 7" -> "id between 3 and 7",
            "arrival = date '2024-10-05'" -> "arrival = '2024-10-05'",
            "length > interval '3' day" -> "length > '3 days'"
          )
        do
          val lines = scans(duckdb, s"explain select count(*) from stays where $condition")
          if shown.nonEmpty then
            assertEquals(lines, Vector(s"Stays: $shown; reads 100 of 100 rows"), condition)
          else assertEquals(lines.size, 1, condition)
          // The text is a condition with the same rows.
          val text = lines.head.stripPrefix("Stays: ").stripSuffix("; reads 100 of 100 rows")
          def count(where: String) =
            duckdb.query(s"select count(*) from stays where $where")(0, 0).long
          assertEquals(count(text), count(condition), text)
        end for

  test("conditions that DuckDB evaluates are not shown, and neither are scans without one"):
    using: duckdb =>
      Region.scoped:
        duckdb.register("stays", Rows.tabulate[Stay](100)(stay))
        assertEquals(scans(duckdb, "explain select count(*) from stays"), Vector())
        for other <- List("name like '%1'", "id % 3 = 1", "id < price") do
          assertEquals(scans(duckdb, s"explain select id from stays where $other"), Vector(), other)
        assertEquals(
          scans(duckdb, "explain select id from stays where id % 3 = 1 and id > 5"),
          Vector("stays: id > 5; reads 100 of 100 rows")
        )

  test("each use of a table is shown, also by analyze, json, values and prepared statements"):
    using: duckdb =>
      Region.scoped:
        duckdb.register("stays", Rows.tabulate[Stay](100)(stay))
        val join =
          "select count(*) from stays a join stays b using (id) where a.paid and b.price > 3"
        val both =
          Vector("stays: paid; reads 100 of 100 rows", "stays: price > 3.0; reads 100 of 100 rows")
        for kind <- List("explain", "EXPLAIN ANALYZE", "/* why */ explain (format json)") do
          assertEquals(scans(duckdb, s"$kind $join").sorted, both, kind)
        assertEquals(
          scans(duckdb, sql"explain select id from stays where name = ${"it's 1"} and id > ${3}"),
          Vector("stays: name = 'it''s 1' and id > 3; reads 100 of 100 rows")
        )
        val _ = duckdb.query("prepare p as select id from stays where id > 5")
        val prepared = scans(duckdb, "explain execute p")
        assert(prepared.size <= 1, prepared)
        assertEquals(duckdb.query("execute p").rows.size, 94)

  test("other statements have no further rows, also after an explain that failed"):
    using: duckdb =>
      Region.scoped:
        duckdb.register("stays", Rows.tabulate[Stay](10)(stay))
        val select = "select 'scan' explain_key, 'x' explain_value from stays where id < 3"
        for _ <- 1 to 3 do
          assertEquals(duckdb.query(select).rows.size, 3)
          assertEquals(duckdb.query(s"explain $select; $select").rows.size, 3)
          intercept[DuckDbException](duckdb.query(s"explain $select and no_column = 1")): Unit
          intercept[DuckDbException](
            duckdb.query(s"explain analyze $select and error('no')::int = 1")
          ): Unit

  test("the rows of blocks and files that conditions exclude are not read"):
    val folder = Files.createTempDirectory("undercroft-outside-")
    val path = folder.resolve("stays.struct")
    val file = Columns.create[Stay](path, maxRows = 300_000)
    file.appendAll(300_000)(stay)
    file.seal()
    val stays = Columns.openReadOnly[Stay](path)
    using: duckdb =>
      duckdb.register("stays", stays)
      val line = scans(duckdb, "explain select count(*) from stays where id < 1000").head
      assertEquals(line, "stays: id < 1000; reads 65536 of 300000 rows")
      assertEquals(
        scans(duckdb, "explain select count(*) from stays where id < 0"),
        Vector("stays: id < 0; reads 0 of 300000 rows")
      )
    stays.close()
    Files.delete(path)
    val writer = Rows.folder[Stay](folder, maxRows = 100)
    for day <- 1 to 4 do
      writer.addTo((day = LocalDate.of(2026, 11, day)))(file =>
        for i <- 0 until 100 do file += stay(i)
      )
    val days = Rows.openAll[Stay](folder)
    using: duckdb =>
      duckdb.register("days", days)
      assertEquals(
        scans(duckdb, "explain select count(*) from days where day >= date '2026-11-03'"),
        Vector("days: day >= '2026-11-03'; reads 200 of 400 rows")
      )
    days.close()
    def delete(file: java.io.File): Unit =
      Option(file.listFiles).foreach(_.foreach(child => if child != null then delete(child)))
      file.delete(): Unit
    delete(folder.toFile)
end ExplainTest
