package undercroft.lab.bench

// How much does the balance over a day cost: rows in memory, rows in a file, DuckDB, SQLite?

import java.nio.file.Path
import java.sql.{Connection, DriverManager}
import org.openjdk.jmh.annotations.*
import undercroft.file.format.Durability
import undercroft.memory.Region
import undercroft.struct.*
import undercroft.file.*

/** `trades` trades; trade `i` has amount i and price i, and is a buy if i is even. The pages of all
  * files are in the page cache, and one thread computes.
  */
@State(Scope.Thread)
class FileScan extends Measured:
  @Param(Array("10000000")) var trades = 0

  private val region = Region.shared()
  private given Region = region
  private var rows = Rows[Trade](0)
  private var columns = Columns[Trade](0)
  private var folder = Path.of("").nn
  private var duck: Option[Connection] = None
  private var sqlite: Option[Connection] = None

  private var inFile: Option[FileTable[Trade, Aligned]] = None
  private var inColumns: Option[FileTable[Trade, Columnar]] = None

  private def trade(i: Long): Trade = Trade(i.toInt, i.toInt, i.toInt, (i & 1) == 0)

  @Setup def make(): Unit =
    folder = LabFiles.path("day.rows")
    rows = Rows.tabulate(trades)(i => trade(i))
    columns = Columns.tabulate(trades)(i => trade(i))
    inFile = Some(sealedFile(Rows, folder))
    inColumns = Some(sealedFile(Columns, folder.resolveSibling("day.columns").nn))
    val source = "(select i::int ticket, i::int amount, i::int price, i % 2 = 0 buy " +
      s"from range($trades) t(i))"
    val parquet = folder.resolveSibling("day.parquet").nn
    val duckdb = DriverManager.getConnection("jdbc:duckdb:").nn
    run(duckdb, "set threads = 1")
    run(duckdb, s"copy $source to '$parquet' (format parquet)")
    duck = Some(duckdb)
    sqlite = Some(FileScan.sqlite(folder.resolveSibling("day.sqlite").nn, trades))

  private def sealedFile[L <: Layout](tables: TableFactory[L], path: Path): FileTable[Trade, L] =
    val file = tables.create[Trade](path, trades, Durability.VOLATILE)
    for i <- 0 until trades do file += trade(i)
    file.seal()
    tables.openReadOnly[Trade](path)

  private def run(connection: Connection, sql: String): Unit =
    val statement = connection.createStatement.nn
    try statement.execute(sql): Unit
    finally statement.close()

  @TearDown def close(): Unit =
    inFile.foreach(_.close())
    inColumns.foreach(_.close())
    duck.foreach(_.close())
    sqlite.foreach(_.close())
    region.close()
    LabFiles.delete(folder)

  private def answer(connection: Connection, sql: String): Long =
    val statement = connection.createStatement.nn
    try
      val result = statement.executeQuery(sql).nn
      val _ = result.next()
      result.getLong(1)
    finally statement.close()

  private val signed =
    "cast(sum(cast(amount as bigint) * price * (case when buy then 1 else -1 end)) as bigint)"

  @Benchmark def memoryRows(): Long = rows.sumOf(_.balance)
  @Benchmark def fileRows(): Long = inFile.fold(0L)(_.sumOf(_.balance))
  @Benchmark def memoryColumns(): Long = columns.sumOf(_.balance)
  @Benchmark def fileColumns(): Long = inColumns.fold(0L)(_.sumOf(_.balance))
  @Benchmark def duckdbParquet(): Long =
    val parquet = folder.resolveSibling("day.parquet")
    duck.fold(0L)(answer(_, s"select $signed from read_parquet('$parquet')"))
  @Benchmark def sqliteTable(): Long = sqlite.fold(0L)(answer(_, s"select $signed from day"))
end FileScan

object FileScan:

  /** A table of `trades` trades in SQLite. */
  def sqlite(path: Path, trades: Int): Connection =
    val connection = DriverManager.getConnection(s"jdbc:sqlite:$path").nn
    val statement = connection.createStatement.nn
    statement.execute("create table day (ticket int, amount int, price int, buy int)"): Unit
    statement.execute(
      "insert into day with recursive n(i) as " +
        s"(select 0 union all select i + 1 from n where i < ${trades - 1}) " +
        "select i, i, i, i % 2 = 0 from n"
    ): Unit
    statement.close()
    connection
end FileScan
