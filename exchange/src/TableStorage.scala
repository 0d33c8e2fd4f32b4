package undercroft.exchange

import undercroft.memory.Region
import undercroft.struct.*

/** Trades as structs outside the heap, in the layout of the C ABI: 16 bytes each. */
final class RowsExchange(capacity: Long) extends StockExchange:
  private given region: Region = Region.shared()
  private val trades = Rows[Trade](capacity)
  private var count = 0L

  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    trades(count) = Trade(ticket, amount, price, buy)
    count += 1

  def dayBalance: BigInt = trades.slice(0, count).exactSumOf(_.balance)
  def bytesHeld: Option[Long] = Some(count * Struct[Trade].size)
  def close(): Unit = region.close()
end RowsExchange

/** Trades as structs without padding: 13 bytes each. One word is different. */
final class PackedRowsExchange(capacity: Long) extends StockExchange:
  private given region: Region = Region.shared()
  private val trades = PackedRows[Trade](capacity)
  private var count = 0L

  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    trades(count) = Trade(ticket, amount, price, buy)
    count += 1

  def dayBalance: BigInt = trades.slice(0, count).exactSumOf(_.balance)
  def bytesHeld: Option[Long] = Some(count * Struct[Trade].packedSize)
  def close(): Unit = region.close()
end PackedRowsExchange

/** Trades as four columns, 13 bytes each: the balance does not read the tickets. */
final class ColumnsExchange(capacity: Long) extends StockExchange:
  private given region: Region = Region.shared()
  private val trades = Columns[Trade](capacity)
  private var count = 0L

  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    trades(count) = Trade(ticket, amount, price, buy)
    count += 1

  def dayBalance: BigInt = trades.slice(0, count).exactSumOf(_.balance)
  def bytesHeld: Option[Long] = Some(count * Struct[Trade].packedSize)
  def close(): Unit = region.close()
end ColumnsExchange
