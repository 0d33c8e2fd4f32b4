package outside.duckdb

import java.lang.ref.WeakReference
import java.nio.file.{Files, Path, StandardOpenOption}
import java.time.LocalDate
import scala.util.{Random, Using}
import undercroft.duckdb.*
import undercroft.file.*
import undercroft.file.format.{StructFile, StructFileException}
import undercroft.struct.*

case class Visit(id: Long, minutes: Int, guest: Option[Short], name: Text[20])
    derives Struct, CanEqual
object earlier:
  case class Visit(id: Int, name: Text[20]) derives Struct, CanEqual
object wrong:
  case class Visit(id: Long, Day: Int) derives Struct, CanEqual

/** SQL over folders of struct files. */
class FoldersTest extends undercroft.tools.Suite:

  private def inFolder[A](body: Path => A): A =
    val folder = Files.createTempDirectory("undercroft-outside-")
    try body(folder)
    finally
      Using.resource(Files.walk(folder)): paths =>
        paths.sorted(java.util.Comparator.reverseOrder).forEach(path => Files.deleteIfExists(path))

  private def using[A](body: DuckDb => A): A =
    val duckdb = DuckDb()
    try body(duckdb)
    finally duckdb.close()

  private def visit(i: Int) =
    Visit(i.toLong, i % 60, Option.when(i % 3 == 0)((i % 7).toShort), Text(s"guest number $i"))

  private def value(duckdb: DuckDb, sql: String): String = duckdb.query(sql)(0, 0).show

  private def plan(duckdb: DuckDb, sql: String): String =
    duckdb.query(s"explain $sql").rows.map(_.map(_.show).mkString(" ")).mkString("\n")

  /** Eight files of 1 000 rows in four days and two halls. */
  private def fill[L <: Layout](writer: FolderWriter[Visit, L]): Unit =
    for day <- 1 to 4; hall <- Seq("north", "south of the river") do
      writer.addTo((day = LocalDate.of(2026, 11, day), hall = hall, no = 10L * day)): file =>
        for i <- 0 until 1000 do file += visit(day * 1000 + i)

  private inline def agrees[L <: Layout](tables: TableFactory[L]): Unit = inFolder: folder =>
    val seed = Random().nextInt()
    val random = Random(seed)
    fill(tables.folder[Visit](folder, maxRows = 1000))
    val visits = tables.openAll[Visit](folder)
    using: duckdb =>
      duckdb.register("visits", visits)
      val _ = duckdb.query("set threads = 4")
      val _ = duckdb.query("create table plain as from visits")
      assertEquals(value(duckdb, "select count(*) from visits"), "8000")
      def compared = Seq("=", "<>", "<", "<=", ">", ">=")(random.nextInt(6))
      def condition(depth: Int): String = random.nextInt(if depth > 0 then 11 else 8) match
        case 0 => s"day $compared date '2026-11-0${1 + random.nextInt(5)}'"
        case 1 =>
          s"hall $compared '${Seq("north", "south of the river", "none")(random.nextInt(3))}'"
        case 2 => s"no $compared ${10 * random.nextInt(6)}"
        case 3 => s"no in (10, ${10 * random.nextInt(6)}, 30)"
        case 4 => s"hall in ('north', 'east')"
        case 5 => s"id $compared ${random.nextInt(6000)}"
        case 6 => Seq("guest is null", "day is null", "hall is not null", "no is null")(
            random.nextInt(4)
          )
        case 7 => s"no between ${10 * random.nextInt(4)} and 30"
        case 8 => s"(${condition(depth - 1)} and ${condition(depth - 1)})"
        case 9 => s"(${condition(depth - 1)} or ${condition(depth - 1)})"
        case _ => s"not (${condition(depth - 1)})"
      for round <- 0 until 150 do
        val where = condition(2)
        val sql = "select count(*), sum(id), sum(guest), sum(hash(name, day, hall, no)) from"
        val expected = duckdb.query(s"$sql plain where $where").rows
        assertEquals(duckdb.query(s"$sql visits where $where").rows, expected, s"$seed: $where")
      val ordered = duckdb.query("select id from visits limit 2500").as[Long]
      assertEquals(ordered, Vector.tabulate(2500)(i => visits(i.toLong).id))
    visits.close()

  test("conditions on fields and partitions of Rows select the rows that DuckDB selects"):
    agrees(Rows)
  test("conditions on fields and partitions of PackedRows select the rows that DuckDB selects"):
    agrees(PackedRows)
  test("conditions on fields and partitions of Columns select the rows that DuckDB selects"):
    agrees(Columns)

  test("partition columns are DATE, VARCHAR, INTEGER or BIGINT, by the form of all values"):
    inFolder: folder =>
      fill(Rows.folder[Visit](folder, maxRows = 1000))
      val visits = Rows.openAll[Visit](folder)
      using: duckdb =>
        duckdb.register("visits", visits)
        val types = duckdb.query(
          "select typeof(day), typeof(hall), typeof(no), count(*) from visits group by all"
        )
        assertEquals(
          types.rows.map(_.map(_.show)),
          Vector(Vector("DATE", "VARCHAR", "INTEGER", "8000"))
        )
        val names = duckdb.query("from visits limit 0").columns
        assertEquals(names, Vector("id", "minutes", "guest", "name", "day", "hall", "no"))
      visits.close()

  test("a number with a leading zero makes a partition column VARCHAR, a large one BIGINT"):
    inFolder: folder =>
      val writer = Rows.folder[Visit](folder, maxRows = 10)
      writer.addTo((code = "07", size = 5_000_000_000L))(_ += visit(1))
      writer.addTo((code = "8", size = -1L))(_ += visit(2))
      val visits = Rows.openAll[Visit](folder)
      using: duckdb =>
        duckdb.register("visits", visits)
        val rows =
          duckdb.query("select typeof(code), typeof(size), id from visits where code = '07'")
        assertEquals(rows.rows.map(_.map(_.show)), Vector(Vector("VARCHAR", "BIGINT", "1")))
        assertEquals(value(duckdb, "select id from visits where size < 0"), "2")
      visits.close()

  test("an absent partition value is NULL"):
    inFolder: folder =>
      val writer = Columns.folder[Visit](folder, maxRows = 3000)
      writer.addTo((hall = Option.empty[String]))(f => for i <- 0 until 3000 do f += visit(i))
      writer.addTo((hall = Option("north")))(f => for i <- 0 until 10 do f += visit(i))
      val visits = Columns.openAll[Visit](folder)
      using: duckdb =>
        duckdb.register("visits", visits)
        assertEquals(value(duckdb, "select count(*) from visits where hall is null"), "3000")
        assertEquals(value(duckdb, "select count(hall) from visits"), "10")
        assertEquals(value(duckdb, "select count(*) from visits where hall <> 'south'"), "10")
      visits.close()

  test("conditions on partitions are pushed down, and the files that they exclude are not read"):
    inFolder: folder =>
      fill(Columns.folder[Visit](folder, maxRows = 1000))
      val visits = Columns.openAll[Visit](folder)
      val excluded = visits.files.filter(_.partition.path.contains("day=2026-11-03"))
      assertEquals(excluded.size, 2)
      for file <- excluded do // any read of these files fails
        Using.resource(Files.newByteChannel(file.path, StandardOpenOption.WRITE))(_.truncate(100))
      using: duckdb =>
        duckdb.register("visits", visits)
        for
          where <- Seq(
            "day <> date '2026-11-03'",
            "day in (date '2026-11-01', date '2026-11-02', date '2026-11-04')",
            "no <> 30",
            "(no > 30 or day < date '2026-11-03')",
            "(no = 30 and id < 0) or hall = 'north' and day = date '2026-11-01' or no in (20, 40)",
            "hall <> 'north' and no = 10"
          )
        do
          val sql = s"select sum(id), count(*) from visits where $where"
          if where.startsWith("(no = 30 and") then
            val _ = intercept[StructFileException](duckdb.query(sql))
          else
            assert(!plan(duckdb, sql).contains("Filter"), plan(duckdb, sql))
            assert(duckdb.query(sql)(0, 1).long >= 1000, where)
        val error = intercept[StructFileException](duckdb.query("select sum(id) from visits"))
        assert(
          excluded.exists(file => error.getMessage.contains(file.path.toString)),
          error.getMessage
        )
      visits.close()

  test("a truncated file fails the queries that read it, and names the file"):
    inFolder: folder =>
      val writer = Columns.folder[Visit](folder, maxRows = 300_000)
      for k <- 0 until 4 do writer.add(f => for i <- 0 until 300_000 do f += visit(i))
      val visits = Columns.openAll[Visit](folder)
      val last = visits.files.last.path
      using: duckdb =>
        duckdb.register("visits", visits)
        val _ = duckdb.query("set threads = 1")
        val seen = duckdb.query("select id from visits limit 10")
        assertEquals(seen.rows.size, 10)
        Using.resource(Files.newByteChannel(last, StandardOpenOption.WRITE))(_.truncate(5000))
        assertEquals(duckdb.query("select id from visits limit 10").rows.size, 10)
        val error = intercept[StructFileException](duckdb.query("select sum(id) from visits"))
        assert(error.getMessage.contains(last.toString), error.getMessage)
        assertEquals(value(duckdb, "select 1"), "1")
      visits.close()

  test("a file that SQL itself overwrites during a query fails it, before or after it was read"):
    for isReadFirst <- Seq(true, false) do
      inFolder: folder =>
        val writer = Rows.folder[Visit](folder, maxRows = 100_000)
        for k <- 0 until 3 do writer.add(f => for i <- 0 until 100_000 do f += visit(i))
        val visits = Rows.openAll[Visit](folder)
        val last = visits.files.last.path
        using: duckdb =>
          duckdb.register("visits", visits)
          val overwrite = s"copy (select 1) to '$last' (format csv, use_tmp_file false)"
          val sum = "select sum(id) from visits"
          val sql = if isReadFirst then s"$sum; $overwrite" else s"$overwrite; $sum"
          val error = intercept[StructFileException](duckdb.query(sql))
          assert(error.getMessage.contains(last.toString), error.getMessage)
          assert(error.getMessage.contains("truncated"), error.getMessage)
        visits.close()

  test("a query sees the files of the table, until the table is refreshed"):
    inFolder: folder =>
      val writer = Rows.folder[Visit](folder, maxRows = 1000)
      val visits = Rows.openAll[Visit](folder)
      using: duckdb =>
        duckdb.register("visits", visits)
        val _ = duckdb.query("prepare early as select count(*) from visits")
        assertEquals(value(duckdb, "execute early"), "0")
        assertEquals(duckdb.query("from visits").columns, Vector("id", "minutes", "guest", "name"))
        fill(writer)
        assertEquals(value(duckdb, "select count(*) from visits"), "0")
        assertEquals(visits.refresh(), 8000L)
        // The folder has partitions now: their columns appear.
        assertEquals(value(duckdb, "select count(*) from visits where no = 10"), "2000")
        val _ = intercept[IllegalStateException](duckdb.query("execute early"))
        val _ = duckdb.query("prepare counted as select count(*) from visits where no <> 10")
        assertEquals(value(duckdb, "execute counted"), "6000")
        writer.removeWhere[(day: LocalDate, hall: String, no: Long)](_.no < 40)
        // Files that were deleted stay readable while the table has them.
        assertEquals(value(duckdb, "select count(*) from visits"), "8000")
        visits.refresh()
        assertEquals(value(duckdb, "select count(*) from visits"), "2000")
        writer.compact()
        visits.refresh()
        assertEquals(value(duckdb, "select count(distinct hall) from visits"), "2")
        assertEquals(value(duckdb, "execute counted"), "2000")
      visits.close()

  test("a view of some partitions is a table of its own"):
    inFolder: folder =>
      fill(Rows.folder[Visit](folder, maxRows = 1000))
      val visits = Rows.openAll[Visit](folder)
      using: duckdb =>
        duckdb.register("late", visits.where[(day: LocalDate)](_.day.getDayOfMonth > 3))
        assertEquals(value(duckdb, "select count(*) from late"), "2000")
        assertEquals(value(duckdb, "select min(day) from late"), "2026-11-04")
      visits.close()
      ()

  test("a view of some partitions selects among the files that a refresh brings"):
    inFolder: folder =>
      val writer = Rows.folder[Visit](folder, maxRows = 10)
      for no <- Seq(1, 5) do writer.addTo((no = no))(_ += visit(no))
      val visits = Rows.openAll[Visit](folder)
      val late = visits.where[(no: Int)](_.no > 3)
      using: duckdb =>
        duckdb.register("late", late)
        duckdb.register("later", late.where[(no: Int)](_.no > 6))
        duckdb.register("fifth", visits.partitions[(no: Int)].last._2)
        def ids(view: String) = duckdb.query(s"select id from $view order by id").as[Int]
        assertEquals(Seq("late", "later", "fifth").map(ids), Seq(Vector(5), Vector(), Vector(5)))
        for no <- Seq(2, 5, 7) do writer.addTo((no = no))(_ += visit(no))
        assertEquals(ids("late"), Vector(5))
        visits.refresh()
        assertEquals(
          Seq("late", "later", "fifth").map(ids),
          Seq(Vector(5, 5, 7), Vector(7), Vector(5, 5))
        )
        writer.removeWhere[(no: Int)](_.no == 5)
        visits.refresh()
        assertEquals(Seq("late", "fifth").map(ids), Seq(Vector(7), Vector()))
        val counted = duckdb.query("select count(*) from fifth where no = 5")
        assertEquals(counted(0, 0).long, 0L)
      visits.close()

  test("new partition columns within a transaction are an error that names the transaction"):
    inFolder: folder =>
      val writer = Rows.folder[Visit](folder, maxRows = 10)
      writer.addTo((no = 1L))(_ += visit(1))
      val visits = Rows.openAll[Visit](folder)
      using: duckdb =>
        duckdb.register("visits", visits)
        duckdb.query("begin")
        writer.addTo((no = 5_000_000_000L))(_ += visit(2)) // a BIGINT
        visits.refresh()
        val error = intercept[IllegalStateException](duckdb.query("select no from visits"))
        assertEquals(
          error.getMessage,
          "`visits` cannot be registered within a transaction: commit it or roll it back first"
        )
        duckdb.query("rollback")
        assertEquals(value(duckdb, "select max(no) from visits"), "5000000000")
      visits.close()

  test("a registered view is not reachable after its name was given to another table"):
    inFolder: folder =>
      Rows.folder[Visit](folder, maxRows = 10).addTo((no = 1))(_ += visit(1))
      val visits = Rows.openAll[Visit](folder)
      using: duckdb =>
        def register(): WeakReference[?] =
          val view = visits.where[(no: Int)](_.no > 0)
          duckdb.register("visits", view)
          WeakReference(view)
        val view = register()
        duckdb.register("visits", visits)
        var collections = 0
        while view.get != null && collections < 100 do
          System.gc()
          collections += 1
        assert(view.get == null, "the view is reachable")
      visits.close()

  test("files of an earlier class are read with the class of the table"):
    inFolder: folder =>
      Rows.folder[earlier.Visit](folder, maxRows = 10).addTo((no = 1))(f =>
        for i <- 0 until 10 do f += earlier.Visit(i, Text(s"early $i"))
      )
      Rows.folder[Visit](folder, maxRows = 10).addTo((no = 2))(f =>
        for i <- 0 until 10 do f += visit(i + 100)
      )
      val visits = Rows.openAll[Visit](folder)
      using: duckdb =>
        duckdb.register("visits", visits)
        assertEquals(value(duckdb, "select sum(id) from visits"), s"${45 + 1045}")
        assertEquals(
          value(duckdb, "select count(*) from visits where id < 100 and minutes = 0"),
          "10"
        )
        assertEquals(value(duckdb, "select min(name) from visits where no = 1"), "early 0")
        assertEquals(value(duckdb, "select min(name) from visits where no = 2"), "guest number 100")
      visits.close()

  test("a partition with the name of a field in another case is refused"):
    inFolder: folder =>
      Rows.folder[wrong.Visit](folder, maxRows = 1).addTo((day = 1))(_ += wrong.Visit(1, 2))
      val visits = Rows.openAll[wrong.Visit](folder)
      using: duckdb =>
        val error = intercept[IllegalArgumentException](duckdb.register("visits", visits))
        assert(error.getMessage.contains("`day` is a field and the name of a partition"))
        assertEquals(value(duckdb, "select 1"), "1")
      visits.close()

  test("files with different partitions are refused, also after a refresh, and nothing else fails"):
    inFolder: folder =>
      def save(partition: String): Unit = // without a manifest
        val _ = Files.createDirectory(folder.resolve(partition))
        val table = Rows.create[Visit](folder.resolve(s"$partition/a.rows"), maxRows = 10)
        table += visit(1)
        table.seal()
      save("no=1")
      val visits = Rows.openAll[Visit](folder)
      using: duckdb =>
        duckdb.register("visits", visits)
        assertEquals(value(duckdb, "select no from visits"), "1")
        save("hall=north")
        visits.refresh()
        val error = intercept[IllegalArgumentException](duckdb.query("from visits"))
        assert(
          error.getMessage.contains("must have partitions of the same names"),
          error.getMessage
        )
        assertEquals(value(duckdb, "select 1"), "1")
      visits.close()

  test("a closed folder fails queries that read it, and no others"):
    inFolder: folder =>
      fill(Columns.folder[Visit](folder, maxRows = 1000))
      val visits = Columns.openAll[Visit](folder)
      using: duckdb =>
        duckdb.register("visits", visits)
        visits.close()
        val error = intercept[Exception](duckdb.query("select sum(id) from visits"))
        assert(error.getMessage.contains("closed"), error.toString)
        assertEquals(value(duckdb, "select 1"), "1")

  test("folders are joined with files, and a name can be used for another table"):
    inFolder: folder =>
      fill(Columns.folder[Visit](folder, maxRows = 1000))
      val visits = Columns.openAll[Visit](folder)
      val file = StructFile.open(visits.files.head.path)
      using: duckdb =>
        duckdb.register("visits", visits)
        duckdb.register("head", file)
        val joined = "select count(*) from visits join head using (id) where visits.no = 10"
        assertEquals(value(duckdb, joined), "2000")
        duckdb.register("visits", file)
        assertEquals(value(duckdb, "select count(*) from visits"), "1000")
      file.close()
      visits.close()
end FoldersTest
