import undercroft.memory.*
import undercroft.struct.*

enum Boat derives CanEqual:
  case Dinghy, Yacht

case class Finish(boat: Boat, sail: Text[8], seconds: Double, start: Long) derives Struct

@main def sortKeys(): Unit =
  Region.scoped:
    val finishes = Rows.from(
      List(
        Finish(Boat.Yacht, Text("GBR 7"), 3601.5, 9),
        Finish(Boat.Dinghy, Text("NED 12"), 2890.0, 9),
        Finish(Boat.Yacht, Text("FRA 3"), 3601.5, 10),
        Finish(Boat.Dinghy, Text("GER 1"), 2755.25, 10)
      )
    )
    println(finishes.minBy(f => (f.seconds, f.start)).sail.string) // by a tuple of any length
    println(finishes.maxBy(_.sail).sail.string) // by a text, compared on its bytes
    println(finishes.minBy(_.boat).sail.string) // by an enum: the first dinghy
    println(finishes.filter(_.start > 10).minByOption(_.sail))
    println(finishes.topBy(2)(f => (f.boat, desc(f.seconds))).map(_.sail.string).toVector)
    println(finishes.parSortBy(f => (f.sail, f.start)).map(_.sail.string).toVector)
    val ranked = finishes.sortBy(f => (f.boat, desc(f.start)))
    println(ranked.binarySearchBy(f => (f.boat, desc(f.start)))((Boat.Yacht, desc(10L))))
    finishes.groupBy(_.boat).foreach((boat, rows) => println(s"$boat: ${rows.sumOf(_.seconds)}"))
    println(finishes.groupBy(f => (f.boat, f.sail)).size)

// prints:
// GER 1
// NED 12
// NED 12
// None
// Vector(GBR 7, FRA 3)
// Vector(FRA 3, GBR 7, GER 1, NED 12)
// 2
// Yacht: 7203.0
// Dinghy: 5645.25
// 4
