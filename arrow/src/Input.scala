package undercroft.arrow

import java.io.{EOFException, IOException, RandomAccessFile}
import java.nio.file.{Files, NoSuchFileException, Path}

/** A file that is read by places. It is read, not mapped, so one that becomes shorter meanwhile is
  * an error and not a fault of a page. For one thread.
  */
private[arrow] final class Input(path: Path) extends AutoCloseable:
  private val file: RandomAccessFile =
    try
      if !Files.exists(path) then throw NoSuchFileException(path.toString)
      if Files.isDirectory(path) then throw IOException("a folder")
      RandomAccessFile(path.toFile, "r")
    catch
      case _: NoSuchFileException => throw fault(0, ArrowFault.Absent, "nothing to read")
      case error: IOException     => throw ArrowException.of(path, 0, error)

  val size: Long =
    try file.length
    catch case error: IOException => throw ArrowException.of(path, 0, error)

  def fault(offset: Long, fault: ArrowFault, reason: String): ArrowException =
    ArrowException(path, offset, fault, reason)

  def damaged(offset: Long, reason: String): ArrowException =
    fault(offset, ArrowFault.Damaged, reason)

  /** Refuses a part of the file that is not in it. */
  def check(at: Long, count: Long, what: String): Unit =
    if at < 0 || count < 0 then throw damaged(0, s"$what at $at of $count bytes")
    if count > size || at > size - count then
      throw fault(size, ArrowFault.Truncated, s"$what at $at has $count bytes")

  /** Reads so many bytes, which [[check]] has seen. */
  def read(at: Long, into: Array[Byte], count: Int): Unit =
    try
      file.seek(at)
      file.readFully(into, 0, count)
    catch
      case _: EOFException => throw fault(at, ArrowFault.Truncated, "it became shorter meanwhile")
      case error: IOException => throw ArrowException.of(path, at, error)

  def bytes(at: Long, count: Int): Array[Byte] =
    val all = new Array[Byte](count)
    read(at, all, count)
    all

  /** What a part of the file says, or that it contradicts itself: its descriptions are read by a
    * library that trusts them, up to the ends of its arrays.
    */
  def parsed[A](at: Long, what: String)(body: => A): A =
    try body
    catch
      case typed: ArrowException => throw typed
      case error: RuntimeException =>
        throw ArrowException(path, at, ArrowFault.Damaged, s"$what cannot be read", error)

  /** The rows of batches together. */
  def sum(rows: Long, more: Long): Long =
    val all = rows + more
    if all < 0 then throw damaged(0, s"batches of $rows and $more rows")
    all

  def close(): Unit =
    try file.close()
    catch case error: IOException => throw ArrowException.of(path, 0, error)
end Input
