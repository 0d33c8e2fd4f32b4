package outside.duckdb

import java.nio.file.Files
import scala.util.Using
import undercroft.duckdb.*
import undercroft.file.*
import undercroft.memory.*
import undercroft.struct.*

case class Guest(id: Int, name: Text[24], town: Option[Text[12]]) derives Struct, CanEqual
case class Seat(row: Int, guest: Guest) derives Struct, CanEqual

/** Conditions on texts: in tables, files, structs and the names of folders. */
class TextConditionsTest extends undercroft.tools.Suite:

  private val names =
    Vector("Ada", "Adam", "adam", "Zoë", "Zoe", "", "王芳", "Zürich-Altstetten, Ost")

  private def guest(i: Int) = Guest(
    i,
    Text(names(i % names.size)),
    Option.when(i % 3 > 0)(Text(if i % 3 == 1 then "Ulm" else "Köln"))
  )

  private def using[A](body: DuckDb => A): A =
    val duckdb = DuckDb()
    try body(duckdb)
    finally duckdb.close()

  private def ids(duckdb: DuckDb, condition: Sql): Vector[Int] =
    duckdb.query(sql"select id from guests where $condition order by id").as[Int]

  private def plan(duckdb: DuckDb, condition: Sql): String =
    duckdb.query(
      sql"explain select id from guests where $condition"
    ).rows.flatten.map(_.show).mkString

  private def checkAll(duckdb: DuckDb, count: Int): Unit =
    val all = Vector.tabulate(count)(guest)
    def check(condition: Sql)(holds: Guest => Boolean): Unit =
      assertEquals(ids(duckdb, condition), all.filter(holds).map(_.id), s"$condition")
      // A condition that the table decides is no Filter of the plan.
      assert(!plan(duckdb, condition).contains("Filter"), s"$condition")
    def in(guest: Guest)(holds: String => Boolean) = guest.town.exists(town => holds(town.string))
    for name <- names ++ Vector("Ad", "Adam ", "no such name that is longer than the field") do
      check(sql"name = $name")(_.name.string == name)
      check(sql"name <> $name")(_.name.string != name)
      check(sql"name < $name")(g => before(g.name.string, name))
      check(sql"name >= $name")(g => !before(g.name.string, name))
    check(sql"name in (${"Ada"}, ${"王芳"})")(g => g.name.string == "Ada" || g.name.string == "王芳")
    check(sql"name like ${"Ad%"}")(_.name.string.startsWith("Ad"))
    check(sql"starts_with(name, ${"Zo"})")(_.name.string.startsWith("Zo"))
    check(sql"town = ${"Köln"}")(in(_)(_ == "Köln"))
    check(sql"town <> ${"Köln"}")(in(_)(_ != "Köln"))
    check(sql"town is null or town >= ${"U"}")(g => g.town.isEmpty || in(g)(_.startsWith("U")))
    check(sql"town = ${"Ulm"} and id < 50")(g => in(g)(_ == "Ulm") && g.id < 50)
    for other <- Seq(sql"name like ${"%a"}", sql"upper(name) = ${"ADA"}", sql"length(name) = 3") do
      assert(plan(duckdb, other).contains("Filter"), s"$other")
  end checkAll

  /** SQL's order of texts: that of their code points. */
  private def before(a: String, b: String): Boolean =
    a.codePoints.toArray.toSeq.toVector.zipAll(b.codePoints.toArray.toSeq, -1, -1)
      .find((x, y) => x != y).exists((x, y) => x < y)

  test("conditions on texts select the rows that Scala selects, in every layout"):
    using: duckdb =>
      Region.scoped:
        duckdb.register("guests", Rows.tabulate[Guest](100)(i => guest(i.toInt)))
        checkAll(duckdb, 100)
        duckdb.register("guests", PackedRows.tabulate[Guest](100)(i => guest(i.toInt)))
        checkAll(duckdb, 100)
        duckdb.register("guests", Columns.tabulate[Guest](100)(i => guest(i.toInt)).drop(0))
        checkAll(duckdb, 100)

  test("conditions on the texts of a file and of a struct in a row"):
    val path = Files.createTempDirectory("undercroft-outside-").resolve("guests.struct")
    val file = Columns.create[Guest](path, maxRows = 5000)
    for i <- 0 until 5000 do file += guest(i)
    file.seal()
    using: duckdb =>
      val guests = Columns.openReadOnly[Guest](path)
      duckdb.register("guests", guests)
      checkAll(duckdb, 5000)
      guests.close()
      Region.scoped:
        duckdb.register("seats", Rows.tabulate[Seat](80)(i => Seat(i.toInt, guest(i.toInt))))
        val sql = "select count(*) from seats where guest.name = 'Adam' and guest.town < 'L'"
        assertEquals(
          duckdb.query(sql)(0, 0).long,
          (0 until 80).count(i => i % 8 == 1 && i % 3 == 2).toLong
        )
    Files.delete(path)
    Files.delete(path.getParent)

  test("ranges of the texts in the names of folders leave files out"):
    val folder = Files.createTempDirectory("undercroft-outside-")
    val writer = Rows.folder[Guest](folder, maxRows = 100)
    for hall <- Seq("east", "north", "west") do
      writer.addTo((hall = hall)): file =>
        for i <- 0 until 10 do file += guest(i)
    using: duckdb =>
      val guests = Rows.openAll[Guest](folder)
      duckdb.register("guests", guests)
      assertEquals(duckdb.query("select count(*) from guests where hall < 'north'")(0, 0).long, 10L)
      assertEquals(duckdb.query("select count(*) from guests where hall >= 'n'")(0, 0).long, 20L)
      assertEquals(duckdb.query("select count(*) from guests where hall like 'w%'")(0, 0).long, 10L)
      guests.close()
    Using.resource(Files.walk(folder)): paths =>
      paths.sorted(java.util.Comparator.reverseOrder).forEach(path => Files.deleteIfExists(path))

  test("a condition on texts whose region was closed fails the query, and the next one runs"):
    using: duckdb =>
      Region.scoped:
        duckdb.register("guests", Rows.tabulate[Guest](1000)(i => guest(i.toInt)))
      val query = "select count(*) from guests where name = 'Ada'"
      val error = intercept[StaleReferenceException](duckdb.query(query))
      assert(error.getMessage.contains("stale reference to region"), error.getMessage)
      assertEquals(duckdb.query("select 42")(0, 0).long, 42L)
end TextConditionsTest
