package outside.struct

import undercroft.memory.*
import undercroft.struct.*

case class Pixel(x: Int, y: Int) derives Struct, CanEqual

/** Arguments at the ends of their types, and expressions with effects as arguments. */
class ExtremeArgumentsTest extends undercroft.tools.Suite:

  test("appendAll evaluates its argument once, whatever view it is"):
    Region.scoped:
      val rows = Rows.tabulate[Pixel](3)(i => Pixel(i.toInt, 0))
      val columns = Columns.tabulate[Pixel](3)(i => Pixel(i.toInt, 0))
      val out = Rows.growing[Pixel]
      var evaluated = 0
      def next[A](view: A): A =
        evaluated += 1
        view
      out.appendAll(next(rows))
      out.appendAll(next(rows.concat(rows)))
      out.appendAll(next(columns))
      out.appendAll(next(rows.filter(_.x > 0)))
      out.appendAll(next(rows).map(spot => Pixel(spot.x, 1)))
      out.appendAll(next(List(Pixel(9, 9))))
      assertEquals(evaluated, 6)
      assertEquals(
        out.map(_.x).toVector,
        Vector(0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 1, 2, 0, 1, 2, 9)
      )

  test("appendAll appends each batch of an iterator of tables once"):
    Region.scoped:
      val batches = Iterator.tabulate(4)(k => Rows.tabulate[Pixel](2)(i => Pixel(k, i.toInt)))
      val out = Rows.growing[Pixel]
      out.appendAll(batches.next().filter(_.y >= 0))
      out.appendAll(batches.next().map(spot => spot.copy(y = spot.y + 1)))
      assertEquals(out.toVector, Vector(Pixel(0, 0), Pixel(0, 1), Pixel(1, 1), Pixel(1, 2)))
      assertEquals(batches.size, 2)

  private def shifted[L <: Layout](tables: TableFactory[L], size: Int, by: Int): Vector[Int] =
    Region.scoped:
      val table = tables.from(List.tabulate(size)(i => Pixel(i, -i)))
      table.drop(by).copyFrom(table.take(size - by))
      assertEquals(table.map(_.y).toVector, table.map(spot => -spot.x).toVector)
      table.map(_.x).toVector

  test("rows are copied to later rows of the same table at each size and distance"):
    for size <- 1 to 40; by <- 0 to size do
      val expected = (0 until by).toVector ++ (0 until size - by)
      assertEquals(shifted(Rows, size, by), expected, s"rows $size $by")
      assertEquals(shifted(PackedRows, size, by), expected, s"packed rows $size $by")
      assertEquals(shifted(Columns, size, by), expected, s"columns $size $by")

  test("a negative count of rows to append is an error"):
    Region.scoped:
      val out = Rows.growing[Pixel]
      val error = intercept[IllegalArgumentException](out.appendAll(-3)(i => Pixel(i.toInt, 0)))
      assertEquals(error.getMessage, "count must be at least 0, but is -3 rows")
      assertEquals(out.size, 0L)

  test("a size beyond the address space is an InvalidSizeException, however large"):
    Region.scoped:
      for size <- List(Long.MaxValue, Long.MaxValue / 3, Long.MaxValue / 8 + 1, 1L << 59) do
        intercept[InvalidSizeException](Rows[Pixel](size)): Unit
        intercept[InvalidSizeException](Columns[Pixel](size)): Unit
        intercept[InvalidSizeException](StructMap[Int, Int](expected = size)): Unit
        intercept[InvalidSizeException](StructSet[Pixel](expected = size)): Unit

  test("rows at the end of the numbers are out of range, with their numbers"):
    Region.scoped:
      val rows = Rows[Pixel](3)
      val at = Long.MaxValue - 1
      val expected = s"rows [$at, ${Long.MaxValue}) are not within [0, 3)"
      val array = new Array[Pixel](2)
      assertEquals(
        intercept[IndexOutOfBoundsException](rows.copyTo(array, at = at)).getMessage,
        expected
      )
      assertEquals(
        intercept[IndexOutOfBoundsException](
          rows.copyFrom(Array(Pixel(1, 2), Pixel(3, 4)), at = at)
        ).getMessage,
        expected
      )

  test("a number of TiB that a Long cannot count in bytes is an error"):
    assertEquals(8388607.TiB, 8388607L << 40)
    assertEquals(
      intercept[ArithmeticException](Int.MaxValue.TiB).getMessage,
      "2147483647 TiB are not in [-8388608, 8388607] TiB"
    )

  test("a tabulate whose function closes the region throws an error with the region's name"):
    val region = Region.shared(name = "short")
    val error = intercept[StaleReferenceException]:
      Rows.tabulate[Pixel](10)(i =>
        if i == 5 then region.close(); Pixel(i.toInt, 0)
      )(using
        region
      ): Unit
    assert(error.getMessage.contains("short"), error.getMessage)
end ExtremeArgumentsTest
