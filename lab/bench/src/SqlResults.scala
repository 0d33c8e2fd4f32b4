package undercroft.lab.bench

// How much does the result of a query cost: read into columns, row by row as objects, and kept by
// DuckDB in a table of its own?

import java.nio.file.Path
import org.openjdk.jmh.annotations.*
import undercroft.duckdb.*
import undercroft.memory.Region
import undercroft.struct.*

/** A row of a result. */
final case class SoldTicket(
    ticket: Long,
    price: Long,
    volume: Long,
    buy: Boolean,
    name: Text[9]
) derives Struct

object SoldTicket:
  /** The same row for SQL: a table's text is read as a String. */
  final case class Read(ticket: Long, price: Long, volume: Long, buy: Boolean, name: String)

/** `rows` rows of a Parquet file in the page cache. One DuckDB runs every query, on all its
  * threads.
  */
@State(Scope.Thread)
class SqlResults extends Measured:
  @Param(Array("1000000")) var rows = 0

  private var folder = Path.of("").nn
  private var duckdb: Option[DuckDb] = None

  @Setup def make(): Unit =
    folder = LabFiles.path("sold.parquet")
    val database = DuckDb()
    duckdb = Some(database)
    database.query(
      "copy (select i as ticket, i * 7919 % 100000 as price, i * 104729 % 1000003 as volume, " +
        s"i % 3 = 0 as buy, 'name' || i * 31 % 10000 as name from range($rows) t(i)) " +
        s"to '$folder' (format parquet)"
    ): Unit
    database.query(s"create temp view sold as from read_parquet('$folder')"): Unit

  @TearDown def close(): Unit =
    duckdb.foreach(_.close())
    LabFiles.delete(folder)

  @Benchmark def columns(): Long = duckdb.fold(0L): database =>
    Region.scoped:
      val sold = Columns.readSql[SoldTicket](database, "from sold")
      sold.size + sold(sold.size - 1).ticket

  @Benchmark def objects(): Long = duckdb.fold(0L): database =>
    var (size, last) = (0L, 0L)
    for row <- database.query("from sold").iteratorAs[SoldTicket.Read] do
      size += 1
      last = row.ticket
    size + last

  @Benchmark def duckdbTable(): Long = duckdb.fold(0L): database =>
    database.query("create or replace temp table kept as from sold"): Unit
    database.query("select count(*) + max(ticket) from kept")(0, 0).long
end SqlResults
