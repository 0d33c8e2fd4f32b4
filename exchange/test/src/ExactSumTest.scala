package undercroft.exchange

import internal.storage.{ExactSum, Trade}
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

class ExactSumTest extends undercroft.tools.PropertySuite:
  private val edges = Gen.oneOf(0L, 1L, -1L, Long.MaxValue, Long.MinValue, 1L << 32, -(1L << 32))
  private val terms = Gen.listOf(Gen.frequency(1 -> edges, 2 -> Gen.long))

  property("ExactSum equals the sum of BigInts"):
    forAll(terms): terms =>
      var rest = terms
      val sum = ExactSum.sumWhile(rest.nonEmpty):
        val term = rest.head
        rest = rest.tail
        term
      assertEquals(sum, terms.map(BigInt(_)).sum)

  property("a Total equals the sum of BigInts and counts its terms"):
    forAll(terms): terms =>
      val total = ExactSum()
      terms.foreach(total.add)
      assertEquals(total.value, terms.map(BigInt(_)).sum)
      assertEquals(total.count, terms.size.toLong)

  test("a product of two Ints past 46 341 is exact"):
    assertEquals(Trade(1, 46_341, 46_341, true).balance, 2_147_488_281L)
    assertEquals(Trade(1, Int.MinValue, Int.MinValue, false).balance, -(1L << 62))
end ExactSumTest
