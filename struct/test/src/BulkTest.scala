package undercroft.struct

import java.lang.foreign.{MemorySegment, ValueLayout}
import undercroft.memory.Region

class BulkTest extends undercroft.tools.Suite:
  private val trades = Array.tabulate(100)(i => Trade(i, i * 2, i * 3, i % 3 == 0))

  test("rows are copied from a heap array and back"):
    Region.scoped:
      val rows = PackedRows[Trade](102)
      rows.copyFrom(trades, at = 1)
      val back = new Array[Trade](100)
      rows.copyTo(back, at = 1)
      assertEquals(back.toList, trades.toList)
      assertEquals(rows(101), Trade(0, 0, 0, false))
      assertEquals(
        intercept[IndexOutOfBoundsException](rows.copyFrom(trades, at = 3)).getMessage,
        "rows [3, 103) are not within [0, 102)"
      )

  test("copyFrom copies a table of the same layout"):
    Region.scoped:
      def copied[L <: Layout](tables: TableFactory[L]) =
        val source = tables.from(trades)
        val target = tables[Trade](10)
        target.copyFrom(source.slice(20, 30))
        assertEquals(target.toVector, trades.toVector.slice(20, 30))
      copied(Rows)
      copied(PackedRows)
      copied(Columns)

  test("the segment of a table has the bytes of a C array of structs"):
    Region.scoped:
      val rows = Rows.from(trades)
      assertEquals(rows.segment.byteSize, 1600L)
      assertEquals(rows.segment.get(ValueLayout.JAVA_INT, 16 * 7 + 8), 21)
      val copy = Rows[Trade](100)
      copy.segment.copyFrom(rows.segment)
      assertEquals(copy.toVector, trades.toVector)

  test("a column is a segment of its type that is copied to and from the heap"):
    Region.scoped:
      val columns = Columns.from(trades).slice(10, 20)
      val prices = columns.column(_.price)
      assertEquals(
        prices.toArray(ValueLayout.JAVA_INT).toList,
        (10 until 20).map(_ * 3).toList
      )
      MemorySegment.copy(Array.fill(10)(7), 0, prices, ValueLayout.JAVA_INT, 0, 10)
      assertEquals(columns.sumOf(_.price), 70L)

  test("toArray copies values and rows to a heap array"):
    Region.scoped:
      val rows = Rows.from(trades)
      assertEquals(rows.map(_.price).toArray.toList, trades.map(_.price).toList)
      assertEquals(rows.filter(_.buy).toArray.toList, trades.filter(_.buy).toList)

  test("appended rows in reused memory have zeroed padding"):
    def lines(fill: GrowingTable[Line, Aligned] => Unit): (Long, Vector[Byte]) =
      Region.scoped:
        val rows = Rows.growingTo[Line](1000)
        fill(rows)
        val bytes = rows.segment.toArray(ValueLayout.JAVA_BYTE).toVector
        (Ref.address(rows.ref(0)).offset, bytes)
    val (dirty, _) = lines: rows =>
      for _ <- 0 until 1000 do rows += Line(true, Point(-1, -1), Point(-1, -1), -1)
      rows.segment.fill(-1): Unit
    val (clean, bytes) = lines: rows =>
      for _ <- 0 until 500 do rows += Line(false, Point(0, 0), Point(0, 0), 0)
      rows.appendAll(List.fill(500)(Line(false, Point(0, 0), Point(0, 0), 0)))
    assertEquals(clean, dirty, "the same memory is used again")
    assert(bytes.forall(_ == 0))
end BulkTest
