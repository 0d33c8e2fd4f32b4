package undercroft.struct

import org.scalacheck.{Arbitrary, Gen}
import org.scalacheck.Prop.forAll
import undercroft.memory.Region
import undercroft.testkit.assertAllocates

// 160 cases: case numbers above 127 are negative as bytes.
enum Many derives CanEqual:
  case A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, B0, B1, B2, B3, B4, B5, B6, B7, B8, B9
  case C0, C1, C2, C3, C4, C5, C6, C7, C8, C9, D0, D1, D2, D3, D4, D5, D6, D7, D8, D9
  case E0, E1, E2, E3, E4, E5, E6, E7, E8, E9, F0, F1, F2, F3, F4, F5, F6, F7, F8, F9
  case G0, G1, G2, G3, G4, G5, G6, G7, G8, G9, H0, H1, H2, H3, H4, H5, H6, H7, H8, H9
  case I0, I1, I2, I3, I4, I5, I6, I7, I8, I9, J0, J1, J2, J3, J4, J5, J6, J7, J8, J9
  case K0, K1, K2, K3, K4, K5, K6, K7, K8, K9, L0, L1, L2, L3, L4, L5, L6, L7, L8, L9
  case M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, N0, N1, N2, N3, N4, N5, N6, N7, N8, N9
  case O0, O1, O2, O3, O4, O5, O6, O7, O8, O9, P0, P1, P2, P3, P4, P5, P6, P7, P8, P9

case class OfMany(one: Many, number: Short) derives Struct, CanEqual

class WholeRowsTest extends undercroft.tools.PropertySuite:
  var sum = 0L

  private val rows =
    for
      one <- Gen.oneOf(Many.values.toSeq)
      number <- Gen.oneOf[Short](Short.MinValue, -1, 0, 1, Short.MaxValue)
    yield OfMany(one, number)

  private def ordered[L <: Layout](table: Table[OfMany, L], values: Vector[OfMany]): Boolean =
    values.indices.forall: i =>
      values.indices.forall: j =>
        val (a, b) = (values(i), values(j))
        val byCase = Integer.compare(a.one.ordinal, b.one.ordinal)
        val expected = if byCase != 0 then byCase else java.lang.Short.compare(a.number, b.number)
        Integer.signum(table.compareAt(i, j)) == Integer.signum(expected) &&
        table.contentEqualsAt(i, j) == (a == b) && (a != b || table.hashAt(i) == table.hashAt(j))

  property("rows of every layout are compared and hashed like their values"):
    forAll(Gen.listOfN(12, rows).map(_.toVector)): values =>
      Region.scoped:
        val slices = Columns.from(values ++ values).slice(12, 24)
        ordered(Rows.from(values), values) && ordered(PackedRows.from(values), values) &&
        ordered(Columns.from(values), values) && ordered(slices, values)

  test("an enum of more than 127 cases is compared and sorted by its ordinals"):
    Region.scoped:
      val values = Many.values.toVector.map(OfMany(_, 1))
      val table = Rows.from(values.reverse)
      assert(Ref.compare(table.ref(0), table.ref(159)) > 0)
      table.sortInPlaceBy(_.one)
      assertEquals(table.toVector, values)
      val stable = Columns.from(values.reverse).sortBy(_.one)
      assertEquals(stable.toVector, values)
      assertEquals(Rows.from(values.reverse).parSortBy(_.one).toVector, values)
      assertEquals(stable.topBy(2)(_.one).toVector, values.reverse.take(2))
      assertEquals(stable.binarySearchBy(_.one)(Many.P9), 159L)
      assertEquals(stable.map(_.one.ordinal).max, 159)
      assertEquals(table.ref(150).one(), Many.P0)
      assertEquals(Struct[OfMany].size, 4)

  private val wholes =
    for
      e <- Arbitrary.arbitrary[Int]
      g <- Gen.oneOf(-0f, 0f, Float.NaN)
      h <- Gen.oneOf(-0.0, 0.0, Double.NaN)
    yield Every(true, 1, 2, 'c', e, 4, g, h)

  property("columns and rows agree on the order of wide and nested structs"):
    forAll(wholes, wholes): (a, b) =>
      Region.scoped:
        def deep(every: Every) = Deep(1, Line(true, Point(1, 2), Point(3, 4), 5), every, 9)
        val values = List(deep(a), deep(b))
        val (rows, packed) = (Rows.from(values), PackedRows.from(values))
        val columns = Columns.from(values)
        rows.compareAt(0, 1) == Ref.compare(rows.ref(0), rows.ref(1)) &&
        Integer.signum(rows.compareAt(0, 1)) == Integer.signum(columns.compareAt(0, 1)) &&
        Integer.signum(rows.compareAt(0, 1)) == Integer.signum(packed.compareAt(0, 1)) &&
        rows.hashAt(0) == Ref.hash(rows.ref(0)) && columns.contentEqualsAt(
          0,
          1
        ) == rows.contentEqualsAt(0, 1)

  test("comparing and hashing rows checks the index and allocates nothing"):
    Region.scoped:
      val table = Columns.from(List(OfMany(Many.A0, 1), OfMany(Many.P9, 2)))
      intercept[IndexOutOfBoundsException](table.contentEqualsAt(0, 2))
      intercept[IndexOutOfBoundsException](table.compareAt(-1, 0))
      intercept[IndexOutOfBoundsException](table.hashAt(2))
      assertAllocates(0) { sum += table.compareAt(0, 1) + table.hashAt(1) }
      assertAllocates(0) { if table.contentEqualsAt(0, 1) then sum += 1 }
    val closed = Region.named("noon")(Columns.from(List(OfMany(Many.A0, 1))))
    val error = intercept[undercroft.memory.StaleReferenceException](closed.hashAt(0))
    assert(error.getMessage.contains("noon"), error.getMessage)
end WholeRowsTest
