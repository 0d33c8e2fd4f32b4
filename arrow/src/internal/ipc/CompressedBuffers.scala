package undercroft.arrow
package internal.ipc

import internal.io.ArrowOutput
import java.io.{IOException, OutputStream, RandomAccessFile}
import java.nio.file.{Files, Path}

/** The compressed buffers of a batch, in a temporary file: their sizes precede them in the output.
  * A compressed buffer begins with its uncompressed size, an int64. Confined to one thread.
  */
private[arrow] final class CompressedBuffers(
    planned: BatchPlan,
    codec: ArrowCodec,
    target: ArrowOutput
) extends AutoCloseable:
  private val path: Path = translated(Files.createTempFile("undercroft-arrow", ".buffers").nn)
  private val file = translated(RandomAccessFile(path.toFile, "rw"))
  private val bytes = new Array[Byte](CompressedBuffers.CopyBytes)

  /** The batch with its buffers compressed. */
  val plan: BatchPlan =
    try translated(compressed())
    catch
      case error: Throwable =>
        close()
        throw error

  private def compressed(): BatchPlan =
    val result = BatchPlan(planned.rows)
    result.nodes ++= planned.nodes
    for part <- planned.parts do
      result.parts += (if part.bytes == 0 then part else compressed(part))
    result

  private def compressed(part: BufferPlan): BufferPlan =
    val start = file.getFilePointer
    for k <- 0 until 8 do file.write((part.bytes >>> 8 * k).toByte.toInt)
    val stream = codec.compress(Target())
    val output = ArrowOutput(stream, target.path)
    part.write(output)
    output.flush()
    stream.close()
    val count = file.getFilePointer - start
    BufferPlan(count, copy(start, count, _))

  private def copy(start: Long, count: Long, output: ArrowOutput): Unit =
    var done = 0L
    while done < count do
      val part = Math.min(count - done, bytes.length).toInt
      translated:
        file.seek(start + done)
        file.readFully(bytes, 0, part)
      output.put(bytes, part)
      done += part

  /** Throws the errors of the temporary file as [[ArrowException]], as opposed to those of the
    * target.
    */
  private def translated[A](body: => A): A =
    try body
    catch case error: IOException => throw ArrowException.of(target.path, target.position, error)

  /** Writes at the end of the file, which a codec does not close. */
  private final class Target extends OutputStream:
    def write(byte: Int): Unit = file.write(byte)
    override def write(bytes: Array[Byte], offset: Int, count: Int): Unit =
      file.write(bytes, offset, count)

  def close(): Unit = translated:
    file.close()
    val _ = Files.deleteIfExists(path)
end CompressedBuffers

private[arrow] object CompressedBuffers:
  private inline val CopyBytes = 1 << 16
