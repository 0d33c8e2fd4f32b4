package offheap211

import java.util.function.LongUnaryOperator
import scala.offheap.{data, malloc, EmbedArray}

@data class Trade(ticket: Int, amount: Int, price: Int, buy: Boolean)

/** A trading day as the second article stores it: data classes in an `EmbedArray` on `malloc`.
  * Takes the number of trades, and returns the day's balance.
  */
final class EmbedArrayDay extends LongUnaryOperator {
  private implicit val allocator: scala.offheap.Allocator = malloc

  def applyAsLong(count: Long): Long = {
    val trades = count.toInt
    val kept = EmbedArray.uninit[Trade](trades)
    try {
      var i = 0
      while (i < trades) {
        kept(i) = Trade(i, i, i, (i & 1) == 0)
        i += 1
      }
      balance(kept, trades)
    } finally malloc.free(kept.addr)
  }

  private def balance(kept: EmbedArray[Trade], trades: Int): Long = {
    var sum = 0L
    var i = 0
    while (i < trades) {
      val trade = kept(i)
      sum += trade.amount.toLong * trade.price * (if (trade.buy) 1 else -1)
      i += 1
    }
    sum
  }
}
