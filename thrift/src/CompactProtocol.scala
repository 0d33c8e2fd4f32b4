package undercroft.thrift

import java.nio.ByteBuffer
import org.apache.thrift.protocol.*

/** Thrift's compact protocol on a [[TBytesTransport]]: TCompactProtocol with the checks, positions
  * and copies of [[BinaryProtocol]].
  *
  * Not thread-safe. After an error, call [[reset]] before the next message: it skips the rest of
  * the frame, if the transport is framed.
  */
final class CompactProtocol(bytes: TBytesTransport) extends TCompactProtocol(bytes):
  private val guard = LimitChecker(bytes)

  override def reset(): Unit =
    super.reset()
    guard.reset()

  // libthrift's own counter cannot be reset: an error inside a union would leave it incremented.
  override def incrementRecursionDepth(): Unit = guard.descend()
  override def decrementRecursionDepth(): Unit = guard.ascend()

  override def writeString(text: String): Unit =
    bytes.checkText(text)
    super.writeString(text)

  override def writeBinary(value: ByteBuffer): Unit =
    bytes.checkString(value.remaining)
    super.writeBinary(value)

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
    super.readStructBegin()

  override def readStructEnd(): Unit =
    guard.leave()
    super.readStructEnd()

  override def readFieldBegin(): TField =
    val field = guard.located(super.readFieldBegin())
    guard.field(field.`type`)
    field

  override def readMapBegin(): TMap =
    val map = guard.located(super.readMapBegin())
    guard.element(map.keyType, map.size)
    guard.element(map.valueType, map.size)
    guard.elements(map.size, least(map.keyType) + least(map.valueType))
    map

  override def readListBegin(): TList =
    val list = guard.located(super.readListBegin())
    guard.element(list.elemType, list.size)
    guard.elements(list.size, least(list.elemType))
    list

  override def readSetBegin(): TSet = TSet(readListBegin())

  override def readString(): String =
    val size = declared()
    bytes.readUtf8(size)

  /** Returns a copy, which is independent of the transport's memory. */
  override def readBinary(): ByteBuffer =
    val copy = new Array[Byte](declared())
    bytes.readAll(copy, 0, copy.length): Unit
    ByteBuffer.wrap(copy)

  override protected def skipBinary(): Unit = bytes.skip(declared())

  /** Reads and checks the size of a string or a binary, a varint. */
  private def declared(): Int =
    var size = 0
    var shift = 0
    var isContinued = true
    while isContinued do
      val byte = bytes.readI8()
      size |= (byte & 0x7f) << shift
      shift += 7
      isContinued = byte < 0
      if isContinued && shift > CompactProtocol.MostShift then
        throw guard.error(TProtocolException.INVALID_DATA, "a variable-length size exceeds 5 bytes")
    guard.string(size)
    size

  override def getMinSerializedSize(kind: Byte): Int = least(kind)

  private def least(kind: Byte): Int = kind match
    case TType.DOUBLE => 8
    case TType.UUID   => 16
    case _            => 1

  override def skip(kind: Byte): Unit = skip(kind, guard.levels)

  override def skip(kind: Byte, levels: Int): Unit =
    guard.checkSkip(levels)
    guard.field(kind)
    // TProtocol.skip does not know the type.
    if kind == TType.UUID then bytes.skip(16)
    else super.skip(kind, Math.min(levels, guard.levels))

  override protected def skipBytes(count: Int): Unit = bytes.skip(count)
end CompactProtocol

object CompactProtocol:
  private val MostShift = 28
