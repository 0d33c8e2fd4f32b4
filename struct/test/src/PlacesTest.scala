package undercroft.struct

import java.lang.foreign.ValueLayout.{JAVA_BYTE, JAVA_INT}
import org.scalacheck.Prop.forAll
import org.scalacheck.{Arbitrary, Gen}
import undercroft.memory.{Malloc, Region, StaleReferenceException}
import undercroft.testkit.assertAllocates

case class Mixed(
    open: Boolean,
    weight: Double,
    name: Text[9],
    figure: Figure,
    limit: Option[Short],
    cells: InlineArray[Int, 3],
    tone: Float
) derives Struct,
      CanEqual

class PlacesTest extends undercroft.tools.PropertySuite:
  var sum = 0L

  private val weights = List(0.0, -0.0, Double.NaN, 1.5, Double.NegativeInfinity, Double.MaxValue)
  private val texts = List("", "a", "ab", "åß", "\uD83D\uDE00", "zzzzzzzzz")
  private val figures = List(
    Figure.Nothing,
    Figure.Circle(-0.0),
    Figure.Circle(0.0),
    Figure.Box(1, 2),
    Figure.Box(1, -2),
    Figure.Named(Text("b"), None),
    Figure.Named(Text("b"), Some(1))
  )
  private val mixed =
    for
      open <- Arbitrary.arbitrary[Boolean]
      weight <- Gen.oneOf(weights)
      name <- Gen.oneOf(texts)
      figure <- Gen.oneOf(figures)
      limit <- Gen.option(Gen.choose[Short](-1, 1))
      cells <- Gen.listOfN(3, Gen.choose(-1, 1))
      tone <- Gen.oneOf(0f, -0f, Float.NaN)
    yield Mixed(open, weight, Text(name), figure, limit, InlineArray(cells*), tone)

  private type Part = Int | Double | String

  /** A value as a list, for Scala's own order and equality, in the order of the fields. */
  private def key(value: Mixed): List[Part] =
    val ofFigure: List[Part] = value.figure match
      case Figure.Nothing         => List(0)
      case Figure.Circle(radius)  => List[Part](1, radius)
      case Figure.Box(wide, high) => List(2, wide, high)
      case Figure.Named(name, tone) =>
        List(3, name.string) ++ tone.fold(List(0, 0))(tone => List(1, tone.toInt))
    val limit = value.limit.fold(List(0, 0))(limit => List(1, limit.toInt))
    List[Part](if value.open then 1 else 0, value.weight, value.name.string) ++ ofFigure ++ limit ++
      value.cells.toVector ++ List(value.tone.toDouble)

  private def compared(a: List[Part], b: List[Part]): Int =
    a.zip(b)
      .view
      .map:
        case (a: Int, b: Int)       => Integer.compare(a, b)
        case (a: Double, b: Double) => java.lang.Double.compare(a, b)
        case (a: String, b: String) =>
          java.util.Arrays.compareUnsigned(a.getBytes("UTF-8"), b.getBytes("UTF-8"))
        case (a, b) => throw AssertionError(s"$a beside $b")
      .find(_ != 0)
      .getOrElse(0)

  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(2000)

  property("structs in rows and packed rows are compared and hashed like their values"):
    forAll(mixed, mixed, Gen.choose(0, 7)): (a, other, like) =>
      // The first fields are often equal, so that the later ones decide.
      val b = Mixed(
        if like > 0 then a.open else other.open,
        if like > 1 then a.weight else other.weight,
        if like > 2 then a.name else other.name,
        if like > 3 then a.figure else other.figure,
        if like > 4 then a.limit else other.limit,
        if like > 5 then a.cells else other.cells,
        other.tone
      )
      Region.scoped:
        val (rows, packed) = (Rows[Mixed](3), PackedRows[Mixed](3))
        // Neither padding nor cases that are not stored are compared.
        rows.slice(1, 2).segment.fill(-1)
        packed.slice(1, 2).segment.fill(-1)
        List(a, a, b).zipWithIndex.foreach: (value, i) =>
          rows(i) = value
          packed(i) = value
        val expected = Integer.signum(compared(key(a), key(b)))
        def agree(
            same: (Int, Int) => Boolean,
            compare: (Int, Int) => Int,
            hash: Int => Int
        ): Boolean =
          same(0, 1) && compare(0, 1) == 0 && hash(0) == hash(1) &&
            same(1, 2) == (expected == 0) && Integer.signum(compare(1, 2)) == expected &&
            Integer.signum(compare(2, 1)) == -expected && (expected != 0 || hash(1) == hash(2))
        agree(
          (i, j) => Ref.contentEquals(rows.ref(i), rows.ref(j)),
          (i, j) => Ref.compare(rows.ref(i), rows.ref(j)),
          i => Ref.hash(rows.ref(i))
        ) && agree(
          (i, j) => Ref.contentEquals(packed.ref(i), packed.ref(j)),
          (i, j) => Ref.compare(packed.ref(i), packed.ref(j)),
          i => Ref.hash(packed.ref(i))
        )

  test("a difference in any single field of a wide struct changes comparison and hash"):
    Region.scoped:
      val rows = Rows[Wide64](2)
      for field <- 0 until 64 do
        rows.segment.fill(0)
        rows.segment.set(JAVA_INT, 4L * field, -1)
        assert(!Ref.contentEquals(rows.ref(0), rows.ref(1)))
        assert(Ref.compare(rows.ref(0), rows.ref(1)) < 0, field)
        assert(Ref.compare(rows.ref(1), rows.ref(0)) > 0, field)
        assertNotEquals(Ref.hash(rows.ref(0)), Ref.hash(rows.ref(1)))

  test("hashes of consecutive values are spread over all bits"):
    Region.scoped:
      val trades = Rows.tabulate[Trade](100_000)(i => Trade(i.toInt, 1, 1, true))
      val hashes = (0 until 100_000).map(i => Ref.hash(trades.ref(i)))
      assert(hashes.distinct.size > 99_980, hashes.distinct.size)
      assert(hashes.map(_ & 0xfff).groupBy(identity).values.map(_.size).max < 70)
      assert(hashes.map(_ >>> 20).groupBy(identity).values.map(_.size).max < 70)

  test("Ref.copy and swap leave other rows unchanged"):
    Region.scoped:
      val values = Vector.tabulate(5)(i => Line(i % 2 == 0, Point(1, i), Point(2, -i), i.toByte))
      val (rows, packed, columns) =
        (Rows.from(values), PackedRows.from(values), Columns.from(values))
      Ref.swap(rows.ref(1), rows.ref(3))
      packed.swap(1, 3)
      columns.swap(3, 1)
      rows.swap(2, 2)
      val swapped = Vector(0, 3, 2, 1, 4).map(values)
      assertEquals((rows.toVector, packed.toVector, columns.toVector), (swapped, swapped, swapped))
      Ref.copy(packed.ref(0), packed.ref(2))
      assertEquals(packed.toVector, Vector(0, 3, 0, 1, 4).map(values))
      val error = intercept[IndexOutOfBoundsException](columns.swap(1, 5))
      assertEquals(error.getMessage, "Index 5 out of bounds for length 5")
      assertEquals(columns.toVector, swapped)

  test("comparing, hashing, copying or swapping a stale reference throws and changes nothing"):
    Region.scoped:
      val rows = Rows.from(List(Trade(1, 2, 3, true)))
      val closed = Region.scoped(Rows[Trade](1).ref(0))
      val block = Ref(Trade(1, 2, 3, true))(using Malloc)
      Malloc.free(Ref.address(block))
      for stale <- List(closed, block) do
        intercept[StaleReferenceException](Ref.contentEquals(rows.ref(0), stale))
        intercept[StaleReferenceException](Ref.compare(stale, rows.ref(0)))
        intercept[StaleReferenceException](Ref.hash(stale))
        intercept[StaleReferenceException](Ref.copy(stale, rows.ref(0)))
        intercept[StaleReferenceException](Ref.swap(rows.ref(0), stale))
        intercept[StaleReferenceException](stale.transform(_.copy(price = 1)))
      assertEquals(rows.toVector, Vector(Trade(1, 2, 3, true)))

  test("transform with copy stores the changed fields only"):
    Region.scoped:
      val rows = Rows.from(List.fill(2)(Line(true, Point(1, 2), Point(3, 4), 5)))
      def raw = rows.segment.get(JAVA_BYTE, 0)
      // It is loaded as true; if it were stored again, it would be 1.
      rows.segment.set(JAVA_BYTE, 0, 2.toByte)
      rows.ref(0).transform(_.copy(width = 9))
      assertEquals((rows(0), raw), (Line(true, Point(1, 2), Point(3, 4), 9), 2.toByte))
      rows.ref(0).transform: line =>
        val x = (line.to.x + 1).toShort
        line.copy(to = line.to.copy(x = x), width = x.toByte)
      assertEquals((rows(0), raw), (Line(true, Point(1, 2), Point(4, 4), 4), 2.toByte))
      rows.transformAt(0)(line => line.copy(from = line.to, to = line.from))
      assertEquals((rows(0), raw), (Line(true, Point(4, 4), Point(1, 2), 4), 2.toByte))
      rows.transform(_.copy(to = Point(7, 7)))
      assertEquals((rows(0), raw), (Line(true, Point(4, 4), Point(7, 7), 4), 2.toByte))
      assertEquals(rows(1), Line(true, Point(1, 2), Point(7, 7), 5))
      rows.ref(0).transform(line => if line.width > 3 then line.copy(width = 1) else line)
      assertEquals((rows(0).width, raw), (1.toByte, 1.toByte))
      rows.ref(0).transform: line =>
        val to = line.to.copy(x = 3)
        sum += to.x
        line.copy(to = to)
      assertEquals((rows(0).to, sum), (Point(3, 7), 3L))
      val columns = Columns.from(rows.toVector)
      columns.transformAt(1)(_.copy(width = 8))
      assertEquals(columns(1), rows(1).copy(width = 8))

  test("transform with a copy that throws changes nothing"):
    Region.scoped:
      val rows = Rows.from(List(Bounded(1, 2)))
      intercept[IllegalArgumentException](rows.ref(0).transform(_.copy(from = 3)))
      rows.ref(0).transform(_.copy(from = 3, until = 4))
      def broken: Int = throw IllegalArgumentException("no end")
      intercept[IllegalArgumentException](rows.transformAt(0)(_.copy(from = 0, until = broken)))
      assertEquals(rows(0), Bounded(3, 4))

  test("comparing, hashing, copying, swapping and transforming references allocates nothing"):
    Region.scoped:
      val rows = Rows[Wide64](4)
      val (a, b) = (rows.ref(0), rows.ref(1))
      assertAllocates(0) { if Ref.contentEquals(a, b) then sum += 1 }
      assertAllocates(0) { sum += Ref.compare(a, b) }
      assertAllocates(0) { sum += Ref.hash(a) }
      assertAllocates(0) { Ref.copy(a, b) }
      assertAllocates(0) { Ref.swap(a, b) }
      assertAllocates(0) { rows.swap(2, 3) }
      assertAllocates(0) { a.transform(_.copy(f3 = 1, f60 = sum.toInt)) }
      assertAllocates(0) { rows.transformAt(2)(wide => wide.copy(f3 = wide.f60)) }
end PlacesTest

case class Bounded(from: Int, until: Int) derives Struct, CanEqual:
  require(from < until, s"[$from, $until)")
