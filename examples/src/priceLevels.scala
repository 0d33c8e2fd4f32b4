import undercroft.memory.*
import undercroft.struct.*

@main def priceLevels(): Unit =
  Region.scoped:
    val asks = StructTreeMap[Long, Int]() // the amount at each price
    for (price, amount) <- List(103L -> 20, 101L -> 30, 102L -> 50, 101L -> 5) do
      asks.updateOrElse(price, 0)(_ + amount)
    println(asks.firstKey) // the best price
    println(asks.higherKey(101, -1)) // the next one, or -1
    asks.foreachIn(101, 103)((price, amount) => println(s"$price $amount")) // in order
    println(asks.getOrElseUpdate(104, 0)) // added
    println(asks.remove(101))
    println(asks.firstKey)

// prints:
// 101
// 102
// 101 35
// 102 50
// 0
// true
// 102
