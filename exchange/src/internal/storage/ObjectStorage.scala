package undercroft.exchange
package internal.storage

import scala.collection.mutable.{ArrayBuffer, ListBuffer}

/** Trades as objects in a linked list: an object and a list cell a trade. */
final class ListBufferExchange(capacity: Long) extends StockExchange:
  CapacityExceeded.orElse(capacity, 1, Int.MaxValue, "a ListBuffer's count"): Unit
  private val trades = ListBuffer.empty[Trade]

  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    trades += Trade(ticket, amount, price, buy)

  def dayBalance: BigInt =
    var rest = trades.toList // shares the cells, copies nothing
    ExactSum.sumWhile(rest.nonEmpty):
      val balance = rest.head.balance
      rest = rest.tail
      balance

  def bytesHeld: Option[Long] = None
  def close(): Unit = ()
end ListBufferExchange

/** Trades as objects in a growing array of references. */
final class ArrayBufferExchange(capacity: Long) extends StockExchange:
  CapacityExceeded.orElse(capacity, 1, CapacityExceeded.LongestArray, "an array"): Unit
  private val trades = ArrayBuffer.empty[Trade]

  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    trades += Trade(ticket, amount, price, buy)

  def dayBalance: BigInt =
    val count = trades.size
    var at = 0
    ExactSum.sumWhile(at < count):
      val balance = trades(at).balance
      at += 1
      balance

  def bytesHeld: Option[Long] = None
  def close(): Unit = ()
end ArrayBufferExchange
