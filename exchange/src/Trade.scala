package undercroft.exchange

import undercroft.struct.*

/** One order on the exchange, as its author would write it anywhere: the case class that the object
  * storages keep on the heap and Undercroft's keep below it.
  *
  * Money is exact: a trade's balance is a Long product, which no two Ints overflow; a day's is 128
  * bits wide (see [[Total]]).
  */
final case class Trade(ticket: Int, amount: Int, price: Int, buy: Boolean) derives Struct:
  def balance: Long = Trade.balance(amount, price, buy)

object Trade:

  /** The one arithmetic of every storage: what is bought counts up, what is sold counts down. */
  inline def balance(amount: Int, price: Int, buy: Boolean): Long =
    amount.toLong * price * (if buy then 1 else -1)
