package outside.struct

import undercroft.memory.*
import undercroft.struct.*

enum AppendedFigure derives Struct, CanEqual:
  case Disc(radius: Int)
  case Box(width: Int, height: Int)

final case class AppendedRow(id: Int, name: Text[9], note: Option[Long]) derives Struct, CanEqual

/** Views appended to growing tables, beside Vectors. */
class AppendViewTest extends undercroft.tools.Suite:
  private val seed = java.util.concurrent.ThreadLocalRandom.current.nextLong()
  private val random = scala.util.Random(seed)
  private def named(i: Int) =
    AppendedRow(i, Text.truncated[9](s"n$i€"), Option.when(random.nextBoolean())(random.nextLong()))

  /** Runs a test for each layout, in a scoped and in a shared region. */
  private def inEachTable(body: GrowingTable[AppendedRow, ? <: Layout] => Unit): Unit =
    Region.scoped:
      body(Rows.growing[AppendedRow])
      body(PackedRows.growing[AppendedRow])
      body(Columns.growingTo[AppendedRow](100_000))
    val shared = Region.shared("appends")
    try
      body(Rows.growing[AppendedRow](using shared))
      body(Columns.growingTo[AppendedRow](100_000)(using shared))
    finally shared.close()

  test("tables, slices, views and concatenated tables are appended in every layout"):
    for count <- List(0, 1, 3, 5000) do
      val values = Vector.tabulate(count)(named)
      Region.scoped:
        val (rows, packed) = (Rows.growing[AppendedRow], PackedRows.growing[AppendedRow])
        val columns = Columns.growingTo[AppendedRow](100_000)
        val source = Columns.from(values)
        rows.appendAll(source.filter(_.id % 2 == 0))
        packed.appendAll(source.map(n => n.copy(id = -n.id)))
        columns.appendAll(source)
        assertEquals(rows.toVector, values.filter(_.id % 2 == 0), s"seed $seed")
        assertEquals(packed.toVector, values.map(n => n.copy(id = -n.id)), s"seed $seed")
        assertEquals(columns.toVector, values, s"seed $seed")
        columns.appendAll(source.drop(2))
        columns.appendAll(source.reverse)
        columns.appendAll(source.take(2).concat(source, source.take(0)))
        columns.appendAll(RowsRef.from(values.take(3)))
        val expected =
          values ++ values.drop(2) ++ values.reverse ++ values.take(2) ++ values ++ values.take(3)
        assertEquals(columns.toVector, expected, s"seed $seed")
        val view: View[AppendedRow] = source
        rows.appendAll(view)
        rows.appendAll(source)
        assertEquals(rows.toVector, values.filter(_.id % 2 == 0) ++ values ++ values)

  test("a table appends its own rows as they were before"):
    inEachTable: table =>
      val values = Vector.tabulate(37)(named)
      table.appendAll(values)
      table.appendAll(table.filter(_.id % 3 == 0))
      val once = values ++ values.filter(_.id % 3 == 0)
      assertEquals(table.toVector, once, s"seed $seed")
      table.appendAll(table.slice(5, 9))
      table.appendAll(table.reverse)
      val twice = once ++ once.slice(5, 9)
      assertEquals(table.toVector, twice ++ twice.reverse, s"seed $seed")
      val all = table.toVector
      table.appendAll(table.flatMap(n => table.take(2).map(m => m.copy(id = n.id))))
      assertEquals(
        table.toVector,
        all ++ all.flatMap(n => all.take(2).map(m => m.copy(id = n.id))),
        s"seed $seed"
      )
      val view: View[AppendedRow] = table.map(n => n)
      val before = table.toVector
      table.appendAll(view)
      assertEquals(table.toVector, before ++ before)

  test("a whole table doubles when it is appended to itself"):
    Region.scoped:
      val rows = Rows.growing[AppendedRow]
      rows += named(1)
      for _ <- 1 to 12 do rows.appendAll(rows)
      assertEquals((rows.size, rows.count(_.id == 1)), (4096L, 4096L))
      val columns = Columns.growingTo[AppendedRow](64)
      columns.appendAll(List(named(1), named(2)))
      for _ <- 1 to 5 do columns.appendAll(columns.concat())
      assertEquals(columns.map(_.id).toVector, Vector.tabulate(64)(_ % 2 + 1))
      val error = intercept[IndexOutOfBoundsException](columns.appendAll(columns.take(1)))
      assertEquals(
        error.getMessage,
        "1 rows after the first 64 do not fit in a table of at most 64 rows"
      )
      assertEquals(columns.size, 64L)

  test("a view that fails appends no row"):
    inEachTable: table =>
      val values = Vector.tabulate(100)(named)
      table.appendAll(values)
      intercept[ArithmeticException]:
        table.appendAll(table.map(n => n.copy(id = 1 / (50 - n.id))))
      assertEquals(table.toVector, values)
      table += named(7)
      assertEquals(table.size, 101L)

  test("a view whose function moves the table appends every row"):
    def generic[T: Struct](table: GrowingTable[T, Aligned], view: View[T]): Unit =
      table.appendAll(view)
    val values = Vector.tabulate(5)(named)
    Region.scoped:
      val source = Rows.from(values.drop(1))
      for moves <- Seq[GrowingTable[AppendedRow, Aligned] => Any](
          _.ref(0).id,
          _.slice(0, 1).size,
          _.count(_.id > 0)
        )
      do
        val (rows, others) = (Rows.growing[AppendedRow], Rows.growing[AppendedRow])
        def moving(table: GrowingTable[AppendedRow, Aligned], row: AppendedRow): AppendedRow =
          if row.id == 2 then
            val _ = moves(table)
          row
        rows += values(0)
        rows.appendAll(source.map(row => moving(rows, row)))
        assertEquals(rows.toVector, values, s"seed $seed")
        others += values(0)
        generic(others, source.map(row => moving(others, row)))
        assertEquals(others.toVector, values, s"seed $seed")

  test("a full table rejects a view, and keeps its rows"):
    Region.scoped:
      val rows = Rows.growingTo[AppendedRow](10)
      rows.appendAll(Vector.tabulate(6)(named))
      intercept[IndexOutOfBoundsException](rows.appendAll(rows.filter(_.id >= 0)))
      assertEquals(rows.map(_.id).toVector, Vector.range(0, 6))
      rows.appendAll(rows.filter(_.id > 1))
      assertEquals(rows.map(_.id).toVector, Vector(0, 1, 2, 3, 4, 5, 2, 3, 4, 5))

  test("a view whose function appends to the table throws, and nothing is appended"):
    inEachTable: table =>
      table.appendAll(Vector.tabulate(50)(named))
      val error = intercept[IllegalStateException]:
        table.appendAll(
          table.map { n =>
            if n.id == 9 then table += named(1000)
            n
          }
        )
      assertEquals(error.getMessage, "1 rows were appended while appendAll added 50 rows")
      assertEquals(table.map(_.id).toVector, Vector.range(0, 50))

  test("a view is not appended within a batch or to a closed table"):
    Region.scoped:
      val rows = Rows.growing[AppendedRow]
      rows.appendAll(Vector.tabulate(50)(named))
      rows.appending(maxRows = 5): batch =>
        batch += named(50)
        intercept[IllegalStateException](rows.appendAll(rows.take(2)))
        intercept[IllegalStateException](rows.appendAll(rows.filter(_.id < 2)))
      assertEquals(rows.map(_.id).toVector, Vector.range(0, 51))
      val other = Rows.from(Vector(named(1)))
      rows.close()
      intercept[StaleReferenceException](rows.appendAll(other))
      intercept[StaleReferenceException](rows.appendAll(other.filter(_.id > 0)))

  test("rows of one case are not copied as bytes to a table of the enum"):
    Region.scoped:
      val figures = Rows.growing[AppendedFigure]
      val discs: View[AppendedFigure] =
        Rows.from(Vector[AppendedFigure](AppendedFigure.Disc(3), AppendedFigure.Box(1, 2)))
      figures.appendAll(discs)
      figures.appendAll(Rows.from(List(4, 5)).map(radius => AppendedFigure.Disc(radius)))
      assertEquals(
        figures.toVector,
        Vector(
          AppendedFigure.Disc(3),
          AppendedFigure.Box(1, 2),
          AppendedFigure.Disc(4),
          AppendedFigure.Disc(5)
        )
      )

  test("elements and generic code append views"):
    def twice[T: Struct](values: Vector[T]): Vector[T] =
      Region.scoped:
        val rows = Rows.growing[T]
        rows.appendAll(values)
        rows.appendAll(rows.filter(_ => true))
        rows.toVector
    assertEquals(twice(Vector(1, 2)), Vector(1, 2, 1, 2))
    Region.scoped:
      val longs = Rows.growing[Long]
      longs.appendAll(Rows.tabulate[Int](5)(i => i.toInt).map(_ * 10L))
      assertEquals(longs.toVector, Vector(0L, 10L, 20L, 30L, 40L))
end AppendViewTest
