package undercroft.struct

import org.scalacheck.{Arbitrary, Gen, Prop}
import org.scalacheck.Prop.forAll
import undercroft.memory.Region

case class Every(
    a: Boolean,
    b: Byte,
    c: Short,
    d: Char,
    e: Int,
    f: Long,
    g: Float,
    h: Double
) derives Struct, CanEqual

case class Deep(first: Byte, at: Line, every: Every, last: Short) derives Struct, CanEqual

class PropertyTest extends undercroft.tools.PropertySuite:

  private val point = for x <- Arbitrary.arbitrary[Short]; y <- doubles yield Point(x, y)
  private val line =
    for o <- Arbitrary.arbitrary[Boolean]; f <- point; t <- point; w <- Arbitrary.arbitrary[Byte]
    yield Line(o, f, t, w)
  private val every =
    for
      a <- Arbitrary.arbitrary[Boolean]
      b <- Arbitrary.arbitrary[Byte]
      c <- Arbitrary.arbitrary[Short]
      d <- Gen.choose(Char.MinValue, Char.MaxValue)
      e <- Gen.oneOf(Arbitrary.arbitrary[Int], Gen.oneOf(Int.MinValue, Int.MaxValue, 0, -1))
      f <- Gen.oneOf(Arbitrary.arbitrary[Long], Gen.oneOf(Long.MinValue, Long.MaxValue, 0L, -1L))
      g <- Gen.oneOf(Arbitrary.arbitrary[Float], Gen.oneOf(-0f, Float.NaN, Float.MinPositiveValue))
      h <- doubles
    yield Every(a, b, c, d, e, f, g, h)
  private val deep =
    for f <- Arbitrary.arbitrary[Byte]; l <- line; e <- every; s <- Arbitrary.arbitrary[Short]
    yield Deep(f, l, e, s)

  private def doubles: Gen[Double] =
    Gen.oneOf(Arbitrary.arbitrary[Double], Gen.oneOf(-0.0, Double.NaN, Double.MaxValue))

  private def same(a: Deep, b: Deep): Boolean =
    // As text: NaN is not equal to itself, and -0.0 is equal to 0.0.
    a.toString == b.toString

  private def stores[L <: Layout](tables: TableFactory[L]): Prop =
    forAll(Gen.nonEmptyListOf(deep), Arbitrary.arbitrary[Int]): (values, seed) =>
      Region.scoped:
        val table = tables[Deep](values.size)
        val order = scala.util.Random(seed).shuffle(values.indices.toList)
        order.forall: i =>
          table(i) = values(i)
          same(table(i), values(i))
        && values.indices.forall(i => same(table(i), values(i)))

  property("rows return the stored values and change no other row")(stores(Rows))
  property("packed rows return the stored values and change no other row")(stores(PackedRows))
  property("columns return the stored values and change no other row")(stores(Columns))

  property("code for known layouts agrees with generic code on fields and whole rows"):
    forAll(Gen.nonEmptyListOf(deep)): values =>
      Region.scoped:
        val rows = Rows.from(values)
        val packed = PackedRows[Deep](rows.size)
        val columns = Columns[Deep](rows.size)
        packed.setFrom(rows)(identity)
        columns.setFrom(packed)(deep => deep)
        values.indices.forall: i =>
          val value = values(i)
          same(rows(i), value) && same(packed(i), value) && same(columns(i), value) &&
          rows.ref(i).at.to.x == value.at.to.x && packed.ref(i).every.f == value.every.f &&
          same(packed.ref(i)(), value) && same(rows.ref(i)(), value) &&
          columns.slice(i, i + 1).sumOf(_.every.e) == value.every.e.toLong

  property("the operations of rows and columns agree with a Vector"):
    forAll(Gen.listOf(every), Arbitrary.arbitrary[Int]): (values, limit) =>
      Region.scoped:
        val rows = Rows.from(values)
        val columns = Columns.from(values)
        val vector = values.toVector
        def agree[L <: Layout, A](ofRows: A, ofColumns: A, expected: A)(using CanEqual[A, A]) =
          ofRows == expected && ofColumns == expected
        agree(rows.count(_.e < limit), columns.count(_.e < limit), vector.count(_.e < limit).toLong)
        && agree(
          rows.exactSumOf(_.f),
          columns.exactSumOf(_.f),
          vector.map(value => BigInt(value.f)).sum
        )
        && agree(rows.sumOf(_.e), columns.sumOf(_.e), vector.map(_.e.toLong).sum)
        && agree(rows.exists(_.a), columns.exists(_.a), vector.exists(_.a))
        && agree(rows.forall(_.a), columns.forall(_.a), vector.forall(_.a))
        && agree(
          rows.filter(_.a).map(_.e).toVector,
          columns.filter(_.a).map(_.e).toVector,
          vector.filter(_.a).map(_.e)
        )
        && agree(
          rows.indexWhere(_.e < limit),
          columns.indexWhere(_.e < limit),
          vector.indexWhere(_.e < limit).toLong
        )
        && agree(
          rows.foldLeft(1L)((sum, value) => sum * 31 + value.e),
          columns.foldLeft(1L)((sum, value) => sum * 31 + value.e),
          vector.foldLeft(1L)((sum, value) => sum * 31 + value.e)
        )
        && (vector.isEmpty || agree(rows.maxOf(_.f), columns.maxOf(_.f), vector.map(_.f).max))
        && (vector.isEmpty || agree(rows.minBy(_.e).e, columns.minBy(_.e).e, vector.map(_.e).min))
        && agree(
          rows.find(_.e < limit).map(_.toString),
          columns.find(_.e < limit).map(_.toString),
          vector.find(_.e < limit).map(_.toString)
        )
end PropertyTest
