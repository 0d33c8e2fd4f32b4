package undercroft.arrow
package internal.io

import java.io.OutputStream
import java.lang.foreign.{MemorySegment, ValueLayout}
import java.nio.file.Path
import undercroft.file.StridedCopy
import undercroft.struct.internal.bytes.OutOfLine

/** Writes bytes and values to a stream, buffered. Confined to one thread.
  *
  * @param path
  *   the file that errors name
  */
private[arrow] final class ArrowOutput(stream: OutputStream, val path: Path):
  private val bytes = new Array[Byte](ArrowOutput.BufferBytes)
  private val buffer = MemorySegment.ofArray(bytes).nn
  private var filled = 0
  private var written = 0L

  /** The number of bytes written so far. */
  def position: Long = written + filled

  /** An error at the current position. */
  def error(kind: ArrowErrorKind, reason: String): ArrowException =
    ArrowException(path, position, kind, reason)

  def put(byte: Byte): Unit =
    if filled == bytes.length then flush()
    bytes(filled) = byte
    filled += 1

  def putInt(value: Int): Unit =
    if bytes.length - filled < 4 then flush()
    buffer.set(ArrowOutput.int, filled, value)
    filled += 4

  def put(content: Array[Byte], count: Int): Unit =
    var done = 0
    while done < count do
      val part = space(count - done)
      System.arraycopy(content, done, bytes, filled, part)
      filled += part
      done += part

  /** Writes `count` values of `size` bytes, each `step` bytes after the previous one, contiguously.
    */
  def put(memory: MemorySegment, start: Long, step: Long, size: Int, count: Long): Unit =
    if step == size then
      val total = count * size
      var done = 0L
      while done < total do
        val part = space(total - done)
        MemorySegment.copy(memory, start + done, buffer, filled, part)
        filled += part
        done += part
    else if size > bytes.length then
      for i <- 0L until count do put(memory, start + i * step, size, size, 1)
    else
      var done = 0L
      while done < count do
        if bytes.length - filled < size then flush()
        val part = Math.min(count - done, (bytes.length - filled) / size).toInt
        StridedCopy.copy(memory, start + done * step, step, buffer, filled, size, size, part)
        filled += part * size
        done += part

  /** Writes bytes out of line. If their memory is freed, throws, and no byte of another owner
    * leaves the buffer.
    */
  def putOutOfLine(address: Long, count: Long): Unit =
    var done = 0L
    while done < count do
      val part = space(count - done)
      OutOfLine.copyTo(address, done, part, buffer, filled)
      filled += part
      done += part

  /** Writes zeros up to a multiple of `ArrowFormat.Alignment`. */
  def pad(): Unit = while position % ArrowFormat.Alignment != 0 do put(0.toByte)

  /** The part of `wanted` bytes that fits in the buffer now; at least one byte. */
  private def space(count: Long): Int =
    if filled == bytes.length then flush()
    Math.min(count, bytes.length - filled).toInt

  /** Passes the buffered bytes on. */
  def flush(): Unit =
    stream.write(bytes, 0, filled)
    written += filled
    filled = 0
end ArrowOutput

private[arrow] object ArrowOutput:
  /** Size of the write buffer, large enough that the cost of system calls is negligible. */
  private val BufferBytes = 1 << 20

  private val int = ValueLayout.JAVA_INT_UNALIGNED.nn.withOrder(java.nio.ByteOrder.LITTLE_ENDIAN).nn
