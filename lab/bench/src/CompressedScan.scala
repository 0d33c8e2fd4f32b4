package undercroft.lab.bench

// How much does the sum of a column of a compressed day cost, beside DuckDB over Parquet?

import java.nio.file.{Files, Path}
import java.sql.{Connection, DriverManager}
import org.openjdk.jmh.annotations.*
import scala.util.Random
import undercroft.file.*
import undercroft.file.format.Durability
import undercroft.struct.*

/** `trades` trades: trade `i` has the ticket `i`, a random amount from 1 to 1000, a price that
  * moves by up to 5 from trade to trade, and a random side. Both files are compressed by Zstandard
  * at the level 3. The pages of all files are in the page cache, and one thread computes.
  */
@State(Scope.Thread)
class CompressedScan extends Measured:
  @Param(Array("10000000")) var trades = 0

  private var folder = Path.of("").nn
  private var compressed: Option[CompressedTable[Amount, Columnar]] = None
  private var balances: Option[CompressedTable[Trade, Columnar]] = None
  private var mapped: Option[FileTable[Trade, Columnar]] = None
  private var duck: Option[Connection] = None

  private def parquet = folder.resolveSibling("day.parquet").nn
  private def zst = folder.resolveSibling("day.zst").nn

  @Setup def make(): Unit =
    folder = LabFiles.path("day.columns")
    val file = Columns.create[Trade](folder, trades, Durability.VOLATILE)
    val random = Random(1)
    var price = 10_000
    for i <- 0 until trades do
      price = (price + random.nextInt(11) - 5).max(1)
      file += Trade(i, 1 + random.nextInt(1000), price, random.nextBoolean())
    file.seal()
    compressFile(folder, zst)
    compressed = Some(Columns.openCompressed[Amount](zst))
    balances = Some(Columns.openCompressed[Trade](zst))
    mapped = Some(Columns.openReadOnly[Trade](folder))
    duck = Some(CompressedScan.parquet(mapped.get, parquet))

  @TearDown def close(): Unit =
    compressed.foreach(_.close())
    balances.foreach(_.close())
    mapped.foreach(_.close())
    duck.foreach(_.close())
    LabFiles.delete(folder)

  private def answer(sql: String): Long = duck.fold(0L): connection =>
    val statement = connection.createStatement.nn
    try
      val result = statement.executeQuery(sql).nn
      val _ = result.next()
      result.getLong(1)
    finally statement.close()

  /** The sum of a column, block by block. */
  @Benchmark def sumOfBlocks(sizes: FileSizes): Long =
    sizes.fileBytes = Files.size(zst)
    compressed.fold(0L)(_.foldBlocks(0L)((sum, block) => sum + block.sumOf(_.amount)))

  /** The sum of a column that is decompressed to memory as a whole. */
  @Benchmark def sumOfWhole(): Long =
    val table = Columns.openReadOnly[Amount](zst)
    try table.sumOf(_.amount)
    finally table.close()

  @Benchmark def sumOfMapped(sizes: FileSizes): Long =
    sizes.fileBytes = Files.size(folder)
    mapped.fold(0L)(_.sumOf(_.amount))

  @Benchmark def sumOfParquet(sizes: FileSizes): Long =
    sizes.fileBytes = Files.size(parquet)
    answer(s"select cast(sum(amount) as bigint) from read_parquet('$parquet')")

  @Benchmark def balanceOfBlocks(): Long =
    balances.fold(0L)(_.foldBlocks(0L)((sum, block) => sum + block.sumOf(_.balance)))

  private val signed =
    "cast(sum(cast(amount as bigint) * price * (case when buy then 1 else -1 end)) as bigint)"

  @Benchmark def balanceOfParquet(): Long = answer(s"select $signed from read_parquet('$parquet')")
end CompressedScan

/** One of the columns of a trade. */
final case class Amount(amount: Int) derives Struct

/** The size of the file that a benchmark reads. */
@AuxCounters(AuxCounters.Type.EVENTS)
@State(Scope.Thread)
class FileSizes:
  var fileBytes = 0L

object CompressedScan:

  /** Writes a table to a Parquet file with Zstandard; returns the connection, of one thread. */
  def parquet(trades: FileTable[Trade, Columnar], path: Path): Connection =
    val csv = path.resolveSibling("day.csv").nn
    val lines = Files.newBufferedWriter(csv).nn
    try
      trades.foreach: trade =>
        lines.write(s"${trade.ticket},${trade.amount},${trade.price},${trade.buy}\n")
    finally lines.close()
    val connection = DriverManager.getConnection("jdbc:duckdb:").nn
    val statement = connection.createStatement.nn
    val types = "{'ticket': 'int', 'amount': 'int', 'price': 'int', 'buy': 'boolean'}"
    try
      statement.execute("set threads = 1"): Unit
      statement.execute(
        s"copy (select * from read_csv('$csv', header = false, columns = $types)) " +
          s"to '$path' (format parquet, compression zstd, compression_level 3)"
      ): Unit
    finally statement.close()
    connection
end CompressedScan
