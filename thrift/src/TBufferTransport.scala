package undercroft.thrift

import java.lang.foreign.MemorySegment
import undercroft.buffer.Buffer

/** A transport that writes messages to the end of a Buffer and reads them from its start; segments
  * are recycled as they are read. Other reads and writes of the buffer are visible here.
  *
  * @param framed
  *   whether each message is preceded by its size in four bytes; written bytes are then added to
  *   the buffer by `flush`, which moves segments instead of copying
  * @param frame
  *   collects a frame until it is flushed; to keep its segments off-heap, pass a buffer of the same
  *   pool
  */
final class TBufferTransport(
    buffer: Buffer,
    framed: Boolean = false,
    limits: ThriftLimits = ThriftLimits.default,
    frame: Buffer = Buffer()
) extends TBytesTransport(limits):
  private val target = if framed then frame else buffer
  private val start = buffer.position

  // The buffer position at which the message ends, because of its frame or its limit.
  private var until = 0L
  beginMessage()

  def position: Long = buffer.position - start
  private[thrift] def isFramed: Boolean = framed
  private[thrift] def rest: Long = Math.min(buffer.size, until - buffer.position)

  private[thrift] def written: Long = target.position + target.size

  override private[thrift] def nextSize: Long =
    if !framed || buffer.position < until then TBytesTransport.NoSize
    else TBytesTransport.sizeOf(buffer)

  override private[thrift] def arrived: Long = buffer.size - 4

  private[thrift] def beginMessage(): Unit =
    leave()
    until =
      if framed then Math.max(until, buffer.position)
      else buffer.position + limits.messageBytes

  private[thrift] def endFrame(): Unit = if framed && rest > 0 then buffer.skip(rest)

  /** Writes a frame: its size, and the bytes written since the last one. */
  override def flush(): Unit = if framed && !frame.isEmpty then
    buffer.writeInt(frameOf(frame.size)): Unit
    buffer.write(frame, frame.size)

  /** Discards the bytes of a frame written since the last flush, for example of a message that
    * failed while it was written. Without frames the bytes are in the buffer already.
    */
  def discardPending(): Unit = if framed then frame.clear()

  private def need(count: Long): Unit = if count > rest then more(count)

  private def more(count: Long): Unit =
    if framed && mayBegin && buffer.position >= until && buffer.size >= 4 then
      checkArrived()
      val size = buffer.readInt()
      checkFrame(size)
      until = buffer.position + size
      begun()
    if count > rest then throw lacking(count)

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

  /** Decodes directly from a segment if the string is in a single one. */
  private[thrift] def readUtf8(count: Int): String =
    need(count)
    buffer.readUtf8(count)

  private[thrift] def skip(count: Long): Unit =
    need(count)
    buffer.skip(count)

  /** Reads up to `count` remaining bytes of the message; returns 0 at its end. */
  override def read(bytes: Array[Byte], from: Int, count: Int): Int =
    java.util.Objects.checkFromIndexSize(from, count, bytes.length): Unit
    if framed && mayBegin && buffer.position >= until && !buffer.isEmpty && count > 0 then more(1)
    val length = Math.min(count, rest).toInt
    buffer.readFully(MemorySegment.ofArray(bytes).asSlice(from, length))
    length

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
