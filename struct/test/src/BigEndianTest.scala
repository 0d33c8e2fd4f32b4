package undercroft.struct

import java.time.Instant
import org.scalacheck.{Arbitrary, Gen}
import org.scalacheck.Prop.forAll
import scala.compiletime.testing.typeCheckErrors
import undercroft.memory.Region
import undercroft.testkit.assertAllocates

case class Wire(
    kind: Byte,
    @bigEndian a: Short,
    @bigEndian b: Char,
    @bigEndian c: Int,
    @bigEndian d: Long,
    @bigEndian e: Float,
    @bigEndian f: Double,
    plain: Int
) derives Struct,
      CanEqual

case class Framed(first: Byte, @align(8) wire: Wire, note: Option[Wire], last: Byte)
    derives Struct,
      CanEqual

enum Sent derives Struct, CanEqual:
  case Nothing
  case Number(@bigEndian value: Int)

case class Stamped(@bigEndian ticket: Ticket, @bigEndian at: Instant) derives Struct, CanEqual

class BigEndianTest extends undercroft.tools.PropertySuite:
  var sum = 0L

  private val wires =
    for
      a <- Gen.oneOf[Short](Short.MinValue, -1, 0, 0x0102, Short.MaxValue)
      b <- Gen.oneOf('\u0000', '\u0102', '\uffff')
      c <- Gen.oneOf(Gen.oneOf(Int.MinValue, -1, 0, 1, 256), Arbitrary.arbitrary[Int])
      d <- Gen.oneOf(Gen.oneOf(Long.MinValue, -1L, 0L, 256L), Arbitrary.arbitrary[Long])
      e <- Gen.oneOf(-0f, 0f, 1.5f, Float.NegativeInfinity, Float.MinPositiveValue)
      f <- Gen.oneOf(-0.0, 0.0, -1.5, Double.MaxValue, Double.MinPositiveValue)
    yield Wire(1, a, b, c, d, e, f, 7)

  test("a bigEndian field stores its most significant byte first and is marked in the layout"):
    Region.scoped:
      val rows = PackedRows.from(List(Wire(1, 2, '\u0003', 4, 5, 1f, 2.0, 6)))
      val bytes = rows.segment.asByteBuffer.nn.order(java.nio.ByteOrder.BIG_ENDIAN).nn
      assertEquals((bytes.getShort(1), bytes.getChar(3), bytes.getInt(5)), (2.toShort, '\u0003', 4))
      assertEquals((bytes.getLong(9), bytes.getFloat(17), bytes.getDouble(21)), (5L, 1f, 2.0))
      assertEquals(Integer.reverseBytes(bytes.getInt(29)), 6)
    assert(Struct[Wire].layout.show.contains("c                    Int, big-endian"))
    assert(Struct[Wire].layout.diff(Struct[Wire].packedLayout).nonEmpty)

  property("bigEndian fields are stored and loaded in every layout"):
    forAll(Gen.nonEmptyListOf(wires)): values =>
      Region.scoped:
        val framed = values.map(wire => Framed(-1, wire, Some(wire), -1))
        val (rows, packed, columns) =
          (Rows.from(framed), PackedRows[Framed](framed.size), Columns[Framed](framed.size))
        packed.setFrom(rows)(identity)
        columns.setFrom(packed)(framed => framed)
        val growing = Rows.growing[Wire]
        values.foreach(wire => growing += wire)
        rows.toVector == framed.toVector && packed.toVector == rows.toVector &&
        columns.toVector == rows.toVector && growing.toVector == values.toVector &&
        columns.sumOf(_.wire.c) == values.map(_.c.toLong).sum &&
        rows.map(_.wire.a).toVector == values.map(_.a).toVector &&
        values.indices.forall: i =>
          val (ref, far) = (rows.ref(i).wire, packed.ref(i).wire)
          val wire = values(i)
          ref.a == wire.a && ref.b == wire.b && ref.c == wire.c && far.d == wire.d &&
          far.e == wire.e && far.f == wire.f && ref() == wire && far() == wire

  property("bigEndian fields are compared and sorted by value"):
    forAll(Gen.nonEmptyListOf(wires)): values =>
      Region.scoped:
        val rows = Rows.from(values)
        val byLong =
          val copy = Rows.from(values); copy.sortInPlaceBy(_.d); copy
        val byDouble =
          val copy = Columns.from(values); copy.sortInPlaceBy(_.f); copy
        val byFloat = rows.sortBy(_.e)
        val first = values.indices.filter(i => rows.compareAt(0, i) < 0)
        byLong.map(_.d).toVector == values.map(_.d).sorted.toVector &&
        byDouble.map(_.f).toVector == values.map(_.f).sorted(using
          Ordering.Double.TotalOrdering
        ).toVector &&
        byFloat.map(_.e).toVector == values.map(_.e).sorted(using
          Ordering.Float.TotalOrdering
        ).toVector &&
        first.forall(i => rows.ref(0).a <= values(i).a)

  test("storing one bigEndian field leaves the other fields unchanged"):
    Region.scoped:
      val rows = Rows.from(List(Wire(1, 2, '3', 4, 5, 6, 7, 8)))
      val ref = rows.ref(0)
      ref.c = 0x01020304
      ref.update(_.d)(_ + 1)
      ref.transform(_.copy(a = 9))
      rows.updateAll(_.b)(char => (char + 1).toChar)
      assertEquals(rows(0), Wire(1, 9, '4', 0x01020304, 6, 6, 7, 8))
      assertEquals(rows.segment.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 8), 1.toByte)
      val sent = Rows.from[Sent](List(Sent.Number(258), Sent.Nothing))
      assertEquals(sent.toVector, Vector(Sent.Number(258), Sent.Nothing))
      assertEquals(sent.sumOf { case Sent.Number(value) => value; case _ => 0 }, 258L)

  test("bigEndian applies to opaque types and to types stored as a primitive"):
    Region.scoped:
      val at = Instant.ofEpochMilli(0x0102030405060708L).nn
      val rows = Rows.from(List(Stamped(Ticket(0x0a0b0c0d), at)))
      val ref = rows.ref(0)
      val bytes = rows.segment.asByteBuffer.nn.order(java.nio.ByteOrder.BIG_ENDIAN).nn
      assertEquals((bytes.getInt(0), bytes.getLong(8)), (0x0a0b0c0d, 0x0102030405060708L))
      assertEquals((rows(0).at, ref.at(), ref(_.at)), (at, at, at))
      assertEquals((rows(0).ticket, ref(_.ticket)), (Ticket(0x0a0b0c0d), Ticket(0x0a0b0c0d)))
      val later = Instant.ofEpochMilli(5).nn
      ref.at = later
      rows.updateAll(_.ticket)(ticket => Ticket(ticket.number + 1))
      assertEquals(rows(0), Stamped(Ticket(0x0a0b0c0e), later))
      assertEquals(bytes.getLong(8), 5L)

  test("reading and storing bigEndian fields allocates nothing"):
    Region.scoped:
      val rows = Rows.from(List.fill(10)(Wire(1, 2, '3', 4, 5, 6, 7, 8)))
      assertAllocates(0) { sum += rows.ref(3).c + rows.sumOf(_.d) }
      assertAllocates(0) { rows.ref(3).f = 2.5 }
      assertAllocates(0) { rows.updateAll(_.c)(_ + 1) }

  test("bigEndian on a type without a byte order does not compile"):
    inline def says(inline code: String, words: String): Unit =
      val errors = typeCheckErrors(code).map(_.message).mkString("\n")
      assert(errors.contains(words), errors)
    says(
      "case class A(@bigEndian a: Byte) derives Struct",
      "field `a` is a Byte, which is stored in one byte: that has no order"
    )
    says("case class A(@bigEndian a: Way) derives Struct", "stored in one byte: that has no order")
    says(
      "case class A(@bigEndian a: Option[Int]) derives Struct",
      "the order of bytes is of a Short"
    )
    says("case class A(@bigEndian a: Ref[Wire]) derives Struct", "the order of bytes is of a Short")
    says("Ref.none[Stamped].at", "no reference to it alone: read it as `ref.at()`")
    says("case class A(@bigEndian a: Text[3]) derives Struct", "the order of bytes is of a Short")
    says("case class A(@bigEndian a: Point) derives Struct", "the order of bytes is of a Short")
    says(
      "Ref.none[Wire].atomic(_.c)",
      "field `c` is big-endian: atomic access is to an Int or a Long in the machine's order"
    )
end BigEndianTest
