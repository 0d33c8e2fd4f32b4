import java.time.Duration
import undercroft.memory.*
import undercroft.struct.*

case class Ride(line: Int, fare: BigDecimal, took: Duration) derives Struct

@main def rides(): Unit =
  Region.scoped:
    val rides = Columns.tabulate[Ride](5)(i =>
      Ride((i * 2 % 5).toInt, BigDecimal(i + 1) / 10, Duration.ofMinutes(10 + i))
    )
    println(rides.filter(_.line > 1).sumOf(_.fare)) // with every digit
    println(rides.sumOf(_.took))
    println(rides.map(_.line).average)
    println(rides.map(_.line).indexOf(4))
    println(rides.grouped(2).map(_.size).toVector) // slices
    val late = rides.filter(_.line > 1).sortBy(ride => desc(ride.line)) // a new table, of rows
    println(late.map(_.line).toVector)
    println(rides.filter(_.line > 1).groupBy(_.line % 2)(0).size)

// prints:
// 1.00
// PT1H
// 2.0
// 2
// Vector(2, 2, 1)
// Vector(4, 3, 2)
// 2
