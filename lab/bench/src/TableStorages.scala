package undercroft.lab.bench

import undercroft.memory.{Pages, Region}
import undercroft.struct.*

/** Trades under the C ABI, 16 bytes each, appended: memory that is written before it can be read is
  * not zeroed, as malloc's is not.
  */
final class RowsExchange(trades: GrowingTable[Trade, Aligned]) extends StockExchange:
  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    trades += Trade(ticket, amount, price, buy)
  def dayBalance: Long = trades.sumOf(_.balance)
  def close(): Unit = ()
end RowsExchange

/** Trades without padding, 13 bytes each. */
final class PackedRowsExchange(trades: GrowingTable[Trade, Packed]) extends StockExchange:
  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    trades += Trade(ticket, amount, price, buy)
  def dayBalance: Long = trades.sumOf(_.balance)
  def close(): Unit = ()
end PackedRowsExchange

/** A column for each field. */
final class ColumnsExchange(trades: GrowingTable[Trade, Columnar]) extends StockExchange:
  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    trades += Trade(ticket, amount, price, buy)
  def dayBalance: Long = trades.sumOf(_.balance)
  def close(): Unit = ()
end ColumnsExchange

/** Packed trades in rows of a fixed number, which are zeroed before they are written. */
final class ZeroedRowsExchange(trades: PackedRows[Trade]) extends StockExchange:
  private var size = 0L
  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    trades(size) = Trade(ticket, amount, price, buy)
    size += 1
  def dayBalance: Long = trades.sumOf(_.balance)
  def close(): Unit = ()
end ZeroedRowsExchange

/** A day in a table, in a region of that day over the given pages. */
object TableStorages:
  def rows(pages: Pages)(trades: Int): Long =
    Region.withPages(pages)(StockExchange.day(RowsExchange(Rows.growingTo[Trade](trades)), trades))
  def packedRows(pages: Pages)(trades: Int): Long =
    Region.withPages(pages):
      StockExchange.day(PackedRowsExchange(PackedRows.growingTo[Trade](trades)), trades)
  def columns(pages: Pages)(trades: Int): Long =
    Region.withPages(pages)(StockExchange.day(
      ColumnsExchange(Columns.growingTo[Trade](trades)),
      trades
    ))

  /** As packedRows, without the number of trades given in advance. */
  def growing(pages: Pages)(trades: Int): Long =
    Region.withPages(pages)(StockExchange.day(
      PackedRowsExchange(PackedRows.growing[Trade]),
      trades
    ))
  def zeroed(pages: Pages)(trades: Int): Long =
    Region.withPages(pages)(StockExchange.day(
      ZeroedRowsExchange(PackedRows[Trade](trades)),
      trades
    ))
end TableStorages
