package undercroft.struct

import java.lang.foreign.ValueLayout.JAVA_BYTE
import scala.compiletime.testing.typeCheckErrors
import undercroft.memory.Region
import undercroft.testkit.assertAllocates

case class Cell(x: Int, y: Int) derives Struct, CanEqual

type Words =
  Union[(whole: Int, real: Double, code: Text[3], cell: Cell, bytes: InlineArray[Byte, 9])]

case class Reading(unit: Byte, value: Words, last: Byte) derives Struct, CanEqual
case class Inner(first: Short, deep: Union[(a: Long, b: Union[(c: Byte, d: Int)])])
    derives Struct,
      CanEqual

class UnionTest extends undercroft.tools.Suite:
  var sum = 0L

  private val readings = Vector(
    Reading(-1, Union(whole = 7), -1),
    Reading(-1, Union(real = -0.5), -1),
    Reading(-1, Union(code = Text[3]("né")), -1),
    Reading(-1, Union(cell = Cell(1, -2)), -1),
    Reading(-1, Union(bytes = InlineArray.fill[Byte, 9](-1)), -1)
  )

  private def holds[L <: Layout](tables: TableFactory[L]): Unit =
    Region.scoped:
      val table = tables[Reading](readings.size)
      for i <- readings.indices.reverse do table(i) = readings(i)
      assertEquals(table.toVector, readings)

  test("the members of a Union have the same offset, as in C"):
    assertEquals(Struct[Reading].size, 32)
    assertEquals(Struct[Reading].packedSize, 18)
    assertEquals(
      Struct[Reading].layout.show,
      """Reading: 32 bytes, aligned to 8
        |       0    1  unit                 Byte
        |       1    7  (padding)
        |       8    4  value.whole          Int
        |       8    8  value.real           Double
        |       8    3  value.code           Byte[3]
        |       8    4  value.cell.x         Int
        |      12    4  value.cell.y         Int
        |       8    9  value.bytes          Byte[9]
        |      24    1  last                 Byte
        |      25    7  (padding)""".stripMargin
    )

  test("Union fields are stored and loaded in every layout"):
    holds(Rows)
    holds(PackedRows)
    holds(Columns)
    Region.scoped:
      val rows = Rows.from(readings)
      val (packed, columns) = (PackedRows[Reading](5), Columns[Reading](5))
      packed.setFrom(rows)(identity)
      columns.setFrom(packed)(reading => reading)
      assertEquals(columns.toVector, readings)
      assertEquals((rows(3), packed(3), columns(3)), (readings(3), readings(3), readings(3)))
      assertEquals(packed.ref(2)(), readings(2))
      rows.ref(0)() = readings(4)
      assertEquals(rows.toVector, readings.updated(0, readings(4)))

  test("a member of a Union on the heap is decoded from its bytes"):
    val value: Words = Union(cell = Cell(1, 2))
    assertEquals((value.cell, value.whole), (Cell(1, 2), 1))
    assertEquals(value.bytes.toVector, Vector[Byte](1, 0, 0, 0, 2, 0, 0, 0, 0))
    assertEquals(
      value,
      Union[(
          whole: Int,
          real: Double,
          code: Text[3],
          cell: Cell,
          bytes: InlineArray[Byte, 9]
      )](cell =
        Cell(1, 2)
      )
    )
    assert(value != (Union(whole = 1): Words))
    assertEquals((Union(whole = 1): Union[(whole: Int, b: Byte)]).toString, "Union(01 00 00 00)")

  test("storing a Union member through a reference changes no other byte"):
    Region.scoped:
      val rows = Rows.from(readings)
      val packed = PackedRows.from(readings)
      for i <- 0 until 1 do
        rows.ref(4).value.whole = 0x01020304
        packed.ref(4).value.whole = 0x01020304
      val expected = Vector[Byte](4, 3, 2, 1, -1, -1, -1, -1, -1)
      assertEquals(rows.ref(4).value.bytes().toVector, expected)
      assertEquals(packed.ref(4).value.bytes().toVector, expected)
      assertEquals((rows.ref(4).unit, rows.ref(4).last), ((-1).toByte, (-1).toByte))
      rows.ref(1).value.cell.y = 5
      assertEquals(rows.ref(1).value.cell(), Cell(0, 5))
      assertEquals(packed.ref(3).value.cell.y, -2)
      rows.ref(2).value = (Union(real = 2.5): Words)
      rows.ref(3).value() = Union(code = Text[3]("abc"))
      assertEquals((rows.ref(2).value.real, rows.ref(3).value.code().string), (2.5, "abc"))
      rows.ref(3).value.code = Text[3]("xy")
      assert(rows.ref(3).value.code.startsWith("xy"))
      val inner = Rows[Inner](1).ref(0)
      inner.deep.b.d = 258
      assertEquals((inner.deep.a, inner.deep.b.c), (258L, 2.toByte))

  test("reading a Union member in a loop allocates nothing"):
    Region.scoped:
      val (rows, columns) = (Rows.from(readings), Columns.from(readings))
      assertEquals(rows.sumOf(_.value.whole), readings.map(_.value.whole.toLong).sum)
      val bits = readings.map(reading => java.lang.Double.doubleToRawLongBits(reading.value.real))
      assertEquals(
        columns.map(_.value.real).toVector.map(java.lang.Double.doubleToRawLongBits),
        bits
      )
      assertEquals(rows.count(_.value.cell.y == -2), 1L)
      assertAllocates(0) { sum += rows.sumOf(_.value.whole) + rows.ref(1).value.cell.x }
      assertAllocates(0) { sum += columns.sumOf(_.value.real).toLong }
      assertAllocates(0) { rows.ref(1).value.cell.x = 7 }

  test("any bytes are a valid value of each Union member"):
    Region.scoped:
      val rows = Rows[Reading](1)
      val random = scala.util.Random(3)
      for _ <- 0 until 1000 do
        for i <- 0 until 32 do rows.segment.set(JAVA_BYTE, i, random.nextInt().toByte)
        val value = rows(0).value
        assertEquals(value.whole, rows.ref(0).value.whole)
        assertEquals(value.code.string, rows.ref(0).value.code().string)
        assertEquals(value.cell, rows.ref(0).value.cell())

  test("structs with Union fields are compared and hashed by the bytes of the union"):
    Region.scoped:
      val rows = Rows.from(List(readings(0), readings(0), readings(3)))
      assert(rows.contentEqualsAt(0, 1) && !rows.contentEqualsAt(0, 2))
      assertEquals(rows.hashAt(0), rows.hashAt(1))
      assert(rows.compareAt(0, 2) > 0)

  test("a Union member with a reference or a tag does not compile"):
    inline def says(inline code: String, words: String): Unit =
      val errors = typeCheckErrors(code).map(_.message).mkString("\n")
      assert(errors.contains(words), errors)
    says(
      "case class A(u: Union[(a: Int, b: Ref[Cell])]) derives Struct",
      "member `b` of a union holds a Reference: bytes of other members would be taken for a reference"
    )
    says("case class A(u: Union[(a: Int, b: TextRef)]) derives Struct", "holds a TextRef")
    says(
      "case class A(u: Union[(a: Int, b: Side)]) derives Struct",
      "holds a Side: bytes of other members would be taken for the number of its case"
    )
    says("case class A(u: Union[(a: Int, b: Figure)]) derives Struct", "holds a Figure")
    says("case class A(u: Union[(a: Int, b: Option[Int])]) derives Struct", "holds a Option")
    says("case class A(u: Union[(a: Int, b: InlineArray[Side, 2])]) derives Struct", "holds a Side")
    says(
      "case class A(u: Union[(a: Int, b: Point)]) derives Struct",
      "member `b` of a union is a Point with padding, of 16 bytes and 10 without"
    )
    says("case class A(u: Union[(a: Int, apply: Int)]) derives Struct", "rename it")
    says("val u: Words = Union(hole = 7)", "the union has no member `hole`; it has whole, real")
    says("val u: Words = Union(whole = 7, real = 1.0)", "a union is made of one member")
    says("val u: Words = Union(whole = 7.5)", "member `whole` of the union is of type")
end UnionTest
