import scala.collection.mutable.ArrayBuffer
import undercroft.memory.Region
import undercroft.struct.*

/** The trading day of the article: orders are recorded one by one, then the day is balanced. */
trait StockExchange:
  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit
  def dayBalance: Double

case class DayOrder(ticket: Int, amount: Int, price: Int, buy: Boolean) derives Struct:
  def balance: Double = amount.toLong * price * (if buy then 1.0 else -1.0)

/** Orders are objects, which the garbage collector follows. */
class OnHeap extends StockExchange:
  private val orders = ArrayBuffer[DayOrder]()
  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    orders += DayOrder(ticket, amount, price, buy)
  def dayBalance: Double = orders.map(_.balance).sum

/** Orders are rows of 13 bytes; the object is never created. */
class OffHeap(using Region) extends StockExchange:
  private val orders = PackedRows.growing[DayOrder]
  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    orders += DayOrder(ticket, amount, price, buy)
  def dayBalance: Double = orders.sumOf(_.balance)

def day(exchange: StockExchange, orders: Int): Double =
  for i <- 0 until orders do exchange.order(i, 100 + i % 7, 250 + i % 3, buy = i % 2 == 0)
  exchange.dayBalance

@main def stockExchange(): Unit =
  println(day(OnHeap(), 100_001))
  Region.scoped:
    println(day(OffHeap(), 100_001))

// prints:
// 26712.0
// 26712.0
