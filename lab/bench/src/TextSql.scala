package undercroft.lab.bench

// How much does a condition on texts cost in SQL: evaluated by the scan, by DuckDB on the same
// rows, and by DuckDB on Parquet?

import java.nio.file.Path
import org.openjdk.jmh.annotations.*
import undercroft.duckdb.DuckDb
import undercroft.file.*
import undercroft.file.format.Durability
import undercroft.struct.*

/** A sale of an item, which has one of 5 000 names. */
final case class NamedSale(item: Text[16], amount: Int) derives Struct

/** `sales` sales in files. One DuckDB runs every query, on all its threads; the Parquet file is
  * DuckDB's own, of the same rows, and all files are in the page cache.
  */
@State(Scope.Thread)
class TextSql extends Measured:
  @Param(Array("4000000")) var sales = 0

  /** `like 'item-12%'`, which one of 45 names fulfils, or equality with one of 5 000. */
  @Param(Array("prefix", "equality")) var condition = ""

  private var folder = Path.of("").nn
  private var duckdb: Option[DuckDb] = None
  private var inRows: Option[FileTable[NamedSale, Aligned]] = None
  private var inColumns: Option[FileTable[NamedSale, Columnar]] = None

  @Setup def make(): Unit =
    folder = LabFiles.path("sales.rows")
    val sealedRows = sealedFile(Rows, folder)
    val sealedColumns = sealedFile(Columns, other("sales.columns"))
    inRows = Some(sealedRows)
    inColumns = Some(sealedColumns)
    val database = DuckDb()
    duckdb = Some(database)
    database.register("file_rows", sealedRows)
    database.register("file_columns", sealedColumns)
    val parquet = other("sales.parquet")
    database.query(s"copy (from file_columns) to '$parquet' (format parquet)"): Unit
    database.query(s"create temp view parquet as from read_parquet('$parquet')"): Unit

  private def other(name: String): Path = folder.resolveSibling(name).nn

  private def sealedFile[L <: Layout](
      tables: TableFactory[L],
      path: Path
  ): FileTable[NamedSale, L] =
    val file = tables.create[NamedSale](path, sales, Durability.VOLATILE)
    for i <- 0 until sales do file += TextSql.sale(i)
    file.seal()
    tables.openReadOnly[NamedSale](path)

  @TearDown def close(): Unit =
    duckdb.foreach(_.close())
    inRows.foreach(_.close())
    inColumns.foreach(_.close())
    LabFiles.delete(folder)

  private def answer(table: String, isPushedDown: Boolean): Long =
    val sql = TextSql.sql(table, condition, isPushedDown)
    duckdb.fold(0L)(_.query(sql)(0, 0).long)

  /** DuckDB's plan of a query. */
  private[bench] def plan(table: String, isPushedDown: Boolean): String =
    val sql = TextSql.sql(table, condition, isPushedDown)
    duckdb.fold("")(_.query(s"explain $sql").rows.flatten.map(_.show).mkString("\n"))

  @Benchmark def rows(): Long = answer("file_rows", true)
  @Benchmark def columns(): Long = answer("file_columns", true)
  @Benchmark def rowsByDuckDb(): Long = answer("file_rows", false)
  @Benchmark def columnsByDuckDb(): Long = answer("file_columns", false)
  @Benchmark def parquet(): Long = answer("parquet", true)
end TextSql

object TextSql:

  /** A sale with a pseudo-random name and amount. */
  def sale(i: Long): NamedSale =
    val random = i * 0x9e3779b97f4a7c15L
    val mixed = (random ^ random >>> 32) * 0xd6e8feb86659fd93L
    NamedSale(
      Text[16](s"item-${(mixed >>> 16 & 0xffff) * 5000 >>> 16}"),
      (mixed >>> 40).toInt & 0xfff
    )

  /** Whether a name fulfils a condition. */
  def holds(condition: String, name: String): Boolean = condition match
    case "prefix" => name.startsWith("item-12")
    case _        => name == "item-1234"

  /** The query. `coalesce` hides a condition from the pushdown. */
  def sql(table: String, condition: String, isPushedDown: Boolean): String =
    val plain = condition match
      case "prefix" => "item like 'item-12%'"
      case _        => "item = 'item-1234'"
    val filter = if isPushedDown then plain else s"coalesce($plain, false)"
    s"select coalesce(sum(amount), 0)::bigint from $table where $filter"
end TextSql
