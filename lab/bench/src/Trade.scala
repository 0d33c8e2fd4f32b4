package undercroft.lab.bench

import undercroft.struct.*

/** The article's trade: an object on the heap, and an off-heap struct. */
final case class Trade(ticket: Int, amount: Int, price: Int, buy: Boolean) derives Struct:
  def balance: Long = amount.toLong * price * (if buy then 1 else -1)
