package undercroft.lab.bench

import java.nio.ByteBuffer
import scala.collection.mutable.{ArrayBuffer, ListBuffer}

/** Objects in a linked list. */
final class ListBufferExchange extends StockExchange:
  private val trades = ListBuffer[Trade]()
  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    trades += Trade(ticket, amount, price, buy)
    ()
  def dayBalance: Long =
    var sum = 0L
    trades.foreach(trade => sum += trade.balance)
    sum
  def close(): Unit = trades.clear()
end ListBufferExchange

/** Objects in a growing array. */
final class ArrayBufferExchange extends StockExchange:
  private val trades = ArrayBuffer[Trade]()
  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    trades += Trade(ticket, amount, price, buy)
    ()
  def dayBalance: Long =
    var sum = 0L
    var i = 0
    while i < trades.length do
      sum += trades(i).balance
      i += 1
    sum
  def close(): Unit = trades.clear()
end ArrayBufferExchange

/** Four Ints a trade in one array. */
final class IntArrayExchange(trades: Int) extends StockExchange:
  private val ints = new Array[Int](Math.multiplyExact(trades, 4))
  private var size = 0
  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    ints(size) = ticket
    ints(size + 1) = amount
    ints(size + 2) = price
    ints(size + 3) = if buy then 1 else 0
    size += 4
  def dayBalance: Long =
    var sum = 0L
    var i = 0
    while i < size do
      sum += ints(i + 1).toLong * ints(i + 2) * (if ints(i + 3) != 0 then 1 else -1)
      i += 4
    sum
  def close(): Unit = ()
end IntArrayExchange

/** Packed trades of 13 bytes in a ByteBuffer, on the heap or direct. */
final class BufferExchange(buffer: ByteBuffer) extends StockExchange:
  private var size = 0
  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    buffer.putInt(size, ticket)
    buffer.putInt(size + 4, amount)
    buffer.putInt(size + 8, price)
    buffer.put(size + 12, (if buy then 1 else 0).toByte)
    size += 13
  def dayBalance: Long =
    var sum = 0L
    var i = 0
    while i < size do
      sum += buffer.getInt(i + 4).toLong * buffer.getInt(i + 8) *
        (if buffer.get(i + 12) != 0 then 1 else -1)
      i += 13
    sum
  def close(): Unit = if buffer.isDirect then Raw.unsafe.invokeCleaner(buffer)
end BufferExchange

object BufferExchange:
  private def ordered(buffer: ByteBuffer | Null) =
    BufferExchange(buffer.nn.order(java.nio.ByteOrder.nativeOrder()).nn)
  def heap(trades: Int): BufferExchange =
    ordered(ByteBuffer.allocate(Math.multiplyExact(trades, 13)))
  def direct(trades: Int): BufferExchange =
    ordered(ByteBuffer.allocateDirect(Math.multiplyExact(trades, 13)))
end BufferExchange
