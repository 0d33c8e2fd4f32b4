package undercroft.struct

import undercroft.memory.Region
import undercroft.testkit.{assertAllocates, bytesPerCall}

class GenericTest extends undercroft.tools.Suite:
  private def reversed[T, L <: Layout](source: Table[T, L], target: Table[T, L]): Unit =
    var i = 0L
    while i < source.size do
      target(source.size - 1 - i) = source(i)
      i += 1

  test("generic code over any struct and layout stores and loads rows"):
    Region.scoped:
      val lines = Vector.tabulate(5)(i => Line(i == 2, Point(i.toShort, i), Point(1, 2), i.toByte))
      val (rows, packed, columns) = (Rows.from(lines), PackedRows.from(lines), Columns.from(lines))
      reversed(packed, PackedRows[Line](5))
      val target = Columns[Line](5)
      reversed(columns, target)
      assertEquals(target.toVector, lines.reverse)
      assertEquals(rows.map(_.from.x).toVector, lines.map(_.from.x))

  test("a struct of 128 fields is stored and loaded in rows and columns"):
    Region.scoped:
      val rows = Rows[Wide128](3)
      val columns = Columns[Wide128](3)
      rows.updateAt(1)(_.f127)(_ => 127)
      rows.updateAt(1)(_.f0)(_ => 1)
      columns.setFrom(rows)(wide => wide)
      assertEquals(columns(1), rows(1))
      assertEquals((rows(1).f0, rows(1).f1, rows(1).f127), (1, 0, 127))
      assertEquals(rows(0).f127, 0)

  private inline def total[T, L <: Layout](table: Table[T, L])(inline f: T => Long): Long =
    table.foldLeft(0L)((sum, row) => sum + f(row))

  private inline def raise[T, L <: Layout](table: Table[T, L], index: Long)(
      inline field: T => Int
  ): Unit = table.updateAt(index)(field)(_ + 1)

  private def called[T, L <: Layout](table: Table[T, L])(f: T => Long): Long =
    table.foldLeft(0L)((sum, row) => sum + f(row))

  test("an inline generic function is specialized for the types of each use"):
    Region.scoped:
      val rows = Rows.tabulate[Trade](100)(i => Trade(i.toInt, 2, 3, buy = true))
      val columns = Columns.tabulate[Trade](100)(i => Trade(i.toInt, 2, 3, buy = true))
      val wide = Rows[Wide64](100)
      raise(wide, 7)(_.f63)
      assertEquals(total(wide)(_.f63), 1L)
      assertEquals(total(rows)(_.balance), called(rows)(_.balance))
      assertEquals(total(columns)(_.ticket), called(columns)(_.ticket))
      // A whole row of 64 fields would be allocated: only the field is read.
      assertAllocates(0) { sink += total(wide)(_.f63) }
      assertAllocates(0) { sink += total(columns)(_.balance) }
      assertAllocates(0) { raise(rows, 3)(_.price) }
      var sum: Any = ""
      val ofRows = bytesPerCall { sum = total(wide)(row => row.hashCode.toLong) }
      assert(ofRows > 100 * 64, s"$ofRows bytes")
      assert(sum.toString.nonEmpty)

  var sink = 0L

  test("an operation that needs a known type does not compile, and the error names the cure"):
    val cure = "make the method around it inline"
    def says(errors: String)(using munit.Location): Unit = assert(errors.contains(cure), errors)
    says(
      compileErrors("def f[T, L <: Layout](t: Table[T, L], g: T => Int) = t.updateAt(0)(g)(_ + 1)")
    )
    says(
      compileErrors("def f[T, L <: Layout](t: Table[T, L], g: T => Int) = t.updateAll(g)(_ + 1)")
    )
    says(compileErrors("def f[T, L <: Layout](t: Table[T, L], g: T => T) = t.transform(g)"))
    says(compileErrors("def f[T, L <: Layout](t: Table[T, L], g: T => T) = t.transformAt(0)(g)"))
    says(
      compileErrors("def f[T, L <: Layout](a: Table[T, L], b: Table[T, L]) = a.setFrom(b)(x => x)")
    )
    says(compileErrors("def f[T: Struct](g: Long => T)(using Region) = Rows.tabulate[T](3)(g)"))
    says(compileErrors("def f[L <: Layout](t: Table[Trade, L]) = t.sortInPlaceBy(_.price)"))
    says(compileErrors("def f[T, L <: Layout](t: Table[T, L])(using Region) = t.distinct"))
    says(compileErrors("def f[T, K](t: Rows[T], k: T => K)(using Region) = t.groupBy(k)"))
    assert(
      compileErrors("def f[T](using Region) = Rows[T](3)").contains("has no Struct"),
      compileErrors("def f[T](using Region) = Rows[T](3)")
    )
end GenericTest
