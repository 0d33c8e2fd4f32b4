package undercroft.arrow
package internal.ipc

import internal.io.{ArrowFormat, FileInput}
import java.io.{BufferedOutputStream, IOException, InputStream, OutputStream}
import java.nio.ByteBuffer
import java.nio.file.{Files, Path}
import org.apache.arrow.flatbuf.Message
import scala.util.control.NonFatal

/** Copies the messages of one Arrow stream, and no byte behind its end marker. Exceptions of the
  * stream's own reads reach the caller unchanged.
  */
private[arrow] final class StreamCopy(stream: InputStream):
  import StreamCopy.*

  private val bytes = new Array[Byte](BufferBytes)
  private var position = 0L

  def copyTo(file: Path): Unit =
    val target = Target(translated(Files.newOutputStream(file).nn))
    val output = BufferedOutputStream(target, BufferBytes)
    try while copiedMessage(output) do ()
    finally output.close()

  /** The temporary file. Its errors are [[ArrowException]], as opposed to the stream's. */
  private final class Target(file: OutputStream) extends OutputStream:
    def write(byte: Int): Unit = write(Array(byte.toByte), 0, 1)
    override def write(bytes: Array[Byte], offset: Int, count: Int): Unit =
      translated(file.write(bytes, offset, count))
    override def close(): Unit = translated(file.close())

  private def translated[A](access: => A): A =
    try access
    catch
      case error: IOException => throw ArrowException.of(ArrowSource.StreamName, position, error)

  /** Copies a message; returns whether another one may follow. */
  private def copiedMessage(output: OutputStream): Boolean =
    val at = position
    val prefix = stream.readNBytes(SizeBytes)
    output.write(prefix)
    position += prefix.length
    if prefix.isEmpty then false
    else
      val first = size(prefix, at)
      val isMarked = first == ArrowFormat.Continuation
      // Before format 1.0, no continuation marker preceded the size.
      if !isMarked && (first < 0 || first > ArrowFormat.MostUnmarkedBytes) then
        throw error(
          at,
          ArrowErrorKind.NotAnArrowFile,
          "a message must begin with the continuation marker"
        )
      val length =
        if !isMarked then first
        else
          val marked = stream.readNBytes(SizeBytes)
          output.write(marked)
          position += marked.length
          size(marked, at)
      if length < 0 then throw error(at, ArrowErrorKind.Corrupt, s"a message has $length bytes")
      if length == 0 then false
      else
        val metadata = stream.readNBytes(length)
        output.write(metadata)
        position += metadata.length
        if metadata.length < length then throw truncated(at, length, metadata.length)
        val body = bodyBytes(metadata, at)
        val count = copy(body, output)
        if count < body then throw truncated(at, body, count)
        true
    end if
  end copiedMessage

  private def size(bytes: Array[Byte], at: Long): Int =
    if bytes.length < SizeBytes then
      throw error(at, ArrowErrorKind.Truncated, s"a message needs ${2 * SizeBytes} bytes at least")
    FileInput.numbers(bytes).getInt

  private def bodyBytes(metadata: Array[Byte], at: Long): Long =
    val size =
      try Message.getRootAsMessage(ByteBuffer.wrap(metadata)).bodyLength
      catch
        case NonFatal(cause) =>
          throw error(at, ArrowErrorKind.Corrupt, s"a message cannot be read: ${cause.getMessage}")
    if size < 0 then
      throw error(at, ArrowErrorKind.Corrupt, s"the body of a message has $size bytes")
    size

  private def copy(most: Long, output: OutputStream): Long =
    var done = 0L
    var count = 0
    while count >= 0 && done < most do
      count = stream.read(bytes, 0, Math.min(most - done, bytes.length).toInt)
      if count > 0 then
        output.write(bytes, 0, count)
        done += count
    position += done
    done

  private def truncated(at: Long, needed: Long, found: Long): ArrowException =
    error(at, ArrowErrorKind.Truncated, s"a message needs $needed bytes, but has $found")

  private def error(at: Long, kind: ArrowErrorKind, reason: String): ArrowException =
    ArrowException(ArrowSource.StreamName, at, kind, reason)
end StreamCopy

private[arrow] object StreamCopy:
  /** The continuation marker, or the size of a message's metadata. */
  private inline val SizeBytes = 4
  private inline val BufferBytes = 1 << 16
