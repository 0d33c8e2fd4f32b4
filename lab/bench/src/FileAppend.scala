package undercroft.lab.bench

// How much does it cost to append and commit 4096 trades, in a struct file and in SQLite?

import java.nio.file.Path
import java.sql.{Connection, DriverManager, PreparedStatement}
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*
import undercroft.file.format.Durability
import undercroft.struct.*
import undercroft.file.*

/** A call is a batch and its commit: with fsync in `committed` and in SQLite (a write-ahead log and
  * `synchronous = full`); with a header and without fsync in `volatile`. A full file is replaced by
  * a new one.
  */
@State(Scope.Thread)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
class FileAppend extends Measured:
  private var folder = Path.of("").nn
  private var committing: Option[FileTable[Trade, Aligned]] = None
  private var volatile: Option[FileTable[Trade, Aligned]] = None
  private var sqlite: Option[(Connection, PreparedStatement)] = None

  @Setup def make(): Unit = folder = LabFiles.path("day.rows")

  private def table(name: String, promise: Durability): FileTable[Trade, Aligned] =
    val path = folder.resolveSibling(name).nn
    java.nio.file.Files.deleteIfExists(path): Unit
    Rows.create[Trade](path, maxRows = FileAppend.MostRows, durability = promise)

  /** The table, or a new one if it is full. */
  private def roomy(
      held: Option[FileTable[Trade, Aligned]],
      name: String,
      promise: Durability
  ): FileTable[Trade, Aligned] =
    held.filter(_.size <= FileAppend.MostRows - FileAppend.Batch).getOrElse:
      held.foreach(_.close())
      table(name, promise)

  /** Returns the number of rows that the batch appended. */
  private def append(day: FileTable[Trade, Aligned]): Long =
    val before = day.size
    var i = 0
    while i < FileAppend.Batch do
      day += Trade(i, i, i, (i & 1) == 0)
      i += 1
    day.commit()
    day.size - before

  @Benchmark def committed(): Long =
    val day = roomy(committing, "committed", Durability.COMMITTED)
    committing = Some(day)
    append(day)

  @Benchmark def volatileRows(): Long =
    val day = roomy(volatile, "volatile", Durability.VOLATILE)
    volatile = Some(day)
    append(day)

  @Benchmark def sqliteWal(): Long =
    val (connection, insert) =
      sqlite.getOrElse(FileAppend.sqlite(folder.resolveSibling("day.db").nn))
    sqlite = Some((connection, insert))
    var i = 0
    while i < FileAppend.Batch do
      insert.setInt(1, i)
      insert.setInt(2, i)
      insert.setInt(3, i)
      insert.setBoolean(4, (i & 1) == 0)
      insert.addBatch()
      i += 1
    val rows = insert.executeBatch().nn.map(_.toLong).sum
    connection.commit()
    rows

  @TearDown def close(): Unit =
    committing.foreach(_.close())
    volatile.foreach(_.close())
    sqlite.foreach(_._1.close())
    LabFiles.delete(folder)
end FileAppend

object FileAppend:
  final val Batch = 4096

  /** 1 GiB of rows. */
  final val MostRows = 1L << 26

  def sqlite(path: Path): (Connection, PreparedStatement) =
    val connection = DriverManager.getConnection(s"jdbc:sqlite:$path").nn
    val statement = connection.createStatement.nn
    statement.execute("pragma journal_mode = wal"): Unit
    statement.execute("pragma synchronous = full"): Unit
    statement.execute("create table day (ticket int, amount int, price int, buy int)"): Unit
    statement.close()
    connection.setAutoCommit(false)
    (connection, connection.prepareStatement("insert into day values (?, ?, ?, ?)").nn)
end FileAppend
