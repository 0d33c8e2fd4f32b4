package undercroft.lab.bench

/** A program as a user writes it: for each of some case classes a method `dayN` that fills a table,
  * sums, counts, updates, loads and stores rows, filters, and finds the least.
  */
object CompiledProgram:
  /** The source of a program with so many classes, over `rows`, `arrays` or `segments`. */
  def apply(program: String, classes: Int): String =
    val (head, part) = program match
      case "rows"     => (rowsHead, rows)
      case "arrays"   => (arraysHead, arrays)
      case "segments" => (segmentsHead, segments)
      case other => throw IllegalArgumentException(s"no program $other: rows, arrays, segments")
    head + (0 until classes).map(k => part.replace("#", k.toString)).mkString

  private val rowsHead =
    """package program
      |import undercroft.memory.Region
      |import undercroft.struct.*
      |""".stripMargin

  private val rows =
    """
      |case class Order#(id: Long, price: Double, amount: Int, buy: Boolean) derives Struct
      |
      |def day#(n: Int): Double = Region.scoped:
      |  val orders = Rows.growing[Order#]
      |  for k <- 0 until n do orders += Order#(k, k * 1.5, k, k % 2 == 0)
      |  val total = orders.sumOf(order => order.price * order.amount)
      |  val many = orders.count(_.buy)
      |  orders.updateAt(0)(_.amount)(_ + 1)
      |  val last = orders(n - 1)
      |  orders(0) = last.copy(id = 7)
      |  val dear = orders.filter(_.price > 3).map(_.amount.toLong).sum
      |  val least = orders.minBy(_.price)
      |  total + many + dear + least.amount
      |""".stripMargin

  private val arraysHead =
    """package program
      |import scala.collection.mutable.ArrayBuffer
      |""".stripMargin

  private val arrays =
    """
      |case class Order#(id: Long, price: Double, amount: Int, buy: Boolean)
      |
      |def day#(n: Int): Double =
      |  val orders = ArrayBuffer[Order#]()
      |  for k <- 0 until n do orders += Order#(k, k * 1.5, k, k % 2 == 0)
      |  val total = orders.map(order => order.price * order.amount).sum
      |  val many = orders.count(_.buy)
      |  orders(0) = orders(0).copy(amount = orders(0).amount + 1)
      |  val last = orders(n - 1)
      |  orders(0) = last.copy(id = 7)
      |  val dear = orders.view.filter(_.price > 3).map(_.amount.toLong).sum
      |  val least = orders.minBy(_.price)
      |  total + many + dear + least.amount
      |""".stripMargin

  private val segmentsHead =
    """package program
      |import java.lang.foreign.{Arena, MemorySegment}
      |import java.lang.foreign.ValueLayout.*
      |""".stripMargin

  private val segments =
    """
      |case class Order#(id: Long, price: Double, amount: Int, buy: Boolean)
      |
      |def load#(orders: MemorySegment, at: Long): Order# =
      |  Order#(
      |    orders.get(JAVA_LONG, at),
      |    orders.get(JAVA_DOUBLE, at + 8),
      |    orders.get(JAVA_INT, at + 16),
      |    orders.get(JAVA_BYTE, at + 20) != 0
      |  )
      |
      |def store#(orders: MemorySegment, at: Long, order: Order#): Unit =
      |  orders.set(JAVA_LONG, at, order.id)
      |  orders.set(JAVA_DOUBLE, at + 8, order.price)
      |  orders.set(JAVA_INT, at + 16, order.amount)
      |  orders.set(JAVA_BYTE, at + 20, if order.buy then 1.toByte else 0.toByte)
      |
      |def day#(n: Int): Double =
      |  val arena = Arena.ofConfined()
      |  try
      |    val orders = arena.allocate(n * 24L)
      |    val end = n * 24L
      |    for k <- 0 until n do store#(orders, k * 24L, Order#(k, k * 1.5, k, k % 2 == 0))
      |    var total = 0.0
      |    var at = 0L
      |    while at < end do
      |      total += orders.get(JAVA_DOUBLE, at + 8) * orders.get(JAVA_INT, at + 16)
      |      at += 24
      |    var many = 0L
      |    at = 0
      |    while at < end do
      |      if orders.get(JAVA_BYTE, at + 20) != 0 then many += 1
      |      at += 24
      |    orders.set(JAVA_INT, 16, orders.get(JAVA_INT, 16) + 1)
      |    val last = load#(orders, (n - 1) * 24L)
      |    store#(orders, 0, last.copy(id = 7))
      |    var dear = 0L
      |    at = 0
      |    while at < end do
      |      if orders.get(JAVA_DOUBLE, at + 8) > 3 then dear += orders.get(JAVA_INT, at + 16)
      |      at += 24
      |    var least = 0L
      |    at = 24
      |    while at < end do
      |      if orders.get(JAVA_DOUBLE, at + 8) < orders.get(JAVA_DOUBLE, least + 8) then least = at
      |      at += 24
      |    total + many + dear + load#(orders, least).amount
      |  finally arena.close()
      |""".stripMargin
end CompiledProgram
