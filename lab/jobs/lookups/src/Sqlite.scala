package lookups

import java.nio.{ByteBuffer, ByteOrder}
import java.nio.file.Path
import java.sql.DriverManager

/** Items in SQLite, by its JDBC driver: a table with the id as its key and the vector as a blob. */
final class Sqlite(path: Path) extends Store:
  private def connect() =
    val connection = DriverManager.getConnection(s"jdbc:sqlite:$path")
    val statement = connection.createStatement()
    statement.execute("pragma journal_mode = wal"): Unit
    statement.execute("pragma synchronous = full"): Unit
    statement.close()
    connection

  private val connection = connect()
  connection.createStatement()
    .execute("create table if not exists items (id integer primary key, vector blob)"): Unit
  connection.setAutoCommit(false)
  private val insert = connection.prepareStatement("insert into items values (?, ?)")
  private val bytes = ByteBuffer.allocate(Items.Length * 4).order(ByteOrder.nativeOrder)

  def add(id: Long): Unit =
    for index <- 0 until Items.Length do bytes.putFloat(index * 4, Items.element(id, index))
    insert.setLong(1, id)
    insert.setBytes(2, bytes.array)
    insert.executeUpdate(): Unit

  def commit(): Unit = connection.commit()

  def reader(): Reader = new Reader:
    private val connection = connect()
    private val select = connection.prepareStatement("select vector from items where id = ?")

    def sum(id: Long): Long =
      select.setLong(1, id)
      val found = select.executeQuery()
      found.next()
      val vector = ByteBuffer.wrap(found.getBytes(1)).order(ByteOrder.nativeOrder)
      found.close()
      var (sum, index) = (0f, 0)
      while index < Items.Length do
        sum += vector.getFloat(index * 4)
        index += 1
      sum.toLong

    def refresh(): Unit = () // each statement sees the newest items
    def close(): Unit = connection.close()

  def close(): Unit =
    connection.commit()
    connection.close()
end Sqlite
