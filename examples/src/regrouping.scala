import undercroft.memory.*
import undercroft.struct.*

case class Sale(shop: Int, day: Int, amount: Long) derives Struct

@main def regrouping(): Unit =
  Region.scoped:
    val sales = Columns.tabulate[Sale](12)(i => Sale(i.toInt % 3, i.toInt / 3, i * i % 7))
    val (large, small) = sales.partition(_.amount > 2) // two slices of one new table
    println(s"${large.size} large, ${small.size} small")
    val shops = sales.groupBy(_.shop) // a new table; rows of a shop are adjacent
    shops.foreach((shop, rows) => println(s"shop $shop: ${rows.sumOf(_.amount)}"))
    println(shops(2).map(_.day).toVector)
    val best = sales.groupMapReduce(_.day)(_.amount)((a, b) => a.max(b)) // a StructMap
    println(best(1))
    println(sales.topBy(2)(_.amount).map(_.day).toVector) // of equal amounts the earlier rows
    println(sales.distinctBy(_.amount).size)

// prints:
// 3 large, 9 small
// shop 0: 7
// shop 1: 5
// shop 2: 11
// Vector(0, 1, 2, 3)
// 4
// Vector(0, 1)
// 4
