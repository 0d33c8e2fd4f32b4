import undercroft.memory.*
import undercroft.struct.*

enum Suit:
  case Clubs, Diamonds, Hearts, Spades

case class Interval[A](from: A, until: A) derives Struct

@main def elements(): Unit =
  Region.scoped:
    val prices = Rows.from(List(250, 253, 249, 253)) // Rows[Int]
    println((prices.sum, prices.max))
    println(prices.distinct.sortBy(identity).toVector)
    prices.transform(_ + 1)
    println(prices(0))

    val hand = Columns.growingTo[Suit](maxRows = 13)
    hand += Suit.Hearts
    hand += Suit.Spades
    println(hand.indexWhere(_ == Suit.Spades))

    val limits = Rows.growing[Option[Long]]
    limits.appendAll(List(Some(260L), None))
    println(limits.map(_.getOrElse(0L)).sum)

    val ranges =
      PackedRows.from(List(Interval(1L, 5L), Interval(7L, 9L))) // PackedRows[Interval[Long]]
    println(ranges.map(range => range.until - range.from).sum)

    val lengths = StructMap[Interval[Int], Option[Int]]()
    lengths(Interval(1, 5)) = Some(4)
    println(lengths(Interval(1, 5)))

// prints:
// (1005,253)
// Vector(249, 250, 253)
// 251
// 1
// 260
// 6
// Some(4)
