package outside.duckdb

import java.nio.file.Files
import undercroft.duckdb.*
import undercroft.file.*
import undercroft.memory.Region
import undercroft.struct.*

final case class Accents(É: Int, é: Int) derives Struct, CanEqual
final case class Accented(s: Accents) derives Struct, CanEqual
final case class Single(a: Int) derives Struct, CanEqual
final case class BothCases(a: Int, A: Int) derives CanEqual
final case class StoredCases(a: Int, A: Int) derives Struct, CanEqual
final case class NestedCases(id: Int, s: StoredCases) derives Struct, CanEqual

final case class Reserving(at: Long, from: Int) derives Struct, CanEqual
final case class Reserved(at: Long, order: Reserving, end: Boolean) derives Struct, CanEqual

/** Names that differ in case: DuckDB ignores the case of ASCII letters only. And names that are
  * words of SQL.
  */
class SqlNamesTest extends undercroft.tools.Suite:

  private def use[A](body: DuckDb => A): A =
    val duckdb = DuckDb()
    try body(duckdb)
    finally duckdb.close()

  test("conditions on fields whose names differ in the case of an accented letter are exact"):
    Region.scoped:
      use: duckdb =>
        duckdb.register("rows", Rows.from(List(Accented(Accents(1, 2)))))
        for (condition, expected) <- Seq(
            "s.\"é\" = 2" -> 1L,
            "s.\"é\" = 1" -> 0L,
            "s.\"É\" = 1" -> 1L,
            "s.\"É\" = 2" -> 0L
          )
        do
          val count = duckdb.query(s"select count(*) from rows where $condition")(0, 0).long
          assertEquals(count, expected, condition)

  test("tables whose names differ in the case of an accented letter are two tables"):
    Region.scoped:
      use: duckdb =>
        duckdb.register("Ä", Rows.from(List(Single(1))))
        duckdb.register("ä", Rows.from(List(Single(2))))
        assertEquals(duckdb.query("from \"Ä\"").as[Int], Vector(1))
        assertEquals(duckdb.query("from \"ä\"").as[Int], Vector(2))

  test("fields, tables and parts of fields may be named by reserved words, which a query quotes"):
    Region.scoped:
      use: duckdb =>
        val rows = Rows.tabulate[Reserved](10)(i => Reserved(i, Reserving(-i, i.toInt), i % 2 == 0))
        duckdb.register("at", rows)
        val error = intercept[DuckDbException](duckdb.query("select at from \"at\""))
        assert(error.getMessage.contains("at or near"), error.getMessage)
        assertEquals(duckdb.query("select \"at\" from \"at\"").as[Long], Vector.range(0L, 10L))
        assertEquals(
          duckdb.query(
            "select \"at\" from \"at\" where \"at\" > 3 and \"order\".\"at\" > -9 and \"end\""
          ).as[Long],
          Vector(4L, 6L, 8L)
        )
        val explained = duckdb.query("explain select count(*) from \"at\" where \"at\" > 3").rows
        assert(explained.nonEmpty)

  test("a table with fields whose names differ in the case of an ASCII letter is refused"):
    Region.scoped:
      use: duckdb =>
        val attempts: Seq[() => Any] = Seq(
          () => duckdb.register("rows", Rows.from(List(StoredCases(1, 2)))),
          () => duckdb.register("rows", Rows.from(List(NestedCases(0, StoredCases(1, 2)))))
        )
        for attempt <- attempts do
          assertEquals(
            intercept[IllegalArgumentException](attempt()).getMessage,
            "the fields `a` and `A` must have different names in SQL, which ignores the case of " +
              "ASCII letters"
          )
        duckdb.register("rows", Rows.from(List(Single(1))))
        assertEquals(duckdb.query("from rows").as[Int], Vector(1))

  test("a partition and a field whose names differ in the case of an accented letter are columns"):
    val folder = Files.createTempDirectory("undercroft-outside-")
    Rows.folder[Single](folder).addTo((é = 3, É = 4))(_ += Single(1))
    val table = Rows.openAll[Single](folder)
    try
      use: duckdb =>
        duckdb.register("rows", table)
        assertEquals(
          duckdb.query("select \"é\", \"É\" from rows").as[(Int, Int)],
          Vector((3, 4))
        )
    finally table.close()

  test("a case class takes the columns with the exact names of its fields"):
    use: duckdb =>
      assertEquals(
        duckdb.query("select 1 as a, 2 as \"A\"").as[BothCases],
        Vector(BothCases(1, 2))
      )
      assertEquals(duckdb.query("select 2 as \"A\"").as[Single], Vector(Single(2)))

  test("a field with several columns, or with the column of another field, is refused"):
    use: duckdb =>
      def message(sql: String): String =
        intercept[IllegalArgumentException](duckdb.query(sql).as[BothCases]).getMessage
      assertEquals(
        message("select x.a, y.a from (select 1 as a) x, (select 7 as a) y"),
        "the result has 2 columns for the field a; its columns are a, a"
      )
      assertEquals(
        message("select 1 as a"),
        "the result has no column for the field A; its columns are a"
      )

  test("SQL and names with half of a surrogate pair are refused"):
    use: duckdb =>
      val attempts: Seq[() => Any] = Seq(
        () => duckdb.query("select 'x\ud800y'"),
        () => duckdb.query("select 'x\udc00'"),
        () => Region.scoped(duckdb.register("x\ud800", Rows.from(List(Single(1)))))
      )
      for attempt <- attempts do
        val error = intercept[IllegalArgumentException](attempt())
        assert(error.getMessage.contains("half of a surrogate pair at index "), error.getMessage)
      assertEquals(duckdb.query("select '\ud83d\ude00'").as[String], Vector("\ud83d\ude00"))
end SqlNamesTest
