package outside.struct

import undercroft.memory.*
import undercroft.struct.*

case class Nook(x: Int, y: Int) derives Struct, CanEqual
case class Kinds(
    flag: Boolean,
    byte: Byte,
    short: Short,
    char: Char,
    int: Int,
    long: Long,
    float: Float,
    double: Double,
    at: Nook,
    self: Ref[Nook],
    text: TextRef
) derives Struct

case class Limits(price: Option[Int], at: Option[Nook], cells: Option[InlineArray[Int, 2]])
    derives Struct,
      CanEqual

/** A field that is read by `rows.ref(i).field`, in one expression and by a reference with a name.
  */
class RefFieldTest extends undercroft.tools.Suite:

  private def kinds(i: Long)(using Allocator): Kinds = Kinds(
    i % 2 == 0,
    i.toByte,
    (i * 300).toShort,
    ('a' + i).toChar,
    i.toInt * 100000,
    i << 40,
    i / 3f,
    i / 7d,
    Nook(i.toInt, -i.toInt),
    Ref(Nook(7, i.toInt)),
    TextRef(s"text $i")
  )

  test("fields of every kind are equal to those of a reference with a name"):
    Region.scoped:
      val (aligned, packed) = (Rows.tabulate[Kinds](9)(kinds), PackedRows.tabulate[Kinds](9)(kinds))
      for i <- 0 until 9 do
        val (a, b) = (aligned.ref(i), packed.ref(i))
        assertEquals((aligned.ref(i).flag, packed.ref(i).flag), (a.flag, b.flag))
        assertEquals((aligned.ref(i).byte, packed.ref(i).byte), (a.byte, b.byte))
        assertEquals((aligned.ref(i).short, packed.ref(i).short), (a.short, b.short))
        assertEquals((aligned.ref(i).char, packed.ref(i).char), (a.char, b.char))
        assertEquals((aligned.ref(i).int, packed.ref(i).int), (a.int, b.int))
        assertEquals((aligned.ref(i).long, packed.ref(i).long), (a.long, b.long))
        assertEquals((aligned.ref(i).float, packed.ref(i).float), (a.float, b.float))
        assertEquals((aligned.ref(i).double, packed.ref(i).double), (a.double, b.double))
        assertEquals((aligned.ref(i).at.y, packed.ref(i).at.y), (-i, -i))
        assertEquals((aligned.ref(i).self.y, packed.ref(i).self.y), (i, i))
        assertEquals(
          (aligned.ref(i).text.toString, packed.ref(i).text.toString),
          (s"text $i", s"text $i")
        )

  test("the content of an Option is read if there is one, and is not stored alone"):
    Region.scoped:
      val limits = Ref(Limits(None, None, None))
      intercept[NoSuchElementException](limits.price.get): Unit
      intercept[NoSuchElementException](limits.at.get.x): Unit
      intercept[NoSuchElementException](limits.at.get()): Unit
      intercept[NoSuchElementException](limits.cells.get(1)): Unit
      val full = Limits(Some(5), Some(Nook(1, 2)), Some(InlineArray[Int, 2](3, 4)))
      limits() = full
      assertEquals((limits.price.get, limits.at.get.x, limits.cells.get(1)), (5, 1, 4))
      assertEquals(limits.at.get(), Nook(1, 2))
      limits.at.get.x = 7
      assertEquals(limits(), full.copy(at = Some(Nook(7, 2))))
    for
      errors <- List(
        compileErrors("def f(r: Ref[Limits]): Unit = r.price.get = 5"),
        compileErrors("def f(r: Ref[Limits]): Unit = r.price.isDefined = true")
      )
    do
      assert(errors.contains("of an Option cannot be stored alone: store the Option by"), errors)

  test("table and index are evaluated once, in this order"):
    Region.scoped:
      val rows = Rows.tabulate[Nook](4)(i => Nook(i.toInt, 0))
      val log = StringBuilder()
      def table() =
        log ++= "table "; rows
      def index() =
        log ++= "index "; 3L
      assertEquals(table().ref(index()).x, 3)
      assertEquals(log.result(), "table index ")
      log.clear()
      def wrong() =
        log ++= "wrong "; 4L
      val error = intercept[IndexOutOfBoundsException](table().ref(wrong()).x)
      assertEquals(error.getMessage, "Index 4 out of bounds for length 4")
      assertEquals(log.result(), "table wrong ")

  test("after the close of the region the read throws, as a reference does"):
    val region = Region.shared()
    val rows = Rows.tabulate[Nook](4)(i => Nook(i.toInt, 0))(using region)
    val ref = rows.ref(2)
    assertEquals(rows.ref(2).x, 2)
    region.close()
    val other = intercept[StaleReferenceException](ref.x).getMessage
    assertEquals(intercept[StaleReferenceException](rows.ref(2).x).getMessage, other)

  test("another thread reads fields of a scoped region, as by a reference with a name"):
    Region.scoped:
      val rows = Rows.tabulate[Nook](4)(i => Nook(i.toInt, 0))
      var (direct, named) = (0, 0)
      val thread = Thread: () =>
        direct = rows.ref(2).x
        val ref = rows.ref(2)
        named = ref.x
      thread.start()
      thread.join()
      assertEquals((direct, named), (2, 2))

  test("a table that grows between reads"):
    Region.scoped:
      val rows = Rows.growing[Nook]
      for i <- 0 until 100000 do
        rows += Nook(i, -i)
        assertEquals(rows.ref(i).y, -i)
        assertEquals(rows.ref(i / 2).x, i / 2)
      val first = rows.ref(0)
      rows += Nook(1, 2)
      assertEquals((first.x, rows.ref(100000).y), (0, 2))

  test("a function of a generic table, which is inline"):
    inline def sum[T, L <: Layout](table: Table[T, L])(inline f: Long => Int): Int =
      (0L until table.size).map(f).sum
    Region.scoped:
      val rows = Rows.tabulate[Nook](4)(i => Nook(i.toInt, 0))
      assertEquals(sum(rows)(i => rows.ref(i).x), 6)
end RefFieldTest
