package undercroft.lab.bench

// How much does SQL over a day cost: DuckDB over our rows and columns, in memory and in files, and over
// Parquet?

import java.nio.file.Path
import org.openjdk.jmh.annotations.*
import undercroft.duckdb.DuckDb
import undercroft.file.format.Durability
import undercroft.memory.Region
import undercroft.struct.*
import undercroft.file.*

/** `trades` trades of 5 000 tickets. One DuckDB runs every query, on all its threads; the Parquet
  * file is DuckDB's own, of the same rows, and all files are in the page cache.
  */
@State(Scope.Thread)
class DaySql extends Measured:
  @Param(Array("10000000")) var trades = 0

  /** All trades, a tenth of them, or a sum for each ticket. */
  @Param(Array("full", "filtered", "grouped")) var query = ""

  private val region = Region.shared()
  private given Region = region
  private var folder = Path.of("").nn
  private var duckdb: Option[DuckDb] = None
  private var inRows: Option[FileTable[Trade, Aligned]] = None
  private var inColumns: Option[FileTable[Trade, Columnar]] = None

  @Setup def make(): Unit =
    folder = LabFiles.path("day.rows")
    val rows = Rows.tabulate(trades)(DaySql.trade)
    val columns = Columns.tabulate(trades)(DaySql.trade)
    val sealedRows = sealedFile(Rows, folder)
    val sealedColumns = sealedFile(Columns, other("day.columns"))
    inRows = Some(sealedRows)
    inColumns = Some(sealedColumns)
    val database = DuckDb()
    duckdb = Some(database)
    database.register("memory_rows", rows)
    database.register("memory_columns", columns)
    database.register("file_rows", sealedRows)
    database.register("file_columns", sealedColumns)
    val parquet = other("day.parquet")
    database.query(s"copy (from memory_columns) to '$parquet' (format parquet)"): Unit
    database.query(s"create temp view parquet as from read_parquet('$parquet')"): Unit

  private def other(name: String): Path = folder.resolveSibling(name).nn

  private def sealedFile[L <: Layout](tables: TableFactory[L], path: Path): FileTable[Trade, L] =
    val file = tables.create[Trade](path, trades, Durability.VOLATILE)
    for i <- 0 until trades do file += DaySql.trade(i)
    file.seal()
    tables.openReadOnly[Trade](path)

  @TearDown def close(): Unit =
    duckdb.foreach(_.close())
    inRows.foreach(_.close())
    inColumns.foreach(_.close())
    region.close()
    LabFiles.delete(folder)

  private def answer(table: String): Long =
    duckdb.fold(0L)(_.query(DaySql.sql(query, table))(0, 0).long)

  @Benchmark def parquet(): Long = answer("parquet")
  @Benchmark def fileRows(): Long = answer("file_rows")
  @Benchmark def fileColumns(): Long = answer("file_columns")
  @Benchmark def memoryRows(): Long = answer("memory_rows")
  @Benchmark def memoryColumns(): Long = answer("memory_columns")
end DaySql

object DaySql:

  /** Numbers that no encoding compresses: pseudo-random ones, as in a day. */
  def trade(i: Long): Trade =
    val random = i * 0x9e3779b97f4a7c15L
    val mixed = (random ^ random >>> 32) * 0xd6e8feb86659fd93L
    def upTo(most: Int, shift: Int): Int = ((mixed >>> shift & 0xffff) * most >>> 16).toInt
    Trade(upTo(5000, 0), upTo(1000, 16), 1000 + upTo(9000, 32), (mixed >>> 62 & 1) == 0)

  private val signed = "amount::bigint * price * (case when buy then 1 else -1 end)"

  def sql(query: String, table: String): String = query match
    case "full"     => s"select sum($signed)::bigint from $table"
    case "filtered" => s"select sum($signed)::bigint from $table where amount >= 900"
    case _ =>
      s"select sum(hash(ticket) % 1000 * (total % 1000))::bigint from " +
        s"(select ticket, sum($signed)::bigint as total from $table group by ticket)"
end DaySql
