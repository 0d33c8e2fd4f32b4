package undercroft.exchange
package internal.storage

import undercroft.memory.Region
import undercroft.struct.*

/** Trades as off-heap structs in the layout of the C ABI, 16 bytes each. As with Unsafe, the memory
  * is not zeroed before it is written: a trade cannot be read before it is appended.
  */
final class RowsExchange(capacity: Long) extends StockExchange:
  private given region: Region = Region.shared()
  private val trades = Rows.growingTo[Trade](capacity)

  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    trades += Trade(ticket, amount, price, buy)

  def dayBalance: BigInt = trades.exactSumOf(_.balance)
  def bytesHeld: Option[Long] = Some(trades.size * Struct[Trade].size)
  def close(): Unit = region.close()
end RowsExchange

/** Trades as structs without padding: 13 bytes each. One word is different. */
final class PackedRowsExchange(capacity: Long) extends StockExchange:
  private given region: Region = Region.shared()
  private val trades = PackedRows.growingTo[Trade](capacity)

  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    trades += Trade(ticket, amount, price, buy)

  def dayBalance: BigInt = trades.exactSumOf(_.balance)
  def bytesHeld: Option[Long] = Some(trades.size * Struct[Trade].packedSize)
  def close(): Unit = region.close()
end PackedRowsExchange

/** Trades as four columns, 13 bytes each: the balance does not read the tickets. */
final class ColumnsExchange(capacity: Long) extends StockExchange:
  private given region: Region = Region.shared()
  private val trades = Columns.growingTo[Trade](capacity)

  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    trades += Trade(ticket, amount, price, buy)

  def dayBalance: BigInt = trades.exactSumOf(_.balance)
  def bytesHeld: Option[Long] = Some(trades.size * Struct[Trade].packedSize)
  def close(): Unit = region.close()
end ColumnsExchange
