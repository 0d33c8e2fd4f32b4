package undercroft.struct

import java.lang.foreign.ValueLayout.JAVA_BYTE
import scala.compiletime.testing.typeCheckErrors
import undercroft.memory.{Malloc, Region}
import undercroft.testkit.assertAllocates

case class Board(
    before: Byte,
    cells: InlineArray[InlineArray[Short, 3], 2],
    flags: InlineArray[Boolean, 3],
    weights: InlineArray[Double, 2],
    extra: Option[InlineArray[Char, 2]],
    after: Byte
) derives Struct,
      CanEqual

case class Every8(
    a: InlineArray[Boolean, 2],
    b: InlineArray[Byte, 3],
    c: InlineArray[Short, 2],
    d: InlineArray[Char, 2],
    e: InlineArray[Int, 3],
    f: InlineArray[Long, 1],
    g: InlineArray[Float, 2],
    h: InlineArray[Double, 2]
) derives Struct,
      CanEqual

enum Shot derives Struct, CanEqual:
  case Burst(at: InlineArray[Int, 4])
  case None

class InlineArrayTest extends undercroft.tools.Suite:
  var sum = 0L

  private def board(n: Int): Board = Board(
    -1,
    InlineArray(InlineArray((n * 2).toShort, 2, 3), InlineArray(-1, -2, n.toShort)),
    InlineArray(n % 2 == 0, true, false),
    InlineArray(n * 0.5, -0.0),
    Option.when(n % 3 == 0)(InlineArray('\uffff', n.toChar)),
    -1
  )
  private val boards = Vector.tabulate(7)(board)

  private inline def holds[T: Struct](values: Vector[T]): Unit =
    Region.scoped:
      def generic[L <: Layout](tables: TableFactory[L]): Unit =
        val table = tables.from(values)
        assertEquals(table.toVector, values)
      generic(Rows)
      generic(PackedRows)
      generic(Columns)
      val (rows, packed, columns) =
        (Rows[T](values.size), PackedRows[T](values.size), Columns[T](values.size))
      for i <- values.indices do
        rows(i) = values(i)
        packed(i) = values(i)
        columns(i) = values(i)
      for i <- values.indices do
        assertEquals(
          (rows(i), packed(i), columns(i), rows.ref(i)(), packed.ref(i)()),
          (values(i), values(i), values(i), values(i), values(i))
        )
      rows.ref(0)() = values.last
      assertEquals(rows(0), values.last)

  test("InlineArrays of primitives are stored and loaded in every layout"):
    holds(boards)
    holds(
      Vector(
        Every8(
          InlineArray(true, false),
          InlineArray(1, -1, 127),
          InlineArray(Short.MinValue, 1),
          InlineArray('a', '\ud800'),
          InlineArray(Int.MaxValue, 0, -1),
          InlineArray(Long.MinValue),
          InlineArray(-0f, Float.MinPositiveValue),
          InlineArray(Double.MaxValue, -0.0)
        )
      )
    )
    holds(Vector[Shot](Shot.Burst(InlineArray(1, 2, 3, 4)), Shot.None))

  test("InlineArrays of primitives have the layout of C arrays"):
    assertEquals(
      Struct[Board].layout.show,
      """Board: 48 bytes, aligned to 8
        |       0    1  before               Byte
        |       1    1  (padding)
        |       2   12  cells                Short[6]
        |      14    3  flags                Boolean[3]
        |      17    7  (padding)
        |      24   16  weights              Double[2]
        |      40    1  extra.isDefined      Boolean
        |      41    1  (padding)
        |      42    4  extra.get            Char[2]
        |      46    1  after                Byte
        |      47    1  (padding)""".stripMargin
    )

  test("elements of an InlineArray are read and stored through references and in loops"):
    Region.scoped:
      val rows = Rows.from(boards)
      val packed = PackedRows.from(boards)
      val ref = rows.ref(2)
      assertEquals(ref.cells(0)(0), 4.toShort)
      ref.cells(1)(2) = 40
      assertEquals(
        rows(2),
        boards(2).copy(cells = InlineArray(InlineArray(4, 2, 3), InlineArray(-1, -2, 40)))
      )
      ref.cells(1) = InlineArray[Short, 3](7, 8, 9)
      assertEquals(
        rows(2).cells,
        InlineArray[InlineArray[Short, 3], 2](InlineArray(4, 2, 3), InlineArray(7, 8, 9))
      )
      ref.flags(2) = true
      assertEquals(rows(2).flags.toVector, Vector(true, true, true))
      packed.ref(3).weights(1) = 2.5
      assertEquals(packed.ref(3).weights(1) + packed.ref(3).weights(0), 4.0)
      assertEquals(packed(2), boards(2))
      assertEquals(packed(4), boards(4))
      assertEquals(packed.sumOf(_.cells(0)(0)), boards.map(_.cells(0)(0).toLong).sum)
      val columns = Columns.from(boards)
      assertEquals(columns.sumOf(_.weights(0)), boards.map(_.weights(0)).sum)
      for i <- 0 until 2 do
        assertEquals(columns.map(_.cells(i)(2 - i)).toVector, boards.map(_.cells(i)(2 - i)))

  test("reading and storing elements of an InlineArray allocates nothing"):
    Region.scoped:
      val (rows, columns) = (Rows.from(boards), Columns.from(boards))
      assertAllocates(0) { sum += rows.ref(2).cells(1)(2) }
      assertAllocates(0) { rows.ref(2).cells(1)(2) = sum.toShort }
      assertAllocates(0) { sum += rows.sumOf(_.cells(1)(2)) }
      assertAllocates(0) { sum += columns.sumOf(_.weights(1)).toLong }

  test("an index out of bounds throws an exception with index and length and changes nothing"):
    Region.scoped:
      val rows = Rows.from(boards)
      for index <- List(-1, 3, Int.MinValue, Int.MaxValue) do
        val error = intercept[IndexOutOfBoundsException](rows.ref(1).cells(0)(index) = 9)
        assertEquals(error.getMessage, s"Index $index out of bounds for length 3")
        intercept[IndexOutOfBoundsException](rows.ref(1).cells(index))
        intercept[IndexOutOfBoundsException](rows.sumOf(_.cells(index)(0)))
        intercept[IndexOutOfBoundsException](boards(1).flags(index))
      assertEquals(rows.toVector, boards)

  test("accessing InlineArray elements through a stale reference throws"):
    val ref = Region.scoped(Rows.from(boards).ref(1))
    intercept[undercroft.memory.StaleReferenceException](ref.cells(0)(0))
    intercept[undercroft.memory.StaleReferenceException](ref.cells(0)(0) = 1)
    val block = Ref(boards(0))(using Malloc)
    Malloc.free(Ref.address(block))
    intercept[undercroft.memory.StaleReferenceException](block.cells())

  test("an InlineArray on the heap is compared, updated and converted by value"):
    val three = InlineArray[Int, 3](1, 2, 3)
    assertEquals(three, InlineArray.tabulate[Int, 3](_ + 1))
    assertEquals(three.hashCode, InlineArray.tabulate[Int, 3](_ + 1).hashCode)
    assertEquals(three.updated(1, 9).toVector, Vector(1, 9, 3))
    assertEquals(three.toIArray.sum + three.length, 9)
    assertEquals(
      InlineArray.fill[InlineArray[Int, 2], 2](InlineArray(4, 5)).toString,
      "InlineArray(InlineArray(4, 5), InlineArray(4, 5))"
    )
    assertEquals(
      InlineArray.fill[InlineArray[Int, 2], 2](InlineArray(4, 5))(1).toVector,
      Vector(4, 5)
    )
    val error = intercept[IllegalArgumentException](InlineArray[Int, 3](1, 2))
    assertEquals(error.getMessage, "an InlineArray of 3 needs 3 values, but got 2")

  test("an InlineArray of an unsupported element type or length does not compile"):
    inline def says(inline code: String, words: String): Unit =
      val errors = typeCheckErrors(code).map(_.message).mkString("\n")
      assert(errors.contains(words), errors)
    says(
      "case class A(a: InlineArray[String, 2]) derives Struct",
      "an InlineArray holds primitives, texts, structs"
    )
    says("case class A(a: InlineArray[Int, 0]) derives Struct", "is not a number above 0")
    says("case class A(a: InlineArray[Long, 9000]) derives Struct", "at most 65536 bytes")
end InlineArrayTest
