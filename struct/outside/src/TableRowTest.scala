package outside.struct

import java.lang.foreign.Arena
import undercroft.memory.*
import undercroft.struct.*
import undercroft.struct.unsafe.*

case class Spot(x: Int, y: Long) derives Struct, CanEqual
case class Marker(
    id: Short,
    at: Spot,
    @bigEndian code: Int,
    name: Text[8],
    cells: InlineArray[Int, 3],
    best: Option[Long]
) derives Struct,
      CanEqual

case class Price(price: Int, size: Int) derives Struct, CanEqual:
  def price(factor: Int): Int = price * factor

/** Rows by index in every layout, and in memory that has no references. */
class TableRowTest extends undercroft.tools.Suite:

  private def marker(i: Int): Marker =
    Marker(i.toShort, Spot(i, i * 2L), i, Text[8](s"m$i"), InlineArray(i, i + 1, i + 2), Some(i))

  test(
    "the fields of a row are read and stored by name, in rows, packed rows, columns, C's memory"
  ):
    Region.scoped:
      val memory = Arena.global.allocate(20L * Struct[Marker].size, 8)
      val ofC = Rows.overPointer[Marker](memory, 20)
      val (rows, packed, columns) = (Rows[Marker](20), PackedRows[Marker](20), Columns[Marker](20))
      for i <- 0 until 20 do
        ofC(i) = marker(i)
        rows(i) = marker(i)
        packed(i) = marker(i)
        columns(i) = marker(i)
      val row = ofC.row(7)
      assertEquals(row.id, 7.toShort)
      assertEquals(row.at.x, 7)
      assertEquals(row.code, 7)
      assertEquals(row.name.string, "m7")
      assertEquals(row.cells(2), 9)
      assertEquals(row.best, Some(7L))
      assertEquals(row(), marker(7))
      row.id = 70
      row.at = Spot(1, 2)
      row.code = 0x01020304
      row.name = Text[8]("seven")
      row.best = None
      row.update(_.at.y)(_ + 40)
      row.id = (row.id + 1).toShort
      row.id = 70
      row.update(_.cells(0))(_ * 10)
      val changed =
        Marker(70, Spot(1, 42), 0x01020304, Text[8]("seven"), InlineArray(70, 8, 9), None)
      assertEquals(ofC(7), changed)
      assertEquals(ofC(6), marker(6))
      assertEquals(ofC(8), marker(8))
      row() = marker(9)
      assertEquals(ofC(7), marker(9))
      columns.row(3).at = Spot(5, 6)
      packed.row(3).at = Spot(5, 6)
      rows.row(3).at = Spot(5, 6)
      assertEquals(columns(3), marker(3).copy(at = Spot(5, 6)))
      assertEquals((rows.row(3)(), packed.row(3).at), (columns(3), Spot(5, 6)))
      assertEquals(columns.slice(2, 5).row(1).at.x, 5)

  test("a row is bounded, and is an error after the close of its region"):
    val region = Region.shared("frames")
    val rows = Rows.overPointer[Spot](Arena.global.allocate(160, 8), 10)(using region)
    for index <- List(-1L, 10L, Long.MaxValue) do
      intercept[IndexOutOfBoundsException](rows.row(index)): Unit
    val row = rows.row(9)
    row.y = 3 // an Int widens, as in Scala
    assertEquals(row(), Spot(0, 3))
    intercept[ArithmeticException](row.x = 1 / (row.x - 0)): Unit
    assertEquals(row(), Spot(0, 3))
    region.close()
    intercept[RegionClosedException](row.x): Unit
    intercept[RegionClosedException](row.x = 1): Unit
    intercept[RegionClosedException](row()): Unit
    intercept[RegionClosedException](row.update(_.y)(_ + 1)): Unit
    val table = Region.named("day")(Columns[Spot](3).row(1))
    intercept[StaleReferenceException](table.y): Unit

  test("a wrong field or value of a row does not compile, and the error says why"):
    val unknown = compileErrors("def f(row: TableRow[Spot, Columnar]) = row.z")
    assert(unknown.contains("z"), unknown)
    val value = compileErrors("""def f(row: TableRow[Spot, Columnar]) = row.x = "a" """)
    assert(value.contains("field `x` of Spot is of type"), value)
    val generic = compileErrors("def f[T](row: TableRow[T, Aligned]): Any = row.x")
    assert(generic.nonEmpty && !generic.contains("Exception"), generic)

  test("a field with an overloaded name, and the fields of a named tuple, are read and stored"):
    Region.scoped:
      val prices = Columns.from(List(Price(1, 2), Price(3, 4)))
      assertEquals(prices.row(1).price, 3)
      prices.row(1).price = 5
      assertEquals(prices(1), Price(5, 4))
      val points = Columns.from(List((x = 1, y = 2.5), (x = 3, y = 4.5)))
      assertEquals(points.row(1).x, 3)
      points.row(1).y = 9.5
      assertEquals(points.row(1).y, 9.5)
      assertEquals(points(1).x, 3)
    val called = compileErrors("def f(row: TableRow[Price, Columnar]) = row.price(2)")
    assert(called.nonEmpty && !called.contains("Exception"), called)
end TableRowTest
