package undercroft.thrift

import undercroft.buffer.internal.codec.{NumberCodec, Utf8}
import java.util.Objects
import org.apache.thrift.transport.TTransportException
import undercroft.buffer.ByteOutput

/** A transport that writes messages to the end of a ByteOutput, which is contiguous, may exceed 2
  * GiB and grows without copying. The last few KiB become visible in it on `flush`. Throws the
  * output's TooLargeException or MemoryLimitException if a message does not fit.
  *
  * It cannot be read: a [[TSegmentTransport]] reads `output.segment`.
  *
  * @param framed
  *   whether `flush` stores the size of each message in front of it, in four bytes; a frame of more
  *   than 2 GiB throws [[MessageTransportException]]
  */
final class TOutputTransport(
    output: ByteOutput,
    framed: Boolean = false,
    limits: ThriftLimits = ThriftLimits.default
) extends TBytesTransport(limits):
  // The position of the frame's size; a frame is begun by its first byte.
  private var frame = TOutputTransport.NoFrame

  // Collects the last bytes of the message. A store to a heap array is small enough for the JIT to
  // inline into the code that Thrift's compiler generated; an off-heap store was compiled to a
  // call.
  private val window = new Array[Byte](TOutputTransport.WindowBytes)
  private var filled = 0

  // The length in chars up to which every string is within the limit.
  private val certainChars = limits.stringBytes / 3

  /** The number of bytes written: nothing is read. */
  def position: Long = output.size + filled
  private[thrift] def written: Long = if frame < 0 then position else position - 4
  private[thrift] def isFramed: Boolean = framed
  private[thrift] def rest: Long = 0

  /** Reserves `bytes` bytes of the window; returns their index. */
  private inline def next(bytes: Int): Int =
    if framed && frame < 0 then beginFrame()
    if filled > window.length - bytes then drain()
    val at = filled
    filled = at + bytes
    at

  /** Writes the window to the output. */
  private def drain(): Unit =
    output.write(window, 0, filled)
    filled = 0

  private def beginFrame(): Unit =
    frame = position
    writeI32(0)

  /** Writes the window to the output and ends a frame, whose size is now known. */
  override def flush(): Unit =
    drain()
    if framed && frame >= 0 then
      output.patchInt(frame, frameOf(output.size - frame - 4)): Unit
      frame = TOutputTransport.NoFrame

  /** Discards the bytes written since the last flush that are not in the output yet, and the frame
    * that was begun. Call it after a message failed while it was written; if the output has grown
    * since the last flush, reset the output, too, which removes earlier messages.
    *
    * {{{
    * import undercroft.buffer.ByteOutput
    * import undercroft.thrift.{BinaryProtocol, TOutputTransport}
    * val output = ByteOutput()
    * val transport = TOutputTransport(output)
    * BinaryProtocol(transport).writeString("half of a message") // the message fails
    * transport.discardPending()
    * transport.flush()
    * println(output.size) // 0
    * output.close()
    * }}}
    */
  def discardPending(): Unit =
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
    NumberCodec.store(window, at, value, bytes, false)

  private[thrift] def writeUtf8(text: String): Unit =
    if text.length > certainChars then checkString(Utf8Size.of(text))
    // A char has at most three bytes in UTF-8; the encoder needs room for four.
    if text.length <= TOutputTransport.WindowChars then
      val at = next(5 + text.length * 3)
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
  private[thrift] def endFrame(): Unit = ()
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

  /** The length in chars up to which every string fits in a window. */
  private val WindowChars = (WindowBytes - 8) / 3
