package undercroft.lab.bench

/** The article's trade as an object on the heap. */
final case class HeapTrade(ticket: Int, amount: Int, price: Int, buy: Boolean):
  def balance: Long = amount.toLong * price * (if buy then 1 else -1)
