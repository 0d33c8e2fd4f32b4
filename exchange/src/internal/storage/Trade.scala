package undercroft.exchange
package internal.storage

import undercroft.struct.*

/** One order on the exchange: the case class that the object storages keep on the heap and
  * Undercroft's storages keep off-heap.
  *
  * Money is exact: a trade's balance is a Long product, which no two Ints overflow; the balance of
  * a day is 128 bits wide (see [[ExactSum]]).
  */
final case class Trade(ticket: Int, amount: Int, price: Int, buy: Boolean) derives Struct:
  def balance: Long = Trade.balance(amount, price, buy)

object Trade:

  /** The arithmetic of every storage: a purchase is positive, a sale negative. */
  inline def balance(amount: Int, price: Int, buy: Boolean): Long =
    amount.toLong * price * (if buy then 1 else -1)
