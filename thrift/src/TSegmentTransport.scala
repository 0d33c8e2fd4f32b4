package undercroft.thrift

import java.lang.foreign.{MemorySegment, ValueLayout}
import java.nio.ByteOrder.BIG_ENDIAN
import java.nio.charset.StandardCharsets.UTF_8
import org.apache.thrift.transport.TTransportException

/** A transport that reads messages of any size in place: from a ByteOutput's `segment`, native
  * memory, a memory-mapped file or an array.
  *
  * It retains only the segment. The segment's arena determines its lifetime and the threads that
  * may read it; after the arena is closed, reads throw FFM's IllegalStateException. It cannot be
  * written.
  *
  * @param framed
  *   whether each message is preceded by its size in four bytes
  */
final class TSegmentTransport(
    bytes: MemorySegment,
    framed: Boolean = false,
    limits: ThriftLimits = ThriftLimits.default
) extends TBytesTransport(limits):
  private var memory = bytes
  private var at = 0L

  // The end of the readable bytes: of the message or of the input.
  private var until = 0L
  beginMessage()

  // Temporary copy of a string's bytes, from which the String is created.
  private var part = new Array[Byte](TSegmentTransport.PartBytes)

  def position: Long = at
  private[thrift] def isFramed: Boolean = framed
  private[thrift] def rest: Long = until - at

  private[thrift] def written: Long = 0

  override private[thrift] def nextSize: Long =
    if !framed || at < until || memory.byteSize - at < 4 then TBytesTransport.NoSize
    else memory.get(TSegmentTransport.I32, at)

  override private[thrift] def arrived: Long = memory.byteSize - at - 4

  /** Continues with other bytes, from their start. */
  def of(bytes: MemorySegment): this.type =
    memory = bytes
    at = 0
    until = 0
    beginMessage()
    this

  /** Releases the reference to the bytes; the position does not change. */
  private[thrift] def release(): Unit =
    memory = MemorySegment.NULL
    until = at

  private[thrift] def beginMessage(): Unit =
    leave()
    until =
      if framed then Math.max(until, at)
      else at + Math.min(memory.byteSize - at, limits.messageBytes)

  private[thrift] def endFrame(): Unit = if framed then at = Math.max(until, at)

  private def need(count: Long): Unit = if count > until - at then more(count)

  private def more(count: Long): Unit =
    if framed && mayBegin && at == until && memory.byteSize - at >= 4 then
      checkArrived()
      val size = memory.get(TSegmentTransport.I32, at)
      at += 4
      checkFrame(size)
      until = at + size
      begun()
    if count > until - at then throw lacking(count)

  private[thrift] def lacking(count: Long): MessageTransportException =
    if !framed && count <= memory.byteSize - at then tooLong() else ended(count)

  private[thrift] def readI8(): Int =
    need(1)
    val value = memory.get(ValueLayout.JAVA_BYTE, at)
    at += 1
    value

  private[thrift] def readI16(): Int =
    need(2)
    val value = memory.get(TSegmentTransport.I16, at)
    at += 2
    value

  private[thrift] def readI32(): Int =
    need(4)
    val value = memory.get(TSegmentTransport.I32, at)
    at += 4
    value

  private[thrift] def readI64(): Long =
    need(8)
    val value = memory.get(TSegmentTransport.I64, at)
    at += 8
    value

  private[thrift] def readUtf8(count: Int): String =
    need(count)
    if count > part.length && count <= TSegmentTransport.MostKept then
      part = new Array[Byte](Integer.highestOneBit(count - 1) << 1)
    val target = if count <= part.length then part else new Array[Byte](count)
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at, target, 0, count)
    at += count
    String(target, 0, count, UTF_8)

  private[thrift] def skip(count: Long): Unit =
    need(count)
    at += count

  /** Reads up to `count` remaining bytes of the message; returns 0 at its end. */
  override def read(target: Array[Byte], from: Int, count: Int): Int =
    java.util.Objects.checkFromIndexSize(from, count, target.length): Unit
    if framed && mayBegin && at == until && at < memory.byteSize && count > 0 then more(1)
    val length = Math.min(count, rest).toInt
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at, target, from, length)
    at += length
    length

  override def write(source: Array[Byte], from: Int, count: Int): Unit = throw unwritable
  private[thrift] def writeI8(value: Int): Unit = throw unwritable
  private[thrift] def writeI16(value: Int): Unit = throw unwritable
  private[thrift] def writeI32(value: Int): Unit = throw unwritable
  private[thrift] def writeI64(value: Long): Unit = throw unwritable
  private[thrift] def writeUtf8(text: String): Unit = throw unwritable

  private def unwritable =
    TTransportException(TTransportException.NOT_OPEN, "a TSegmentTransport cannot be written")
end TSegmentTransport

object TSegmentTransport:
  /** Initial size of the temporary array. Strings of more than `MostKept` bytes get an array of
    * their own.
    */
  private val PartBytes = 256
  private val MostKept = 64 << 10

  private val I16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(BIG_ENDIAN)
  private val I32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(BIG_ENDIAN)
  private val I64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(BIG_ENDIAN)
