package undercroft.lab.bench

// How much does the command `undercroft` take for a whole table, beside DuckDB: from CSV to columns
// and to Parquet, from columns to CSV, and for a summary of each column?

import java.io.{ByteArrayOutputStream, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*
import undercroft.cli.Main
import undercroft.duckdb.DuckDb
import undercroft.file.format.StructFile

/** Files of `rows` rows in the page cache. The command runs in this JVM, so its start is not
  * measured; DuckDB has all of its threads for every call.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3)
@Measurement(iterations = 5)
class CommandTables extends Measured:
  @Param(Array("1000000")) var rows = 0

  private var csv = Path.of("").nn
  private var duckdb: Option[DuckDb] = None

  @Setup def make(): Unit =
    csv = LabFiles.path("sold.csv")
    val database = DuckDb()
    duckdb = Some(database)
    database.query(
      "create temp table sold as select i as ticket, i * 7919 % 100000 as price, " +
        s"i % 3 = 0 as buy, 'name' || i * 31 % 10000 as name from range($rows) t(i)"
    ): Unit
    database.query(s"copy sold to '$csv' (format csv, header)"): Unit
    database.query(s"copy sold to '${file("sold.parquet")}' (format parquet)"): Unit
    database.query("drop table sold"): Unit
    val _ = command("convert", csv, file("stats.cols"))

  @TearDown def close(): Unit =
    duckdb.foreach(_.close())
    LabFiles.delete(csv)

  private def file(name: String): Path = csv.resolveSibling(name).nn

  private def command(name: String, words: Any*): String =
    val out = ByteArrayOutputStream()
    val code = Main.run(name +: words.map(_.toString), PrintStream(out, true, UTF_8), System.err.nn)
    if code != 0 then throw IllegalStateException(s"$name ended with $code")
    out.toString(UTF_8)

  @Benchmark def convertCsv(): Long =
    val _ = command("convert", csv, file("sold.cols"), "--overwrite")
    val columns = StructFile.open(file("sold.cols")).nn
    try columns.rows
    finally columns.close()

  @Benchmark def duckdbParquet(): Long = duckdb.fold(0L): database =>
    database.query(s"copy (from '$csv') to '${file("copy.parquet")}' (format parquet)")(0, 0).long

  @Benchmark def csvToParquet(): Long =
    val _ = command("convert", csv, file("sold2.parquet"), "--overwrite")
    duckdb.fold(0L)(_.query(s"select count(*) from '${file("sold2.parquet")}'")(0, 0).long)

  /** The rows, if the file has as many bytes as the one that the columns are from. */
  @Benchmark def columnsToCsv(): Long =
    val _ = command("convert", file("stats.cols"), file("sold2.csv"), "--overwrite")
    if Files.size(file("sold2.csv")) == Files.size(csv) then rows else 0

  @Benchmark def duckdbCsv(): Long = duckdb.fold(0L): database =>
    val copy =
      s"copy (from '${file("sold.parquet")}') to '${file("copy.csv")}' (format csv, header)"
    database.query(copy)(0, 0).long

  @Benchmark def stats(): Long =
    val lines = command("stats", file("stats.cols")).linesIterator
    lines.collectFirst { case s"$count rows, $_" => count.toLong }.getOrElse(0L)

  @Benchmark def duckdbSummary(): Long = duckdb.fold(0L): database =>
    val summary = database.query(s"summarize from '${file("sold.parquet")}'")
    summary(0, summary.columns.indexOf("count")).long
end CommandTables
