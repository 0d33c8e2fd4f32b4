package undercroft.thrift

import java.util.Objects
import org.apache.thrift.transport.TTransportException
import undercroft.buffer.{ByteOutput, Numbers, Utf8}

/** Writes messages to the end of a ByteOutput, which holds them in one piece, beyond 2 GiB, and
  * grows without copying. The last few KiB are there when the message is flushed. What does not fit
  * is the output's TooLargeException or MemoryLimitException.
  *
  * It cannot be read: a [[TSegmentTransport]] reads `output.segment`.
  *
  * @param framed
  *   whether each message gets its size before it, in four bytes, when it is flushed; one of more
  *   than 2 GiB has none, which is a [[MessageTransportException]]
  */
final class TOutputTransport(
    output: ByteOutput,
    framed: Boolean = false,
    limits: ThriftLimits = ThriftLimits.default
) extends TBytesTransport(limits):
  // Where the frame's size goes; none is open before its first byte.
  private var frame = TOutputTransport.NoFrame

  // The last bytes of the message, on their way to the output. A store to an array is so little code
  // that the JIT makes it part of what Thrift's compiler generated, where one outside the heap
  // became a call.
  private val window = new Array[Byte](TOutputTransport.WindowBytes)
  private var filled = 0

  // Chars whose bytes are within the limit, whatever they are.
  private val certainChars = limits.stringBytes / 3

  /** Bytes that were written: nothing is read. */
  def position: Long = output.size + filled
  def remaining: Long = 0

  /** Where the next `bytes` bytes go in the window. */
  private inline def next(bytes: Int): Int =
    if framed && frame < 0 then beginFrame()
    if filled > window.length - bytes then drain()
    val at = filled
    filled = at + bytes
    at

  /** Hands what is in the window to the output. */
  private def drain(): Unit =
    output.write(window, 0, filled)
    filled = 0

  private def beginFrame(): Unit =
    frame = position
    writeI32(0)

  /** Hands everything to the output; ends a frame, whose size is known now. */
  override def flush(): Unit =
    drain()
    if framed && frame >= 0 then
      output.patchInt(frame, frameOf(output.size - frame - 4)): Unit
      frame = TOutputTransport.NoFrame

  /** Forgets what was begun, because the output was reset. */
  private[thrift] def forget(): Unit =
    filled = 0
    frame = TOutputTransport.NoFrame

  override def write(source: Array[Byte], from: Int, count: Int): Unit =
    Objects.checkFromIndexSize(from, count, source.length): Unit
    if count <= window.length then System.arraycopy(source, from, window, next(count), count)
    else
      next(0): Unit
      drain()
      output.write(source, from, count)

  private[thrift] def writeI8(value: Int): Unit = window(next(1)) = value.toByte
  private[thrift] def writeI16(value: Int): Unit = store(next(2), value, 2)
  private[thrift] def writeI32(value: Int): Unit = store(next(4), value, 4)
  private[thrift] def writeI64(value: Long): Unit = store(next(8), value, 8)

  private def store(at: Int, value: Long, bytes: Int): Unit =
    Numbers.store(window, at, value, bytes, false)

  private[thrift] def writeUtf8(text: String): Unit =
    if text.length > certainChars then checkString(Utf8Size.of(text))
    // No char of a text takes more than three bytes.
    if text.length <= TOutputTransport.WindowChars then
      val at = next(4 + text.length * 3)
      val bytes = Utf8.encode(text, 0, text.length, window, at + 4, window.length).toInt
      store(at, bytes, 4)
      filled = at + 4 + bytes
    else writeLong(text)

  private def writeLong(text: String): Unit =
    writeI32(text.length)
    drain()
    val start = output.size
    output.writeUtf8(text): Unit
    val bytes = output.size - start
    if bytes != text.length then output.patchInt(start - 4, bytes.toInt): Unit

  private[thrift] def beginMessage(): Unit = ()
  private[thrift] def lacking(bytes: Long): MessageTransportException = ended(bytes)
  override def read(target: Array[Byte], from: Int, count: Int): Int = throw unreadable
  private[thrift] def readI8(): Int = throw unreadable
  private[thrift] def readI16(): Int = throw unreadable
  private[thrift] def readI32(): Int = throw unreadable
  private[thrift] def readI64(): Long = throw unreadable
  private[thrift] def readUtf8(bytes: Int): String = throw unreadable
  private[thrift] def skip(bytes: Long): Unit = throw unreadable

  private def unreadable =
    TTransportException(
      TTransportException.NOT_OPEN,
      "a TOutputTransport cannot be read: a TSegmentTransport reads output.segment"
    )
end TOutputTransport

object TOutputTransport:
  private val NoFrame = -1L
  private val WindowBytes = 8192

  /** Chars whose bytes have room in a window, whatever they are. */
  private val WindowChars = (WindowBytes - 8) / 3
