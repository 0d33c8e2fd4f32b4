package undercroft.struct

import java.lang.foreign.ValueLayout.JAVA_BYTE
import undercroft.memory.{Allocator, Malloc, Region, StaleReferenceException}

enum ColumnMark derives Struct:
  case Dot(size: Byte)
  case Box(width: Long, height: Long)

class AppendTest extends undercroft.tools.Suite:
  private def trade(i: Long) = Trade(i.toInt, i.toInt * 2, 3, i % 3 == 0)

  private inline def appends[L <: Layout](make: Long => GrowingTable[Trade, L]): Unit =
    val rows = make(200_000)
    rows += trade(-1)
    rows.appendAll(70_000)(i => trade(i))
    rows.appendAll(0)(i => trade(i))
    intercept[IllegalArgumentException](rows.appendAll(-1)(i => trade(i))): Unit
    assertEquals(rows.size, 70_001L)
    assertEquals(rows.slice(0, 3).toVector, Vector(trade(-1), trade(0), trade(1)))
    assertEquals(rows.sumOf(_.ticket), (0L until 70_000L).sum - 1)

    intercept[ArithmeticException](rows.appendAll(70_000)(i => trade(1 / (69_000 - i))))
    val full = intercept[IndexOutOfBoundsException](rows.appendAll(130_000)(i => trade(i)))
    assert(full.getMessage.contains("130000 rows after the first 70001"), full.getMessage)
    assert(full.getMessage.contains("200000"), full.getMessage)
    val twice = intercept[IllegalStateException]:
      rows.appendAll(2): i =>
        rows += trade(9)
        trade(i)
    assert(
      twice.getMessage.contains("2 rows were appended while appendAll added 2 rows"),
      twice.getMessage
    )
    assertEquals(rows.size, 70_001L)
    assertEquals(rows.sumOf(_.ticket), (0L until 70_000L).sum - 1)

    rows.appendAll(1)(_ => trade(7))
    assertEquals(rows(70_001), trade(7))
    intercept[StaleReferenceException]:
      rows.appendAll(1_000): i =>
        if i == 500 then rows.close()
        trade(i)
    intercept[StaleReferenceException](rows.appendAll(1)(i => trade(i))): Unit
  end appends

  test("appendAll with a count appends all rows or none"):
    Region.scoped:
      appends(Rows.growingTo[Trade](_))
      appends(PackedRows.growingTo[Trade](_))
      appends(Columns.growingTo[Trade](_))
    val shared = Region.shared("morning")
    try appends(PackedRows.growingTo[Trade](_)(using shared))
    finally shared.close()

  test("an append that was checked before a close on another thread stores in the table's memory"):
    val tables = List[Allocator => GrowingTable[Trade, ? <: Layout]](
      allocator => Rows.growing[Trade](using allocator),
      allocator => PackedRows.growing[Trade](using allocator),
      allocator => Columns.growingTo[Trade](1000)(using allocator)
    )
    def closes(allocator: Allocator)(close: GrowingTable[Trade, ?] => Unit): Unit =
      for make <- tables do
        val table = make(allocator)
        table.appendValue(trade(1))
        val row = table.next()
        val place = table.start
        close(table)
        assertEquals((row, table.start), (1L, place))
        intercept[StaleReferenceException](table.appendValue(trade(2))): Unit
        assertEquals(table.size, 1L)
    closes(Malloc)(_.close())
    val shared = Region.shared("morning")
    try closes(shared)(_.close())
    finally shared.close()

  test("an append that was checked before another thread closes an empty block stores in it"):
    val shared = Region.shared("empty")
    try
      val table = Rows.growing[Trade](using shared)
      val row = table.next()
      val place = table.start
      val other = Thread(() => table.close())
      other.start()
      other.join()
      assertEquals((row, table.start), (0L, place))
      intercept[StaleReferenceException](table.appendValue(trade(2))): Unit
    finally shared.close()

  test("rows of an enum that are appended to columns have no bytes of an earlier owner"):
    Region.scoped:
      PackedRows[Long](50_000).segment.fill(-1): Unit
    Region.scoped:
      val marks = Columns.growingTo[ColumnMark](10_000)
      marks.appendAll(Vector.fill[ColumnMark](10_000)(ColumnMark.Dot(1)))
      for leaf <- marks.struct.columns do
        val column = marks.memory.asSlice(
          marks.capacity * leaf.column,
          marks.size * leaf.kind.size
        )
        assert(!column.toArray(JAVA_BYTE).nn.contains(-1.toByte), leaf.toString)
end AppendTest
