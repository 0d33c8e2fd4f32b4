package undercroft.struct

import undercroft.memory.Region

class GenericTest extends munit.FunSuite:
  private def reversed[T, L <: Layout](source: Table[T, L], target: Table[T, L]): Unit =
    var i = 0L
    while i < source.size do
      target(source.size - 1 - i) = source(i)
      i += 1

  test("code over any struct and layout stores and loads"):
    Region.scoped:
      val lines = Vector.tabulate(5)(i => Line(i == 2, Point(i.toShort, i), Point(1, 2), i.toByte))
      val (rows, packed, columns) = (Rows.from(lines), PackedRows.from(lines), Columns.from(lines))
      reversed(packed, PackedRows[Line](5))
      val target = Columns[Line](5)
      reversed(columns, target)
      assertEquals(target.toVector, lines.reverse)
      assertEquals(rows.map(_.from.x).toVector, lines.map(_.from.x))

  test("wide structs are whole in every layout"):
    Region.scoped:
      val rows = Rows[Wide128](3)
      val columns = Columns[Wide128](3)
      rows.updateAt(1)(_.f127)(_ => 127)
      rows.updateAt(1)(_.f0)(_ => 1)
      columns.setFrom(rows)(wide => wide)
      assertEquals(columns(1), rows(1))
      assertEquals((rows(1).f0, rows(1).f1, rows(1).f127), (1, 0, 127))
      assertEquals(rows(0).f127, 0)
end GenericTest
