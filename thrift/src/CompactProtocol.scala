package undercroft.thrift

import java.nio.ByteBuffer
import org.apache.thrift.protocol.*
import org.apache.thrift.transport.TMemoryBuffer

/** Thrift's compact protocol on a [[TBytesTransport]]: TCompactProtocol with the checks, positions
  * and copies of [[BinaryProtocol]].
  *
  * Not thread-safe. After an error, call [[reset]] before the next message: it skips the rest of
  * the frame that is read, if the transport is framed. It discards no written bytes: see
  * `discardPending` of [[TOutputTransport]] and [[TBufferTransport]].
  */
final class CompactProtocol(bytes: TBytesTransport) extends TCompactProtocol(bytes):
  private val guard = LimitChecker(bytes)

  // Whether the header of a bool field was read or begun, and its value was not. libthrift keeps
  // the field, also after a reset, for the next bool that is read or written.
  private var isBoolUnread = false
  private var isBoolUnwritten = false

  override def reset(): Unit =
    if isBoolUnread || isBoolUnwritten then discardBool()
    super.reset()
    guard.reset()

  /** Ends the bool field that was begun, on memory that is discarded. */
  private def discardBool(): Unit =
    trans_ = TMemoryBuffer(CompactProtocol.MaxHeaderBytes)
    try
      writeBool(false)
      readBool(): Unit
    finally trans_ = bytes

  // libthrift's own counter cannot be reset: an error inside a union would leave it incremented.
  override def incrementRecursionDepth(): Unit = guard.descend()
  override def decrementRecursionDepth(): Unit = guard.ascend()

  override def writeStructBegin(struct: TStruct): Unit =
    guard.enterWritten()
    super.writeStructBegin(struct)

  override def writeStructEnd(): Unit =
    super.writeStructEnd()
    guard.leaveWritten()

  override def writeMapBegin(map: TMap): Unit =
    guard.enterWritten(map.size)
    super.writeMapBegin(map)

  override def writeListBegin(list: TList): Unit =
    guard.enterWritten(list.size)
    super.writeListBegin(list)

  override def writeSetBegin(set: TSet): Unit =
    guard.enterWritten(set.size)
    super.writeSetBegin(set)

  override def writeFieldBegin(field: TField): Unit =
    if field.`type` == TType.BOOL then isBoolUnwritten = true
    super.writeFieldBegin(field)

  override def writeBool(value: Boolean): Unit =
    super.writeBool(value)
    isBoolUnwritten = false

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
    if field.`type` == TType.BOOL then isBoolUnread = true
    field

  override def readMapEnd(): Unit = guard.leaveContainer()
  override def readListEnd(): Unit = guard.leaveContainer()
  override def readSetEnd(): Unit = guard.leaveContainer()
  override def writeMapEnd(): Unit = guard.leaveWritten()
  override def writeListEnd(): Unit = guard.leaveWritten()
  override def writeSetEnd(): Unit = guard.leaveWritten()

  override def readBool(): Boolean =
    isBoolUnread = false
    super.readBool()

  override def readMapBegin(): TMap =
    val map = guard.located(super.readMapBegin())
    guard.element(map.keyType, map.size)
    guard.element(map.valueType, map.size)
    guard.elements(map.size, least(map.keyType) + least(map.valueType))
    guard.enterContainer()
    map

  override def readListBegin(): TList =
    val list = guard.located(super.readListBegin())
    guard.element(list.elemType, list.size)
    guard.elements(list.size, least(list.elemType))
    guard.enterContainer()
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
    val allowed = Math.min(levels, guard.levels)
    guard.checkSkip(kind, allowed)
    guard.field(kind)
    // TProtocol.skip does not know the type.
    if kind == TType.UUID then bytes.skip(16)
    else super.skip(kind, Math.max(1, allowed)) // TProtocol counts a scalar as a level

  override protected def skipBytes(count: Int): Unit = bytes.skip(count)
end CompactProtocol

object CompactProtocol:
  private val MostShift = 28

  /** The type and the ID of a field. */
  private val MaxHeaderBytes = 4
