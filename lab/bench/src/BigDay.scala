package undercroft.lab.bench

// How much does the balance of up to a billion trades cost: in memory, in a mapped file, in DuckDB?

import java.nio.file.Path
import java.sql.DriverManager
import undercroft.duckdb.DuckDb
import undercroft.memory.Region
import undercroft.struct.*
import undercroft.file.*

/** One system's balance of a day stored in a file: runs in a JVM of its own that prints the
  * balance, the time of the first call and the best time of the following calls, in nanoseconds.
  */
object BigDay:
  private val calls = 4

  def main(args: Array[String]): Unit =
    val (balance, nanos) = args.toSeq match
      case Seq("rows", file)      => rows(Path.of(file).nn)
      case Seq("mapped", file)    => mapped(Path.of(file).nn)
      case Seq("sql", file)       => sql(Path.of(file).nn)
      case Seq("duckdb", parquet) => duckdb(parquet)
      case words =>
        throw IllegalArgumentException(s"rows, mapped, sql or duckdb, and a path: not $words")
    println(s"$balance ${nanos.head} ${nanos.tail.min}")

  /** The balance, and the nanoseconds of each call. */
  def timed(balance: () => Long): (Long, Seq[Long]) =
    val runs = Seq.fill(calls):
      val start = System.nanoTime
      val result = balance()
      (result, System.nanoTime - start)
    if runs.map(_._1).distinct.size != 1 then throw IllegalStateException(s"it changes: $runs")
    (runs.head._1, runs.map(_._2))

  /** Rows in memory, to which the file was copied before. */
  def rows(file: Path): (Long, Seq[Long]) =
    val day = Rows.openReadOnly[Trade](file)
    val region = Region.shared()
    try
      given Region = region
      val rows = Rows[Trade](day.size)
      rows.copyFrom(day)
      timed(() => rows.sumOf(_.balance))
    finally
      region.close()
      day.close()

  /** The file as it is mapped. */
  def mapped(file: Path): (Long, Seq[Long]) =
    val day = Rows.openReadOnly[Trade](file)
    try timed(() => day.sumOf(_.balance))
    finally day.close()

  private val balance =
    "select cast(sum(cast(amount as bigint) * price * (case when buy then 1 else -1 end)) " +
      "as bigint) from"

  /** The file in DuckDB, in place, on all processors. */
  def sql(file: Path): (Long, Seq[Long]) =
    val day = Rows.openReadOnly[Trade](file)
    val duckdb = DuckDb()
    try
      duckdb.register("day", day)
      timed(() => duckdb.query(s"$balance day")(0, 0).long)
    finally
      duckdb.close()
      day.close()

  /** A folder of Parquet in DuckDB, on all processors. */
  def duckdb(parquet: String): (Long, Seq[Long]) =
    val connection = DriverManager.getConnection("jdbc:duckdb:").nn
    try
      timed: () =>
        val statement = connection.createStatement.nn
        try
          val answer =
            statement.executeQuery(s"$balance read_parquet('$parquet/*.parquet')").nn
          answer.next(): Unit
          answer.getLong(1)
        finally statement.close()
    finally connection.close()
end BigDay
