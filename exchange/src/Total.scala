package undercroft.exchange

/** An exact sum of Longs, 128 bits wide. For one thread; adding allocates nothing. */
final class Total:
  private var high = 0L
  private var low = 0L

  def add(product: Long): Unit =
    val sum = low + product
    high += Total.carry(low, product, sum)
    low = sum

  def value: BigInt = Total.exact(high, low)

object Total:

  /** The exact sum of `product` for as long as there is `more`, with the sum kept in local
    * variables: the loop that every storage of ours and of theirs runs.
    */
  inline def sumWhile(inline more: Boolean)(inline product: Long): BigInt =
    var high = 0L
    var low = 0L
    while more do
      val next = product
      val sum = low + next
      high += carry(low, next, sum)
      low = sum
    exact(high, low)

  /** What the high half gains when `low + product` wrapped around to `sum`. */
  private[exchange] inline def carry(low: Long, product: Long, sum: Long): Long =
    if ((low ^ sum) & (product ^ sum)) < 0 then (if product > 0 then 1L else -1L) else 0L

  private[exchange] def exact(high: Long, low: Long): BigInt = (BigInt(high) << 64) + low
