package undercroft.struct

import undercroft.memory.{Malloc, Region, StaleReferenceException}
import undercroft.testkit.{assertAllocates, bytesPerCall}

/** Fields of every width, more than the JIT reads field by field, and a text among them. */
case class WideMixed(
    head: Int,
    a: Wide16,
    small: Byte,
    b: Wide16,
    flag: Boolean,
    name: Text[11],
    d: Double,
    s: Short,
    f: Float,
    c: Wide8,
    last: Char
) derives Struct,
      CanEqual

/** Whole rows of more than 18 words, which are read through the cage. */
class WideRowsTest extends undercroft.tools.Suite:
  private def wide16(i: Int) =
    Wide16(i, -i, 2, 3, i, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, Int.MinValue + i)
  private def mixed(i: Int) =
    WideMixed(
      i,
      wide16(i),
      (-i).toByte,
      wide16(i + 1),
      i % 2 == 0,
      Text("names " + i % 100),
      if i % 3 == 0 then -0.0 else i / 3.0,
      (i * 7).toShort,
      -1.5f * i,
      Wide8(i, 1, 2, 3, 4, 5, 6, -i),
      (i * 31).toChar
    )
  private val count = 2000 // rows of some 190 bytes: several cross a page

  test("wide rows are stored and loaded in every layout and across page ends"):
    Region.scoped:
      val values = Vector.tabulate(count)(mixed)
      val (rows, packed, columns) =
        (Rows.from(values), PackedRows.from(values), Columns.from(values))
      val growing = Rows.growingTo[WideMixed](count)
      values.foreach(value => growing += value)
      val slice = rows.slice(1000, 1500)
      for i <- values.indices do
        assertEquals(rows(i), values(i))
        assertEquals(packed(i), values(i))
        assertEquals(columns(i), values(i))
        assertEquals(growing(i), values(i))
      for i <- 0 until 500 do assertEquals(slice(i), values(1000 + i))
      assertEquals(rows.foldLeft(0L)((sum, row) => sum + row.hashCode), total(values))
      assertEquals(packed.foldLeft(0L)((sum, row) => sum + row.hashCode), total(values))
      assertEquals(slice.filter(_.flag).toVector, values.slice(1000, 1500).filter(_.flag))
      assertEquals(rows.reverse.toVector, values.reverse)
      rows.transformAt(7)(row => row.copy(small = 77))
      assertEquals(rows(7), values(7).copy(small = 77))

  private def total(values: Vector[WideMixed]) = values.map(_.hashCode.toLong).sum

  test("wide rows in a block of Malloc are stored and loaded"):
    val rows = Rows[WideMixed](3)(using Malloc)
    rows(1) = mixed(9)
    assertEquals(rows(1), mixed(9))
    assertEquals(rows.map(row => row).toVector(1), mixed(9))
    Malloc.free(rows.address)
    intercept[StaleReferenceException](rows(1))

  test("reading a wide row out of bounds, on another thread or in a closed region throws"):
    val closed = Region.named("noon"):
      val rows = Rows.from(Vector.tabulate(10)(mixed))
      intercept[IndexOutOfBoundsException](rows(10))
      intercept[IndexOutOfBoundsException](rows(-1))
      val thread = Thread(() => intercept[WrongThreadException](rows(0)): Unit)
      var thrown: Option[Throwable] = None
      thread.setUncaughtExceptionHandler((_, error) => thrown = Some(error))
      thread.start()
      thread.join()
      assertEquals(thrown, None)
      rows
    val error = intercept[StaleReferenceException](closed(3))
    assert(error.getMessage.contains("noon"), error.getMessage)
    val folded =
      intercept[StaleReferenceException](closed.foldLeft(0)((sum, row) => sum + row.head))
    assert(folded.getMessage.contains("noon"), folded.getMessage)

  test("reading a row of 32 fields allocates nothing, and of 48 fields at most the row object"):
    Region.scoped:
      val (a, b) = (Rows[Wide32](100), PackedRows[Wide48](100))
      b.updateAll(_.f47)(_ + 3)
      assertAllocates(0) { sink += sum32(a) }
      // The JIT inlines a constructor of 48 parameters only if its profile calls it frequent, which
      // it does not always on a loaded machine: then a row costs its object, and nothing else.
      val objects = 100 * (16 + 48 * 4)
      val loop = bytesPerCall { sink += sum48(b) }
      assert(loop <= objects, s"$loop bytes")
      val fold = bytesPerCall:
        sink += b.foldLeft(0L)((sum, row) => sum + row.f0 + row.f47)
      assert(fold <= objects, s"$fold bytes")
      assertEquals(sum48(b), 300L)

  private def sum32(rows: Rows[Wide32]): Long =
    var sum = 0L
    var i = 0
    while i < 100 do
      val row = rows(i)
      sum += row.f0 + row.f31
      i += 1
    sum

  private def sum48(rows: PackedRows[Wide48]): Long =
    var sum = 0L
    var i = 0
    while i < 100 do
      val row = rows(i)
      sum += row.f0 + row.f17 + row.f47
      i += 1
    sum

  var sink = 0L
end WideRowsTest
