import undercroft.memory.*
import undercroft.struct.*

case class Spread(second: Int, bid: Int, ask: Int) derives Struct

@main def rowViews(): Unit =
  Region.scoped:
    val quotes =
      Rows.tabulate[Spread](8)(i => Spread(i.toInt, 250 + i.toInt % 3, 252 + i.toInt % 2))
    println(quotes.reverse.map(_.second).toVector)
    println(quotes.strided(3).sumOf(_.bid)) // rows 0, 3 and 6
    val moves = quotes.zip(quotes.drop(1)).map((before, after) => after.bid - before.bid)
    println(moves.to(List))
    println(moves.scanLeft(0L)(_ + _).max) // the highest of the running totals
    println(quotes.sliding(3, step = 2).map(_.maxOf(_.ask)).toVector) // slices of the same memory

    println((quotes.head.second, quotes.last.second))
    val (early, late) = quotes.span(_.second < 5) // slices, too
    println((early.size, late.size))
    println(quotes.map(_.bid).take(3).mkString("[", ", ", "]"))
    println(quotes.collect { case Spread(second, 252, ask) => (second, ask) }.toList)
    val narrow = Columns.from(quotes.filter(q => q.ask - q.bid < 2)) // a new table
    println(narrow.map(_.second).toList)

// prints:
// Vector(7, 6, 5, 4, 3, 2, 1, 0)
// 750
// List(1, 1, -2, 1, 1, -2, 1)
// 2
// Vector(253, 253, 253, 253)
// (0,7)
// (5,3)
// [250, 251, 252]
// List((2,252), (5,253))
// List(2, 4, 5)
