package undercroft.lab.bench

/** The article's exchange: trades are recorded one by one, then the day's balance is taken. */
trait StockExchange extends AutoCloseable:
  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit

  /** The sum of amount x price over all trades, sales negative. */
  def dayBalance: Long
end StockExchange

object StockExchange:

  /** Records `trades` trades and returns the balance: trade `i` has ticket, amount and price `i`,
    * and even ones buy.
    */
  def day(exchange: StockExchange, trades: Int): Long =
    var i = 0
    while i < trades do
      exchange.order(i, i, i, (i & 1) == 0)
      i += 1
    exchange.dayBalance
end StockExchange
