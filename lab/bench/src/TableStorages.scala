package undercroft.lab.bench

import undercroft.memory.{Pages, Region}
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

/** Packed trades in rows that grow, made without knowing how many there will be. */
final class GrowingExchange(trades: GrowingTable[Trade, Packed]) extends StockExchange:
  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    trades += Trade(ticket, amount, price, buy)
  def dayBalance: Long = trades.sumOf(_.balance)
  def close(): Unit = ()
end GrowingExchange

/** A day in a table, in a region of the day's own over the pages that are asked for. */
object TableStorages:
  def rows(pages: Pages)(trades: Int): Long =
    Region.on(pages)(StockExchange.day(RowsExchange(Rows[Trade](trades)), trades))
  def packedRows(pages: Pages)(trades: Int): Long =
    Region.on(pages)(StockExchange.day(PackedRowsExchange(PackedRows[Trade](trades)), trades))
  def growing(pages: Pages)(trades: Int): Long =
    Region.on(pages)(StockExchange.day(GrowingExchange(PackedRows.growing[Trade]), trades))
  def columns(pages: Pages)(trades: Int): Long =
    Region.on(pages)(StockExchange.day(ColumnsExchange(Columns[Trade](trades)), trades))
end TableStorages
