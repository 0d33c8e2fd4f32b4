package undercroft.thrift

import java.lang.foreign.MemorySegment
import undercroft.buffer.Buffer

/** Writes messages to the end of a Buffer, and reads them from its beginning: segments go home to
  * their pool as they are read. What others write to the buffer meanwhile, or read from it, is seen
  * here.
  *
  * @param framed
  *   whether each message has its size before it, in four bytes: what is written goes to the buffer
  *   when it is flushed, by moving segments
  * @param frame
  *   where a frame is collected meanwhile; of the buffer's own pool where its segments are to lie
  *   outside the heap
  */
final class TBufferTransport(
    buffer: Buffer,
    framed: Boolean = false,
    limits: ThriftLimits = ThriftLimits.default,
    frame: Buffer = Buffer()
) extends TBytesTransport(limits):
  private val target = if framed then frame else buffer
  private val start = buffer.position

  // The buffer's position where the message has to end: by its frame, or by its limit.
  private var until = 0L
  beginMessage()

  def position: Long = buffer.position - start
  def remaining: Long = Math.min(buffer.size, until - buffer.position)

  private[thrift] def beginMessage(): Unit =
    until = if framed then buffer.position else buffer.position + limits.messageBytes

  /** Writes a frame: its size, and what was written since the last one. */
  override def flush(): Unit = if framed && !frame.isEmpty then
    buffer.writeInt(frameOf(frame.size)): Unit
    buffer.write(frame, frame.size)

  /** Drops what was written since the last frame. */
  private[thrift] def forget(): Unit = if framed then frame.clear()

  private def need(count: Long): Unit = if count > remaining then more(count)

  private def more(count: Long): Unit =
    if framed && buffer.position >= until && buffer.size >= 4 then
      val size = buffer.readInt()
      checkFrame(size, buffer.size)
      until = buffer.position + size
    if count > remaining then throw lacking(count)

  private[thrift] def lacking(count: Long): MessageTransportException =
    if !framed && count <= buffer.size then tooLong() else ended(count)

  private[thrift] def readI8(): Int =
    need(1)
    buffer.readByte()

  private[thrift] def readI16(): Int =
    need(2)
    buffer.readShort()

  private[thrift] def readI32(): Int =
    need(4)
    buffer.readInt()

  private[thrift] def readI64(): Long =
    need(8)
    buffer.readLong()

  /** Straight from the segment that it lies in, where it is one. */
  private[thrift] def readUtf8(count: Int): String =
    need(count)
    buffer.readUtf8(count)

  private[thrift] def skip(count: Long): Unit =
    need(count)
    buffer.skip(count)

  /** Reads as many bytes as follow in the message, and at most `count`; none at its end. */
  override def read(bytes: Array[Byte], from: Int, count: Int): Int =
    java.util.Objects.checkFromIndexSize(from, count, bytes.length): Unit
    if framed && buffer.position >= until && !buffer.isEmpty && count > 0 then more(1)
    val some = Math.min(count, remaining).toInt
    buffer.readFully(MemorySegment.ofArray(bytes).asSlice(from, some))
    some

  override def write(source: Array[Byte], from: Int, count: Int): Unit =
    target.write(source, from, count): Unit

  private[thrift] def writeI8(value: Int): Unit = target.writeByte(value): Unit
  private[thrift] def writeI16(value: Int): Unit = target.writeShort(value): Unit
  private[thrift] def writeI32(value: Int): Unit = target.writeInt(value): Unit
  private[thrift] def writeI64(value: Long): Unit = target.writeLong(value): Unit

  private[thrift] def writeUtf8(text: String): Unit =
    val bytes = Utf8Size.of(text)
    checkString(bytes)
    target.writeInt(bytes.toInt).writeUtf8(text): Unit
end TBufferTransport
