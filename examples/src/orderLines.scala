import undercroft.memory.*
import undercroft.struct.*

case class OrderLine(article: Int, amount: Int, price: Int) derives Struct
case class CustomerOrder(id: Long, lines: RowsRef[OrderLine]) derives Struct

@main def orderLines(): Unit =
  Region.scoped:
    val orders = Rows.growing[CustomerOrder]
    orders += CustomerOrder(1, RowsRef(OrderLine(7, 2, 250), OrderLine(8, 1, 990)))
    orders += CustomerOrder(2, RowsRef.empty)
    orders += CustomerOrder(3, RowsRef.from(List.tabulate(100)(i => OrderLine(i, 1, 10))))

    println(orders(0).lines.size)
    println(orders(0).lines(1))
    println(orders(2).lines.sumOf(line => line.amount * line.price)) // allocates nothing
    println(orders.filter(_.lines.exists(_.article == 8)).map(_.id).toVector)
    println(orders.sumOf(_.lines.count(_.price > 100)))

    val first = orders.ref(0)
    first.lines = RowsRef.from(first.lines.filter(_.amount > 1)) // a new run
    println(first.lines == RowsRef(OrderLine(7, 2, 250)))

  val stale = Region.named("morning")(RowsRef(OrderLine(7, 2, 250)))
  try println(stale(0))
  catch case error: StaleReferenceException => println(error.owner)
end orderLines

// prints:
// 2
// OrderLine(8,1,990)
// 1000
// Vector(1, 3)
// 2
// true
// Some(region "morning")
