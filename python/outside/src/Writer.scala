package outside.python

import java.io.{BufferedReader, InputStreamReader, PrintStream}
import java.net.{InetAddress, ServerSocket, Socket}
import java.nio.file.Path
import undercroft.file.*
import undercroft.file.format.Durability
import undercroft.struct.*

/** Writes a file while Python reads it. Each line that Python sends over the socket is an order,
  * and is answered by a line with the committed rows:
  *
  *   - `create LAYOUT NAME`: creates a file
  *   - `append N`: appends N rows and commits
  *   - `race N`: answers at once, then commits N times, each time with 100 more rows
  *   - `close`: closes the file, which cuts the preallocated space
  */
final class Writer(folder: Path) extends AutoCloseable:
  private val MaxRows = 1_000_000L
  private val RaceRows = 100
  private val server = ServerSocket(0, 1, InetAddress.getLoopbackAddress)
  private var table: Option[FileTable[Trade, ?]] = None

  Thread.ofPlatform().daemon().name("writer").start(() => serve()): Unit

  def port: Int = server.getLocalPort

  private def serve(): Unit =
    try while true do scala.util.Using.resource(server.accept())(answer)
    catch case _: java.net.SocketException => () // closed

  private def answer(socket: Socket): Unit =
    val in = BufferedReader(InputStreamReader(socket.getInputStream))
    val out = PrintStream(socket.getOutputStream, true)
    var line = in.readLine()
    while line != null do
      line.split(' ').toList match
        case List("create", layout, name) =>
          table = Some(create(layout, folder.resolve(name)))
          out.println(0)
        case List("append", count) =>
          out.println(append(count.toInt))
        case List("race", commits) =>
          out.println(table.fold(0L)(_.size))
          for _ <- 0 until commits.toInt do append(RaceRows): Unit
        case List("close") =>
          table.foreach(_.close())
          out.println(0)
        case _ => out.println("unknown order")
      line = in.readLine()

  private def append(count: Int): Long =
    table.fold(0L): open =>
      val from = open.size.toInt
      open.appendAll(Iterator.range(from, from + count).map(Trade.of))
      open.commit()
      open.size

  private def create(layout: String, file: Path): FileTable[Trade, ?] =
    layout match
      case "rows"    => Rows.create[Trade](file, durability = Durability.VOLATILE)
      case "packed"  => PackedRows.create[Trade](file, durability = Durability.VOLATILE)
      case "columns" => Columns.create[Trade](file, MaxRows, Durability.VOLATILE)

  def close(): Unit = server.close()
end Writer
