import undercroft.memory.*
import undercroft.struct.*

case class Tariff(pence: Long, day: Int) derives Struct

@main def tariffs(): Unit =
  Region.scoped:
    val tariffs = StructMap.from( // keys are the numbers of zones
      List(7 -> Tariff(250, day = 3), 8 -> Tariff(180, day = 1), 9 -> Tariff(99, day = 2))
    )
    println(tariffs.putIfAbsent(7, Tariff(999, day = 4))) // false: the key is present
    println(tariffs.getOrElseUpdate(10, Tariff(120, day = 4)).pence) // adds the key
    println(tariffs.count((_, tariff) => tariff.pence < 200))
    println(tariffs.removeIf((_, tariff) => tariff.day < 3)) // one loop, without garbage
    println(tariffs.keys.toVector.sorted) // a view, in no defined order
    println(tariffs.values.sumOf(_.pence))
    println(tariffs.toMap == Map(7 -> Tariff(250, 3), 10 -> Tariff(120, 4))) // on the heap

// prints:
// false
// 120
// 3
// 2
// Vector(7, 10)
// 370
// true
