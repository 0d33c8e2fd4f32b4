package undercroft.lab.bench

import undercroft.memory.Region
import undercroft.struct.*

/** Trades under the C ABI, 16 bytes each. */
final class RowsExchange(trades: Rows[Trade]) extends StockExchange:
  private var size = 0L
  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    trades(size) = Trade(ticket, amount, price, buy)
    size += 1
  def dayBalance: Long = trades.sumOf(_.balance)
  def close(): Unit = ()
end RowsExchange

/** Trades without padding, 13 bytes each. */
final class PackedRowsExchange(trades: PackedRows[Trade]) extends StockExchange:
  private var size = 0L
  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    trades(size) = Trade(ticket, amount, price, buy)
    size += 1
  def dayBalance: Long = trades.sumOf(_.balance)
  def close(): Unit = ()
end PackedRowsExchange

/** A column for each field. */
final class ColumnsExchange(trades: Columns[Trade]) extends StockExchange:
  private var size = 0L
  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    trades(size) = Trade(ticket, amount, price, buy)
    size += 1
  def dayBalance: Long = trades.sumOf(_.balance)
  def close(): Unit = ()
end ColumnsExchange

/** Makes one for a day, in a region of the day's own. */
object TableStorages:
  def rows(trades: Int): Long =
    Region.scoped(StockExchange.day(RowsExchange(Rows[Trade](trades)), trades))
  def packedRows(trades: Int): Long =
    Region.scoped(StockExchange.day(PackedRowsExchange(PackedRows[Trade](trades)), trades))
  def columns(trades: Int): Long =
    Region.scoped(StockExchange.day(ColumnsExchange(Columns[Trade](trades)), trades))
end TableStorages
