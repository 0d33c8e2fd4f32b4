package undercroft.arrow
package internal.ipc

import internal.io.FileInput
import java.io.{BufferedOutputStream, IOException, InputStream, OutputStream}
import java.nio.file.{Files, Path}
import scala.util.control.NonFatal

/** Decompresses the buffers of a file. A compressed buffer begins with its uncompressed size, an
  * int64; a size of -1 marks a buffer that is stored as it is.
  */
private[arrow] final class Decompression(path: Path, input: FileInput):
  import Decompression.*

  /** Writes all buffers, uncompressed, to a new temporary file. */
  def copy(content: FileContent): Copy =
    val codecs = content.codecs.map((name, at) => name -> codec(name, at))
    try
      val file = Files.createTempFile("undercroft-arrow", ".buffers")
      try
        val output = Output(BufferedOutputStream(Files.newOutputStream(file), BufferBytes))
        try Copy(file, content.mapHeaders(copied(_, codecs, output)))
        finally output.close()
      catch
        case error: Throwable =>
          Files.deleteIfExists(file): Unit
          throw error
    catch case error: IOException => throw ArrowException.of(path, 0, error)
  end copy

  private def codec(name: String, at: Long): ArrowCodec =
    ArrowCodec.find(name).getOrElse:
      throw input.error(
        at,
        ArrowErrorKind.Unsupported,
        s"the buffers are compressed with $name, which needs undercroft-compression on the" +
          " class path; or write the file without compression"
      )

  private def copied(
      header: BatchHeader,
      codecs: Map[String, ArrowCodec],
      output: Output
  ): BatchHeader =
    val codec = header.codec.map(codecs)
    header.copy(buffers = header.buffers.map(copied(_, codec, output)), codec = None)

  private def copied(buffer: FileRange, codec: Option[ArrowCodec], output: Output): FileRange =
    val at = output.position
    codec match
      case Some(codec) if buffer.bytes > 0 =>
        if buffer.bytes < SizeBytes then
          throw input.corrupt(
            buffer.at,
            s"a compressed buffer must have at least $SizeBytes bytes, but has ${buffer.bytes}"
          )
        val size = input.numbers(buffer.at, SizeBytes).getLong
        val content = FileRange(buffer.at + SizeBytes, buffer.bytes - SizeBytes)
        if size == Uncompressed then output.copy(RangeStream(input, content), content.bytes): Unit
        else if size < 0 then throw input.corrupt(buffer.at, s"a buffer of $size bytes")
        else decompress(content, codec, size, output)
      case _ => output.copy(RangeStream(input, buffer), buffer.bytes): Unit
    FileRange(at, output.position - at)
  end copied

  private def decompress(
      content: FileRange,
      codec: ArrowCodec,
      size: Long,
      output: Output
  ): Unit =
    try
      val stream = codec.decompress(RangeStream(input, content))
      try
        val count = output.copy(stream, size)
        if count < size || stream.read() >= 0 then
          val found = if count < size then s"$count" else s"more than $size"
          throw input.corrupt(content.at, s"a buffer must have $size bytes, but has $found")
      finally stream.close()
    catch
      case error: (ArrowException | WriteException) => throw error
      case NonFatal(error) =>
        throw input.corrupt(content.at, s"a buffer is not valid ${codec.name}: $error")
end Decompression

private[arrow] object Decompression:
  /** A temporary file of uncompressed buffers, and their places in it. */
  final class Copy(val file: Path, val content: FileContent)

  /** The size in bytes of the size that precedes a compressed buffer. */
  private inline val SizeBytes = 8

  /** The size of a buffer that is not compressed. */
  private inline val Uncompressed = -1L

  private inline val BufferBytes = 1 << 20

  /** An error of the temporary file, as opposed to an error of the compressed bytes. */
  private final class WriteException(cause: IOException)
      extends IOException(cause.getMessage, cause)

  private final class Output(stream: OutputStream) extends AutoCloseable:
    private val bytes = new Array[Byte](BufferBytes)
    var position = 0L

    /** Copies up to `most` bytes; returns their number. */
    def copy(from: InputStream, most: Long): Long =
      var done = 0L
      var count = 0
      while count >= 0 && done < most do
        count = from.read(bytes, 0, Math.min(most - done, bytes.length).toInt)
        if count > 0 then
          write(count)
          done += count
      done

    private def write(count: Int): Unit =
      try stream.write(bytes, 0, count)
      catch case error: IOException => throw WriteException(error)
      position += count

    def close(): Unit =
      try stream.close()
      catch case error: IOException => throw WriteException(error)
  end Output

  /** The bytes of a range of the input. */
  private final class RangeStream(input: FileInput, range: FileRange) extends InputStream:
    private var done = 0L

    def read(): Int =
      val one = new Array[Byte](1)
      if read(one, 0, 1) < 0 then -1 else one(0) & 0xff

    override def read(into: Array[Byte], offset: Int, count: Int): Int =
      val part = Math.min(count, range.bytes - done).toInt
      if count == 0 then 0
      else if part <= 0 then -1
      else
        input.read(range.at + done, into, offset, part)
        done += part
        part
  end RangeStream
end Decompression
