package undercroft.duckdb

import internal.scan.HandleRegistry
import java.nio.channels.FileChannel
import java.nio.file.StandardOpenOption
import java.util.concurrent.{ThreadPoolExecutor, TimeUnit}
import undercroft.file.format.{Durability, StructFile, StructFileException}
import undercroft.memory.*
import undercroft.struct.*
import undercroft.file.*
import undercroft.file.samples.*

class DuckDbTest extends undercroft.tools.Suite:

  private val turnover =
    "select sum(amount::bigint * price * (case when buy then 1 else -1 end)) from day"

  private inline def balance[L <: Layout](tables: TableFactory[L])(rows: Int): Unit =
    Region.scoped:
      val day = tables.tabulate[Trade](rows)(Trade.of)
      Samples.use: duckdb =>
        duckdb.register("day", day)
        assertEquals(duckdb.query(turnover)(0, 0).long, day.sumOf(_.balance))
        assertEquals(duckdb.query("select count(*) from day")(0, 0).long, rows.toLong)

  test("SQL over rows, packed rows and columns returns the result of a loop"):
    balance(Rows)(200_000)
    balance(PackedRows)(200_000)
    balance(Columns)(200_000)

  private inline def everything[L <: Layout](tables: TableFactory[L]): Unit =
    Region.scoped:
      val table = tables.tabulate[Everything](5000)(i => Everything.of(i.toInt))
      Samples.use: duckdb =>
        duckdb.register("things", table)
        val result = duckdb.query("select * from things")
        assertEquals(result.rows.size, 5000)
        for i <- 0 until 5000 do
          val cells = result.rows(i).map(_.show)
          assertEquals(cells, Samples.shown(i), s"row $i")

  test("a query of Rows returns values of every type in order"):
    everything(Rows)
  test("a query of PackedRows returns values of every type in order"):
    everything(PackedRows)
  test("a query of Columns returns values of every type in order"):
    everything(Columns)

  test("struct fields and enum cases can be used in SQL"):
    Region.scoped:
      val things = Columns.tabulate[Everything](300)(i => Everything.of(i.toInt))
      Samples.use: duckdb =>
        duckdb.register("things", things)
        def value(sql: String) = duckdb.query(sql)(0, 0).long
        assertEquals(value("select sum(point.x) from things"), things.sumOf(_.point.x.toLong))
        assertEquals(value("select count(*) from things where color = 'Green'"), 100L)
        assertEquals(value("select count(*) from things where change.tag = 'Renamed'"), 100L)
        assertEquals(value("select max(change.Traded.price) from things"), 298_000L)
        assertEquals(value("select count(option) from things"), 150L)
        assertEquals(value("select count(absent.x) from things"), 100L)
        assertEquals(
          value("select sum(things.array[1]) from things"),
          things.sumOf(_.int.toLong) / -1000
        )

  test(
    "struct files are queried in place, sealed or not, with or without their class"
  ):
    val (rows, columns) = (Samples.path("day.rows"), Samples.path("day.columns"))
    val appended = Rows.create[Trade](rows, maxRows = 300_000, Durability.VOLATILE)
    for i <- 0 until 100_000 do appended += Trade.of(i)
    appended.commit()
    val sealedTable = Columns.create[Trade](columns, maxRows = 300_000, Durability.VOLATILE)
    for i <- 0 until 250_000 do sealedTable += Trade.of(i)
    sealedTable.seal()
    val sealedFile = Columns.openReadOnly[Trade](columns)
    val open = Rows.openReadOnly[Trade](rows)
    val file = StructFile.open(columns)
    Samples.use: duckdb =>
      duckdb.register("day", open)
      duckdb.register("sealed day", sealedFile)
      duckdb.register("without", file)
      assertEquals(duckdb.query(turnover)(0, 0).long, open.sumOf(_.balance))
      assertEquals(
        duckdb.query(turnover.replace("day", "\"sealed day\"").nn)(0, 0).long,
        sealedFile.sumOf(_.balance)
      )
      assertEquals(
        duckdb.query(turnover.replace("day", "without").nn)(0, 0).long,
        sealedFile.sumOf(_.balance)
      )
      // Rows that are committed later are seen after a refresh of the reader.
      for i <- 0 until 10 do appended += Trade.of(i)
      appended.commit()
      val _ = open.refresh()
      assertEquals(duckdb.query("select count(*) from day")(0, 0).long, 100_010L)
    Seq(open, sealedFile).foreach(_.close())
    file.close()
    appended.close()

  test("a query sees the rows appended to a growing table"):
    Region.scoped:
      val day = Rows.growing[Trade]
      Samples.use: duckdb =>
        duckdb.register("day", day)
        for size <- Seq(0, 1, 5000) do
          while day.size < size do day += Trade.of(day.size)
          assertEquals(duckdb.query("select count(*) from day")(0, 0).long, size.toLong)
        duckdb.register("day", Rows.tabulate[Trade](7)(Trade.of))
        assertEquals(duckdb.query("select count(*) from day")(0, 0).long, 7L)

  test("query results keep the row order with one and with four threads"):
    Region.scoped:
      val day = Columns.tabulate[Point](400_000)(i => Point(i.toInt, 1))
      Samples.use: duckdb =>
        duckdb.register("day", day)
        for threads <- Seq(1, 4) do
          val _ = duckdb.query(s"set threads = $threads")
          val result = duckdb.query("select x, y from day where x % 3 = 0", 400_000)
          assertEquals(result.rows.size, 133_334)
          for i <- result.rows.indices by 1009 do
            assertEquals(result.rows(i), Vector(SqlValue.Integer(3 * i), SqlValue.Integer(1)))

  test("an invalid enum case number throws and names the row only if it is read"):
    final case class Only(color: Color, number: Byte) derives Struct
    val path = Samples.path("day.rows")
    val table = Rows.create[Only](path, maxRows = 10)
    for i <- 0 until 5 do table += Only(Color.Green, i.toByte)
    table.commit()
    table.close()
    // Row 3 is written as this library never writes it: its data begin at the offset of the header.
    val bytes = java.io.RandomAccessFile(path.toFile, "rw")
    bytes.seek(40)
    bytes.seek(java.lang.Long.reverseBytes(bytes.readLong()) + 3 * 2)
    bytes.write(77)
    bytes.close()
    val wrong = Rows.openReadOnly[Only](path)
    Samples.use: duckdb =>
      duckdb.register("day", wrong)
      assertEquals(duckdb.query("select sum(number) from day where number > 1")(0, 0).long, 9L)
      val error = intercept[NoSuchElementException](duckdb.query("select color from day"))
      assertEquals(error.getMessage, "row 3 of `color` is case 77, but the enum has 3 cases")
      assertEquals(duckdb.query("select 1")(0, 0), SqlValue.Integer(1))
    wrong.close()

  test("invalid SQL throws DuckDbException, and the next statement runs"):
    Samples.use: duckdb =>
      val error = intercept[DuckDbException](duckdb.query("select form day"))
      assert(error.getMessage.nn.contains("day") || error.code > 0, error.getMessage)
      val missing = intercept[DuckDbException](duckdb.query("select * from nothing"))
      assert(missing.getMessage.nn.contains("nothing"), missing.getMessage)
      assertEquals(duckdb.query("select 1; select 2")(0, 0), SqlValue.Integer(2))

  test("a result of more than maxRows rows throws IllegalStateException"):
    Samples.use: duckdb =>
      val error = intercept[IllegalStateException](duckdb.query("from range(5000)", 100))
      assertEquals(error.getMessage, "the result must have at most 100 rows, but has more")
      assertEquals(duckdb.query("select 1")(0, 0), SqlValue.Integer(1))

  test("SQL types are returned as their SqlValue cases"):
    Samples.use: duckdb =>
      val row = duckdb.query(
        "select null, true, 1::utinyint, 170141183460469231731687303715884105727, 1.50, 0.5::float, " +
          "'x', date '2026-11-21'"
      )
      assertEquals(
        row.rows.head,
        Vector(
          SqlValue.Null,
          SqlValue.Bool(true),
          SqlValue.Integer(1),
          SqlValue.Integer(BigInt("170141183460469231731687303715884105727")),
          SqlValue.Decimal(BigDecimal("1.50")),
          SqlValue.Double(0.5),
          SqlValue.Text("x"),
          SqlValue.Text("2026-11-21")
        )
      )

  test("a query of a closed region's or another thread's table throws that error"):
    Samples.use: duckdb =>
      val region = Region.shared("gone")
      locally:
        given Region = region
        duckdb.register("day", Columns.tabulate[Trade](10)(Trade.of))
      region.close()
      val error = intercept[MemoryException](duckdb.query("select count(ticket) from day"))
      assert(error.getMessage.nn.contains("gone"), error.getMessage)
      assertEquals(duckdb.query("select 1")(0, 0), SqlValue.Integer(1))
      Region.scoped:
        duckdb.register("day", Columns.tabulate[Trade](10)(Trade.of))
        @volatile var failure: Option[Throwable] = None
        val thread = Thread: () =>
          try
            val _ = duckdb.query("select count(ticket) from day")
          catch case error: Throwable => failure = Some(error)
        thread.start()
        thread.join()
        assert(failure.exists(_.isInstanceOf[WrongThreadException]), failure)
        assertEquals(duckdb.query("select count(ticket) from day")(0, 0), SqlValue.Integer(10))

  test("a query of a truncated file throws StructFileException that names the file"):
    val path = Samples.path("day.columns")
    val table = Columns.create[Trade](path, maxRows = 500_000, Durability.VOLATILE)
    for i <- 0 until 500_000 do table += Trade.of(i)
    table.seal()
    val day = Columns.openReadOnly[Trade](path)
    Samples.use: duckdb =>
      duckdb.register("day", day)
      val file = FileChannel.open(path, StandardOpenOption.WRITE).nn
      file.truncate(100_000)
      file.close()
      val error = intercept[StructFileException](duckdb.query(turnover))
      assert(error.getMessage.nn.startsWith(s"$path: "), error.getMessage)
    day.close()

  test("a query of a closed DuckDb throws, and closing it again has no effect"):
    val duckdb = DuckDb()
    duckdb.close()
    duckdb.close()
    val error = intercept[IllegalStateException](duckdb.query("select 1"))
    assertEquals(error.getMessage, "this DuckDb was closed")

  private def field(owner: AnyRef, name: String): AnyRef =
    val field = owner.getClass.getDeclaredField(name).nn
    field.setAccessible(true)
    field.get(owner).nn

  test("a close that cannot start its thread frees everything when it is repeated"):
    val before = HandleRegistry.count
    val duckdb = DuckDb()
    Region.scoped:
      duckdb.register("day", Columns.tabulate[Trade](10)(Trade.of))
      assert(HandleRegistry.count > before)
      val executor = field(field(duckdb, "thread"), "executor").asInstanceOf[ThreadPoolExecutor]
      val threads = executor.getThreadFactory.nn
      executor.setKeepAliveTime(1, TimeUnit.MILLISECONDS)
      val end = System.nanoTime + 10_000_000_000L
      while executor.getPoolSize > 0 && System.nanoTime < end do Thread.`yield`()
      executor.setThreadFactory(_ => throw IllegalStateException("no thread can be started"))
      val error = intercept[IllegalStateException](duckdb.close())
      assertEquals(error.getMessage, "no thread can be started")
      executor.setThreadFactory(threads)
      assertEquals(
        intercept[IllegalStateException](duckdb.query("select 1")).getMessage,
        "this DuckDb was closed"
      )
      duckdb.close()
      assertEquals(HandleRegistry.count, before)
      duckdb.close()

  test("a closed DuckDb leaves no entry in HandleRegistry"):
    val before = HandleRegistry.count
    Region.scoped:
      val day = Columns.tabulate[Trade](100_000)(Trade.of)
      Samples.use: duckdb =>
        duckdb.register("day", day)
        for _ <- 0 until 10 do duckdb.query(turnover)
        intercept[DuckDbException](duckdb.query("select nothing from day")): Unit
    assertEquals(HandleRegistry.count, before)

  test("two open databases do not affect each other"):
    Region.scoped:
      val (small, large) = (Rows.tabulate[Trade](10)(Trade.of), Rows.tabulate[Trade](20)(Trade.of))
      Samples.use: first =>
        Samples.use: second =>
          first.register("day", small)
          second.register("day", large)
          assertEquals(first.query("select count(*) from day")(0, 0), SqlValue.Integer(10))
          assertEquals(second.query("select count(*) from day")(0, 0), SqlValue.Integer(20))

  test("registering a table with a reference does not compile"):
    val errors = compileErrors("""
      final case class Node(next: Ref[Trade]) derives Struct
      Region.scoped(DuckDb().register("nodes", Rows[Node](1)))
    """)
    assert(errors.contains("`next` is a Ref"), errors)
end DuckDbTest
