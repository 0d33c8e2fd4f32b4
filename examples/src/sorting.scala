import undercroft.memory.*
import undercroft.struct.*

case class Match(round: Int, score: Double, player: Text[16]) derives Struct

@main def sorting(): Unit =
  Region.scoped:
    val matches = Columns.from(
      List(
        Match(1, 7.5, Text("Zoë")),
        Match(2, 9.0, Text("Ada")),
        Match(3, 7.5, Text("Bo")),
        Match(4, 1.0, Text("Ada"))
      )
    )
    val best = matches.sortBy(m => -m.score) // a new table; equal keys keep their order
    println(best.map(_.round).toVector)
    matches.sortInPlaceBy(_.player) // rows change places
    println(matches.map(_.player.string).toVector)
    val ranked = matches.sortBy(m => (desc(m.score), m.player))
    println(ranked.map(_.round).toVector)
    matches.sortInPlaceBy(m => (m.player, desc(m.round))) // fields, as in all keys above 8 bytes
    println(matches.map(_.round).toVector)
    matches.sortInPlaceBy(_.score)
    println(matches.binarySearchBy(_.score)(7.5)) // the first row with that score
    println(matches.binarySearchBy(_.score)(8.0)) // none: -3 - 1, it would be before row 3

// prints:
// Vector(2, 1, 3, 4)
// Vector(Ada, Ada, Bo, Zoë)
// Vector(2, 3, 1, 4)
// Vector(4, 2, 3, 1)
// 1
// -4
