package undercroft.arrow
package internal.io

import java.io.{EOFException, IOException, RandomAccessFile}
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.file.{Files, NoSuchFileException, Path}

/** Random-access input of a file. The file is read, not memory-mapped, so truncation by another
  * process is an exception and not a page fault. Confined to one thread.
  *
  * @param path
  *   the file that errors name
  * @param remark
  *   ends the reason of each error
  */
private[arrow] final class FileInput private (path: Path, file: RandomAccessFile, remark: String)
    extends AutoCloseable:

  val size: Long =
    try file.length
    catch case error: IOException => throw ArrowException.of(path, 0, error)

  def error(offset: Long, kind: ArrowErrorKind, reason: String): ArrowException =
    ArrowException(path, offset, kind, reason + remark)

  def corrupt(offset: Long, reason: String): ArrowException =
    error(offset, ArrowErrorKind.Corrupt, reason)

  /** Throws unless the byte range is inside the file. */
  def check(at: Long, count: Long, part: String): Unit =
    if at < 0 || count < 0 then throw corrupt(0, s"$part at $at has $count bytes")
    if count > size || at > size - count then
      throw error(size, ArrowErrorKind.Truncated, s"$part at $at needs $count bytes")

  /** Reads `count` bytes of a range that [[check]] accepted. */
  def read(at: Long, into: Array[Byte], count: Int): Unit = read(at, into, 0, count)

  def read(at: Long, into: Array[Byte], offset: Int, count: Int): Unit =
    try
      file.seek(at)
      file.readFully(into, offset, count)
    catch
      case _: EOFException =>
        throw error(at, ArrowErrorKind.Truncated, "the file was truncated while it was read")
      case error: IOException => throw ArrowException.of(path, at, error)

  def bytes(at: Long, count: Int): Array[Byte] =
    val content = new Array[Byte](count)
    read(at, content, count)
    content

  /** Little-endian numbers in `count` bytes. */
  def numbers(at: Long, count: Int): ByteBuffer = FileInput.numbers(bytes(at, count))

  /** Parses metadata and reports inconsistencies as [[ArrowException]]: the flatbuffers library
    * does not validate its input, and fails with other exceptions at array bounds.
    */
  def parsed[A](at: Long, part: String)(body: => A): A =
    try body
    catch
      case typed: ArrowException => throw typed
      case error: RuntimeException =>
        throw ArrowException(
          path,
          at,
          ArrowErrorKind.Corrupt,
          s"$part cannot be read$remark",
          error
        )

  /** Adds two row counts; throws on overflow. */
  def sum(rows: Long, more: Long): Long =
    val total = rows + more
    if total < 0 then throw corrupt(0, s"$rows + $more exceeds ${Long.MaxValue}")
    total

  def close(): Unit =
    try file.close()
    catch case error: IOException => throw ArrowException.of(path, 0, error)
end FileInput

private[arrow] object FileInput:
  def numbers(bytes: Array[Byte]): ByteBuffer =
    ByteBuffer.wrap(bytes).nn.order(ByteOrder.LITTLE_ENDIAN).nn

  /** Opens a file; errors name `path`. */
  def open(file: Path, path: Path): FileInput =
    try
      if !Files.exists(file) then throw NoSuchFileException(file.toString)
      if Files.isDirectory(file) then throw IOException("it is a folder, not a file")
      if !Files.isRegularFile(file) then
        throw IOException("it is not a regular file; readArrowStream reads a stream")
      FileInput(path, RandomAccessFile(file.toFile, "r"), "")
    catch
      case _: NoSuchFileException =>
        throw ArrowException(path, 0, ArrowErrorKind.NotFound, "cannot open it")
      case error: IOException => throw ArrowException.of(path, 0, error)

  /** The input of a copy of the buffers of `path`; errors name `path`. */
  def ofCopy(path: Path, copy: Path): FileInput =
    try
      val remark = "; the offset is that of the uncompressed buffers"
      FileInput(path, RandomAccessFile(copy.toFile, "r"), remark)
    catch case error: IOException => throw ArrowException.of(path, 0, error)
end FileInput
