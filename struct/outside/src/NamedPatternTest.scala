package outside.struct

import undercroft.memory.*
import undercroft.struct.*

case class Bid(id: Int, price: Long, isOpen: Boolean) derives Struct, CanEqual

enum Venue derives Struct, CanEqual:
  case Floor(seat: Int)
  case Screen(rack: Int, line: Int)
import Venue.*

case class Ticketed(number: Int, venue: Venue, limit: Option[Int]) derives Struct, CanEqual

/** Patterns that name fields, `case Bid(price = p)`, in any order and without the others. */
class NamedPatternTest extends undercroft.tools.Suite:

  private val bids = Vector.tabulate(6)(i => Bid(i, 10L * i, i % 2 == 0))
  private val orders = Vector.tabulate(6): i =>
    Ticketed(i, if i % 2 == 0 then Floor(i) else Screen(i, 7), Option.when(i > 2)(i))

  private inline def same[A](values: Vector[A])(inline f: A => Long)(using Struct[A]): Unit =
    Region.scoped:
      val (rows, columns) = (Rows.from(values), Columns.from(values))
      val packed = PackedRows.from(values)
      assertEquals(rows.map(f).toVector, values.map(f))
      assertEquals(columns.map(f).toVector, values.map(f))
      assertEquals(values.indices.map(i => packed.ref(i)(f)).toVector, values.map(f))
      assertEquals(rows.foldLeft(0L)((sum, row) => sum + f(row)), values.map(f).sum)

  test("one field, by a literal or by a name"):
    same(bids):
      case Bid(id = 3) => 100
      case _           => 0
    same(bids) { case Bid(price = p) => p }
    same(bids)(bid =>
      bid match
        case Bid(isOpen = true) => 1;
        case Bid(id = n)        => -n
    )

  test("several fields in another order, with a guard"):
    same(bids):
      case Bid(isOpen = true, id = n) if n > 1 => n
      case Bid(price = p, id = n)              => p * n

  test("cases of an enum, and Options, within a struct"):
    same(orders):
      case Ticketed(venue = Screen(line = l), number = n) => l * n
      case Ticketed(venue = Floor(seat = s))              => s
    same(orders)(order =>
      order.venue match
        case Screen(line = l) => l
        case Floor(s)         => s
    )
    same(orders):
      case Ticketed(limit = Some(value = v), number = n) => v + n
      case Ticketed(limit = None)                        => 0

  test("a whole value within"):
    same(orders):
      case Ticketed(venue = v @ Screen(rack = r)) => v.hashCode + r
      case Ticketed(venue = v)                    => v.hashCode

  test("a match on another value in a function over rows"):
    val kept = Bid(4, 40, true)
    same(bids)(bid =>
      kept match
        case Bid(price = p) => p + bid.id
    )

  test("the function of an update, a transform and a sort"):
    Region.scoped:
      val rows = Rows.from(bids)
      rows.transform { case Bid(price = p, id = n) => Bid(n + 1, p, false) }
      assertEquals(rows(5), Bid(6, 50, false))
      val of = Rows.from(orders)
      of.updateAt(1)(_.venue) { case Screen(line = l) => Floor(l); case other => other }
      assertEquals(of(1).venue, Floor(7))
      val sorted = of.sortBy { case Ticketed(number = n) => -n }
      assertEquals(sorted.map(_.number).toVector, Vector(5, 4, 3, 2, 1, 0))
end NamedPatternTest
