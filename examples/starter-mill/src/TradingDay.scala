import undercroft.memory.*
import undercroft.struct.*

case class Trade(ticket: Int, amount: Int, price: Int, buy: Boolean) derives Struct:
  def balance: Long = amount.toLong * price * (if buy then 1 else -1)

@main def tradingDay(): Unit =
  Region.scoped: // all memory in here is freed at its end
    val trades = Rows[Trade](1_000_000) // or Columns: one word changes the layout, nothing else
    for i <- 0 until 1_000_000 do
      trades(i) = Trade(i, 100, 250 + i % 3, buy = i % 2 == 0) // stores fields; keeps no object
    println(trades.sumOf(_.balance)) // one loop over the memory
    println(trades.filter(_.buy).map(_.price).max)
