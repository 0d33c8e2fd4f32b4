package undercroft.struct

import java.time.Instant
import scala.compiletime.testing.typeCheckErrors
import undercroft.memory.Region
import undercroft.testkit.assertAllocates

case class Drawing(
    before: Byte,
    corners: InlineArray[Point, 3],
    sides: InlineArray[Side, 4],
    names: InlineArray[Text[5], 2],
    figures: InlineArray[Figure, 2],
    grid: InlineArray[InlineArray[Point, 2], 2],
    times: InlineArray[Instant, 2],
    tickets: InlineArray[Ticket, 2],
    notes: InlineArray[TextRef, 2],
    many: InlineArray[Many, 2],
    words: InlineArray[InlineArray[Text[3], 2], 2],
    extra: Option[InlineArray[Point, 2]],
    after: Byte
) derives Struct,
      CanEqual

class InlineArrayOfStructsTest extends undercroft.tools.Suite:
  var sum = 0L

  private def drawing(n: Int)(using Region): Drawing = Drawing(
    -1,
    InlineArray.tabulate(i => Point((n + i).toShort, i * 0.5)),
    InlineArray.tabulate(i => Side.fromOrdinal((n + i) % 2)),
    InlineArray(Text(s"n$n"), Text("näme")),
    InlineArray(if n % 2 == 0 then Figure.Nothing else Figure.Box(n, -n), Figure.Circle(n * 0.5)),
    InlineArray(
      InlineArray(Point(1, n), Point(2, n)),
      InlineArray(Point(3, n), Point(4, n))
    ),
    InlineArray(Instant.EPOCH.nn, Instant.ofEpochMilli(n).nn),
    InlineArray(Ticket(n), Ticket(-n)),
    InlineArray(TextRef(s"note $n"), TextRef.empty),
    InlineArray(Many.P9, Many.values((n * 37) % 160)),
    InlineArray(InlineArray(Text("a"), Text(s"$n")), InlineArray(Text(""), Text("xyz"))),
    Option.when(n % 3 == 0)(InlineArray.fill(Point(9, n))),
    -1
  )
  private def drawings(using Region): Vector[Drawing] = Vector.tabulate(7)(drawing)

  private def generic[L <: Layout](tables: TableFactory[L]): Unit =
    Region.scoped:
      val table = tables.from(drawings)
      assertEquals(table.toVector, drawings)

  test("InlineArrays of structs, enums and Text are stored and loaded in every layout"):
    generic(Rows)
    generic(PackedRows)
    generic(Columns)
    Region.scoped:
      val values = drawings
      val (rows, packed, columns) =
        (Rows[Drawing](7), PackedRows[Drawing](7), Columns[Drawing](7))
      val growing = Rows.growing[Drawing]
      for i <- values.indices do
        rows(i) = values(i)
        packed(i) = values(i)
        columns(i) = values(i)
        growing += values(i)
      for i <- values.indices do
        assertEquals(
          (rows(i), packed(i), columns(i), rows.ref(i)(), packed.ref(i)(), growing(i)),
          (values(i), values(i), values(i), values(i), values(i), values(i))
        )
      packed.setFrom(columns)(identity)
      rows.setFrom(packed)(drawing => drawing)
      assertEquals(rows.toVector, values)

  test("InlineArrays of structs have the layout of C arrays"):
    val text = Struct[Drawing].layout.show
    assert(text.contains("       8   48  corners              Point[3]"), text)
    assert(text.contains("      56    4  sides                Byte[4]"), text)
    assert(text.contains("      60   10  names                Byte[5][2]"), text)

  test("the elements of an InlineArray and their fields are read and stored separately"):
    Region.scoped:
      val values = drawings
      val (rows, packed) = (Rows.from(values), PackedRows.from(values))
      val (ref, far) = (rows.ref(3), packed.ref(3))
      ref.corners(1).x = 40
      assertEquals(ref.corners(1)(), Point(40, 0.5))
      ref.corners(2) = Point(8, 9)
      assertEquals((ref.corners(1).x, ref.corners(2).y), (40.toShort, 9.0))
      ref.grid(1)(0).y = -7
      assertEquals(ref.grid(1)(0)(), Point(3, -7))
      ref.sides(2) = Side.Sell
      assertEquals((ref.sides(1)(), ref.sides(2)()), (Side.Buy, Side.Sell))
      ref.names(0) = Text[5]("new")
      assert(ref.names(0).startsWith("ne") && ref.names(1).contentEquals("näme"))
      ref.figures(0) = Figure.Circle(2)
      assertEquals(ref.figures(0) { case Figure.Circle(radius) => radius; case _ => 0.0 }, 2.0)
      assertEquals(ref.notes(0).string, "note 3")
      assertEquals(ref.tickets(1)().number, -3)
      assertEquals((ref.before, ref.after), ((-1).toByte, (-1).toByte))
      far.corners(1).x = 40
      assertEquals(far.corners(1)(), Point(40, 0.5))
      far.corners(2) = Point(8, 9)
      assertEquals((far.corners(1).x, far.corners(2).y), (40.toShort, 9.0))
      far.grid(1)(0).y = -7
      assertEquals(far.grid(1)(0)(), Point(3, -7))
      far.sides(2) = Side.Sell
      assertEquals((far.sides(1)(), far.sides(2)()), (Side.Buy, Side.Sell))
      far.names(0) = Text[5]("new")
      assert(far.names(0).startsWith("ne") && far.names(1).contentEquals("näme"))
      far.figures(0) = Figure.Circle(2)
      assertEquals(far.figures(0) { case Figure.Circle(radius) => radius; case _ => 0.0 }, 2.0)
      assertEquals(far.notes(0).string, "note 3")
      assertEquals(far.tickets(1)().number, -3)
      assertEquals((far.before, far.after), ((-1).toByte, (-1).toByte))
      assertEquals((rows(2), rows(4)), (values(2), values(4)))
      assertEquals((packed(2), packed(4)), (values(2), values(4)))
      assertEquals(packed(3), rows(3))

  test("loops read one element of an InlineArray, or one of its fields, in place"):
    Region.scoped:
      val values = drawings
      val (rows, packed, columns) =
        (Rows.from(values), PackedRows.from(values), Columns.from(values))
      assertEquals(rows.sumOf(_.corners(1).x), values.map(_.corners(1).x.toLong).sum)
      assertEquals(packed.sumOf(_.grid(1)(0).y), values.map(_.grid(1)(0).y).sum)
      assertEquals(columns.map(_.corners(2)).toVector, values.map(_.corners(2)))
      assertEquals(
        columns.count(_.sides(1) == Side.Sell),
        values.count(_.sides(1) == Side.Sell).toLong
      )
      assertEquals(rows.map(_.figures(0)).toVector, values.map(_.figures(0)))
      assertAllocates(0) { sum += rows.sumOf(_.corners(1).x) + columns.sumOf(_.grid(0)(1).x) }
      assertAllocates(0) { rows.ref(3).corners(1).x = 3 }
      assertAllocates(0) { sum += rows.ref(3).grid(1)(0).x }

  test("structs with InlineArrays of structs are compared and hashed by value"):
    Region.scoped:
      val values = List(drawing(1), drawing(1), drawing(2))
      def check[L <: Layout](table: Table[Drawing, L]): Unit =
        assert(table.contentEqualsAt(0, 1) && !table.contentEqualsAt(0, 2))
        assertEquals((table.compareAt(0, 1), table.hashAt(0)), (0, table.hashAt(1)))
        assert(table.compareAt(0, 2) < 0 && table.compareAt(2, 0) > 0)
      check(Rows.from(values))
      check(PackedRows.from(values))
      check(Columns.from(values))

  test("an index out of bounds or an invalid element throws and changes nothing"):
    Region.scoped:
      val values = drawings
      val rows = Rows.from(values)
      for index <- List(-1, 3, Int.MaxValue) do
        val error = intercept[IndexOutOfBoundsException](rows.ref(1).corners(index).x = 9)
        assertEquals(error.getMessage, s"Index $index out of bounds for length 3")
        intercept[IndexOutOfBoundsException](rows.sumOf(_.corners(index).x))
      val long = Text[5]("é").asInstanceOf[Text[5]]
      val broken = values(1).copy(names = InlineArray(long, "too long".asInstanceOf[Text[5]]))
      intercept[IllegalArgumentException](rows(1) = broken)
      intercept[IllegalArgumentException](rows.ref(1)() = broken)
      assertEquals(rows.toVector, values)

  test("storing an InlineArray that was cast to another length throws and changes nothing"):
    Region.scoped:
      val values = drawings
      val rows = Rows.from(values)
      val four = InlineArray.fill[Point, 4](Point(9, 9)).asInstanceOf[InlineArray[Point, 3]]
      val error = intercept[IllegalArgumentException](rows.ref(1).corners = four)
      assertEquals(error.getMessage, "an InlineArray of 3 needs 3 values, but got 4")
      assertEquals(rows.toVector, values)

  test("an InlineArray of an unsupported element type does not compile"):
    inline def says(inline code: String, words: String): Unit =
      val errors = typeCheckErrors(code).map(_.message).mkString("\n")
      assert(errors.contains(words), errors)
    says(
      "case class A(a: InlineArray[String, 2]) derives Struct",
      "an InlineArray holds primitives, texts, structs, enums, Options and InlineArrays of them, and"
    )
    says("case class A(a: InlineArray[Option[String], 2]) derives Struct", "String")
    says("case class A(a: InlineArray[A, 2]) derives Struct", "it holds itself (A > ")
    says(
      "case class B(x: Int); case class A(a: InlineArray[B, 2]) derives Struct",
      "an InlineArray of B needs its Struct: add `derives Struct` to"
    )
end InlineArrayOfStructsTest
