package undercroft.thrift

import org.apache.thrift.transport.TTransportException
import undercroft.buffer.ByteOutput

/** Writes messages to the end of a ByteOutput, which holds them in one piece, beyond 2 GiB, and
  * grows without copying. What does not fit is the output's TooLargeException or
  * MemoryLimitException.
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

  /** Bytes that were written: nothing is read. */
  def position: Long = output.size
  def remaining: Long = 0

  private inline def begin(): Unit = if framed && frame < 0 then beginFrame()

  private def beginFrame(): Unit =
    output.writeInt(0): Unit
    frame = output.size - 4

  /** Ends a frame, whose size is known now. */
  override def flush(): Unit = if framed && frame >= 0 then
    output.patchInt(frame, frameOf(output.size - frame - 4)): Unit
    frame = TOutputTransport.NoFrame

  /** Forgets what was begun, because the output was reset. */
  private[thrift] def forget(): Unit = frame = TOutputTransport.NoFrame

  override def write(source: Array[Byte], from: Int, count: Int): Unit =
    begin()
    output.write(source, from, count)

  private[thrift] def writeI8(value: Int): Unit =
    begin()
    output.writeByte(value): Unit

  private[thrift] def writeI16(value: Int): Unit =
    begin()
    output.writeShort(value): Unit

  private[thrift] def writeI32(value: Int): Unit =
    begin()
    output.writeInt(value): Unit

  private[thrift] def writeI64(value: Long): Unit =
    begin()
    output.writeLong(value): Unit

  private[thrift] def writeUtf8(text: String): Unit =
    begin()
    val length = output.size
    output.writeInt(text.length).writeUtf8(text): Unit
    val bytes = output.size - length - 4
    if bytes != text.length then
      if bytes > limits.stringBytes then throw tooLong()
      output.patchInt(length, bytes.toInt): Unit

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
