package undercroft.lab.bench

// What does the balance of up to a billion trades cost: in memory, in a mapped file, in DuckDB?

import java.nio.file.Path
import java.sql.DriverManager
import undercroft.duckdb.DuckDb
import undercroft.memory.Region
import undercroft.struct.*
import undercroft.structfile.*

/** One system's balance of a day that lies in a file: a JVM of its own that prints the balance, and
  * what the first call and the best of the next ones took, in nanoseconds.
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

  /** What a balance is, and the nanoseconds of each call. */
  def timed(balance: () => Long): (Long, Seq[Long]) =
    val all = Seq.fill(calls):
      val start = System.nanoTime
      val found = balance()
      (found, System.nanoTime - start)
    if all.map(_._1).distinct.size != 1 then throw IllegalStateException(s"it changes: $all")
    (all.head._1, all.map(_._2))

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

  /** The file in DuckDB, where it lies, on all processors. */
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
