package outside.protocols

import undercroft.memory.*
import undercroft.struct.*

/** Enums and sealed types in a trait, used outside the trait. */
class MemberTypeTest extends undercroft.tools.Suite:

  test("the cases of an enum in a trait are those of the object that a type names"):
    Region.scoped:
      val bids = Vector(First.Bid(1, First.Side.Buy), First.Bid(2, First.Side.Sell))
      val rows = Rows.from(bids)
      assertEquals(rows.toVector, bids)
      assertEquals(rows.map(_.side).toVector, Vector(First.Side.Buy, First.Side.Sell))
      assertEquals(rows.count(_.side == First.Side.Sell), 1L)
      rows.ref(0).side = First.Side.Sell
      rows(1) = First.Bid(3, First.Side.Buy)
      assertEquals(rows.map(_.side).toVector, Vector(First.Side.Sell, First.Side.Buy))

  test("the cases of an enum with fields and of a sealed trait in a trait are loaded and matched"):
    Region.scoped:
      val entries = Vector(
        First.Entry(1, First.Order.Limit(5), First.Dark),
        First.Entry(2, First.Order.Market, First.Exchange(7))
      )
      val rows = Rows.from(entries)
      assertEquals(rows.toVector, entries)
      assertEquals(rows.map(_.order).toVector, entries.map(_.order))
      val prices = rows.map: entry =>
        entry.order match
          case First.Order.Limit(price) => price
          case First.Order.Market       => 0
      assertEquals(prices.toVector, Vector(5, 0))
      val codes = rows.map: entry =>
        entry.venue match
          case First.Exchange(code) => code
          case First.Dark           => 1
      assertEquals(codes.toVector, Vector(1, 7))

  test("the types of a val are those of its object"):
    Region.scoped:
      val second = new Protocol {}
      val rows = Rows.from(List(second.Bid(1, second.Side.Sell)))
      assertEquals(rows.map(_.side).toVector, Vector(second.Side.Sell))

  test("an enum of an unknown object of a trait does not load, and the error says why"):
    val errors = compileErrors("def f(rows: Rows[Protocol#Bid]) = rows.map(_.side).toVector")
    assert(!errors.contains("Exception occurred"), errors)
    assert(errors.contains("Side is a member of Protocol, and the type here names no"), errors)
end MemberTypeTest
