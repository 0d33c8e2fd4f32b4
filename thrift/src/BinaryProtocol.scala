package undercroft.thrift

import java.lang.Double.{doubleToRawLongBits, longBitsToDouble}
import java.nio.ByteBuffer
import java.util.UUID
import org.apache.thrift.protocol.*

/** Thrift's binary protocol on a [[TBytesTransport]]. Writes the same bytes as TBinaryProtocol,
  * except that a NaN keeps its bits, and is faster because numbers and strings need no temporary
  * arrays.
  *
  * Input is checked against [[ThriftLimits]] and against the remaining bytes: declared sizes before
  * memory is allocated for them, nesting depth before the stack overflows, types before values are
  * skipped. An error is a [[MessageTransportException]] or a [[MessageProtocolException]] with the
  * position. `readBinary` returns a copy. Writing does not allocate, except for a binary value
  * whose ByteBuffer has no accessible array.
  *
  * Not thread-safe. After an error, call [[reset]] before the next message: it skips the rest of
  * the frame that is read, if the transport is framed. It discards no written bytes: see
  * `discardPending` of [[TOutputTransport]] and [[TBufferTransport]].
  */
final class BinaryProtocol(bytes: TBytesTransport)
    extends TBinaryProtocol(bytes, -1, -1, false, true):
  private val guard = LimitChecker(bytes)

  override def reset(): Unit = guard.reset()

  override def writeStructBegin(struct: TStruct): Unit = guard.enterWritten()
  override def writeStructEnd(): Unit = guard.leaveWritten()

  override def writeFieldBegin(field: TField): Unit =
    bytes.writeI8(field.`type`)
    bytes.writeI16(field.id)

  override def writeFieldStop(): Unit = bytes.writeI8(TType.STOP)

  override def writeMapBegin(map: TMap): Unit =
    guard.enterWritten(map.size)
    bytes.writeI8(map.keyType)
    bytes.writeI8(map.valueType)
    bytes.writeI32(map.size)

  override def writeListBegin(list: TList): Unit =
    guard.enterWritten(list.size)
    bytes.writeI8(list.elemType)
    bytes.writeI32(list.size)

  override def writeSetBegin(set: TSet): Unit =
    guard.enterWritten(set.size)
    bytes.writeI8(set.elemType)
    bytes.writeI32(set.size)

  override def writeBool(value: Boolean): Unit = bytes.writeI8(if value then 1 else 0)
  override def writeByte(value: Byte): Unit = bytes.writeI8(value)
  override def writeI16(value: Short): Unit = bytes.writeI16(value)
  override def writeI32(value: Int): Unit = bytes.writeI32(value)
  override def writeI64(value: Long): Unit = bytes.writeI64(value)
  override def writeDouble(value: Double): Unit = bytes.writeI64(doubleToRawLongBits(value))

  override def writeUuid(value: UUID): Unit =
    bytes.writeI64(value.getMostSignificantBits)
    bytes.writeI64(value.getLeastSignificantBits)

  override def writeString(text: String): Unit = bytes.writeUtf8(text)

  override def writeBinary(value: ByteBuffer): Unit =
    bytes.checkString(value.remaining)
    bytes.writeI32(value.remaining)
    BinaryProtocol.write(bytes, value)

  // libthrift's own counter cannot be reset: an error inside a union would leave it incremented.
  override def incrementRecursionDepth(): Unit = guard.descend()
  override def decrementRecursionDepth(): Unit = guard.ascend()

  override def readMessageBegin(): TMessage =
    reset()
    bytes.beginMessage()
    val message = guard.header(super.readMessageBegin())
    guard.enterMessage()
    message

  override def readMessageEnd(): Unit =
    guard.leaveMessage()
    super.readMessageEnd()

  override def readStructBegin(): TStruct =
    guard.enter()
    BinaryProtocol.anonymous

  override def readStructEnd(): Unit = guard.leave()

  override def readFieldBegin(): TField =
    val kind = bytes.readI8().toByte
    guard.field(kind)
    TField("", kind, if kind == TType.STOP then 0 else bytes.readI16().toShort)

  override def readMapBegin(): TMap =
    val key = bytes.readI8().toByte
    val value = bytes.readI8().toByte
    val size = bytes.readI32()
    guard.element(key, size)
    guard.element(value, size)
    guard.elements(size, LimitChecker.leastBytes(key) + LimitChecker.leastBytes(value))
    guard.enterContainer()
    TMap(key, value, size)

  override def readListBegin(): TList =
    val kind = bytes.readI8().toByte
    TList(kind, elements(kind))

  override def readSetBegin(): TSet =
    val kind = bytes.readI8().toByte
    TSet(kind, elements(kind))

  private def elements(kind: Byte): Int =
    val size = bytes.readI32()
    guard.element(kind, size)
    guard.elements(size, LimitChecker.leastBytes(kind))
    guard.enterContainer()
    size

  override def readMapEnd(): Unit = guard.leaveContainer()
  override def readListEnd(): Unit = guard.leaveContainer()
  override def readSetEnd(): Unit = guard.leaveContainer()
  override def writeMapEnd(): Unit = guard.leaveWritten()
  override def writeListEnd(): Unit = guard.leaveWritten()
  override def writeSetEnd(): Unit = guard.leaveWritten()

  override def readBool(): Boolean = bytes.readI8() == 1
  override def readByte(): Byte = bytes.readI8().toByte
  override def readI16(): Short = bytes.readI16().toShort
  override def readI32(): Int = bytes.readI32()
  override def readI64(): Long = bytes.readI64()
  override def readDouble(): Double = longBitsToDouble(bytes.readI64())
  override def readUuid(): UUID = UUID(bytes.readI64(), bytes.readI64())
  override def readString(): String = readStringBody(bytes.readI32())

  override def readStringBody(size: Int): String =
    guard.string(size)
    bytes.readUtf8(size)

  /** Returns a copy, which is independent of the transport's memory. */
  override def readBinary(): ByteBuffer =
    val size = bytes.readI32()
    guard.string(size)
    val copy = new Array[Byte](size)
    bytes.readAll(copy, 0, size): Unit
    ByteBuffer.wrap(copy)

  override def getMinSerializedSize(kind: Byte): Int = LimitChecker.leastBytes(kind)

  override def skip(kind: Byte): Unit = skip(kind, guard.levels)

  override def skip(kind: Byte, levels: Int): Unit =
    val allowed = Math.min(levels, guard.levels)
    guard.checkSkip(kind, allowed)
    guard.field(kind)
    // TProtocol.skip does not know the type.
    if kind == TType.UUID then bytes.skip(16)
    else super.skip(kind, Math.max(1, allowed)) // TProtocol counts a scalar as a level

  override protected def skipBinary(): Unit =
    val size = bytes.readI32()
    guard.string(size)
    bytes.skip(size)

  override protected def skipBytes(count: Int): Unit = bytes.skip(count)
end BinaryProtocol

object BinaryProtocol:
  private val anonymous = TStruct()

  /** Writes the remaining bytes of a ByteBuffer; its position does not change. */
  private def write(bytes: TBytesTransport, value: ByteBuffer): Unit =
    if value.hasArray then
      bytes.write(value.array, value.arrayOffset + value.position, value.remaining)
    else
      val copy = new Array[Byte](value.remaining)
      value.get(value.position, copy): Unit
      bytes.write(copy, 0, copy.length)
