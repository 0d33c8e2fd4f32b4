package undercroft.thrift

import java.lang.foreign.MemorySegment
import org.apache.thrift.{TFieldIdEnum, TSerializable}
import org.apache.thrift.protocol.{TProtocol, TType}
import undercroft.buffer.Buffer

/** Reads messages from bytes in place, of any size; replaces TDeserializer.
  *
  * An invalid message throws a TException with the position: a [[MessageTransportException]] if it
  * ends too early or exceeds a limit on bytes, otherwise a [[MessageProtocolException]]. Allocation
  * is proportional to the bytes of the message, and recursion ends at `limits.depth`. Not
  * thread-safe. It can be used again after an error.
  *
  * {{{
  * import org.apache.thrift.{TApplicationException, TException}
  * val deserializer = ThriftDeserializer()
  * try println(deserializer.deserialize(TApplicationException(), Array[Byte](11, 0, 1)).getMessage)
  * catch case error: TException => println(deserializer.position) // 3
  * }}}
  *
  * @param framed
  *   whether a message is preceded by its size in four bytes. A frame has one message: the bytes
  *   after the message in its frame are skipped, never read as another frame
  */
final class ThriftDeserializer(
    format: ThriftFormat = ThriftFormat.Binary,
    framed: Boolean = false,
    limits: ThriftLimits = ThriftLimits.default
):
  private val transport = TSegmentTransport(MemorySegment.NULL, framed, limits)
  private val protocol = format.protocol(transport)
  private val guard = LimitChecker(transport)

  /** The number of bytes of the last message, with its whole frame, or the position of its error.
    * After `field` and `struct` it is the end of the value.
    */
  def position: Long = transport.position

  /** Reads a message in place, from a ByteOutput's segment or from native memory. Ignores bytes
    * after the message and retains no reference to the segment.
    *
    * {{{
    * import org.apache.thrift.TApplicationException
    * val serializer = ThriftSerializer()
    * val bytes = serializer.serialize(TApplicationException(6, "no such user"))
    * val deserializer = ThriftDeserializer()
    * println(deserializer.deserialize(TApplicationException(), bytes.segment).getMessage)
    * // no such user
    * println(deserializer.position == bytes.size) // true
    * serializer.close()
    * }}}
    *
    * @return
    *   `message`, in which the values were stored
    */
  def deserialize[M <: TSerializable](message: M, bytes: MemorySegment): M =
    requireMessage(message)
    transport.of(bytes)
    protocol.reset()
    try
      guard.located(message.read(protocol))
      transport.endFrame()
      message
    finally transport.release()

  def deserialize[M <: TSerializable](message: M, bytes: Array[Byte]): M =
    deserialize(message, MemorySegment.ofArray(bytes))

  /** Reads a message from the start of a buffer and recycles its segments as they are read. After
    * an error the buffer contains the bytes after the error's position, and of a framed message the
    * bytes after its frame. A frame that has not arrived as a whole stays in the buffer. To be able
    * to retry, read from `buffer.copy()`, which shares its segments.
    *
    * {{{
    * import org.apache.thrift.TApplicationException
    * import undercroft.buffer.Buffer
    * val (source, serializer) = (Buffer(), ThriftSerializer())
    * for user <- List("Ann", "Bob") do
    *   serializer.serialize(TApplicationException(6, user), source): Unit
    * val deserializer = ThriftDeserializer()
    * println(deserializer.deserialize(TApplicationException(), source).getMessage) // Ann
    * println(deserializer.deserialize(TApplicationException(), source).getMessage) // Bob
    * serializer.close()
    * }}}
    */
  def deserialize[M <: TSerializable](message: M, source: Buffer): M =
    requireMessage(message)
    val transport = TBufferTransport(source, framed, limits)
    try
      LimitChecker(transport).located(message.read(format.protocol(transport)))
      message
    finally transport.endFrame()

  /** Reads one field of a message, and skips the fields before it; None if it is absent. `path` is
    * the fields from the message to it, as constants of the generated `_Fields`: all but the last
    * are structs or unions. Replaces TDeserializer's `partialDeserializeI64` and the like.
    *
    * Reads no further than the value, so it costs less than the whole message, and the bytes after
    * the value are not checked. If a message has the field twice, it is the first. A field of
    * another type, also on the way, is a [[MessageProtocolException]]; an empty path throws
    * IllegalArgumentException.
    *
    * {{{
    * import org.apache.thrift.{TApplicationException, TFieldIdEnum}
    * enum Field(number: Int) extends TFieldIdEnum:
    *   case Message extends Field(1)
    *   case Kind extends Field(2)
    *   def getThriftFieldId = number.toShort
    *   def getFieldName = toString
    * val serializer = ThriftSerializer()
    * val bytes = serializer.serialize(TApplicationException(6, "no such user")).segment
    * println(ThriftDeserializer().field[Int](bytes, Field.Kind)) // Some(6)
    * serializer.close()
    * }}}
    */
  def field[A](bytes: MemorySegment, path: TFieldIdEnum*)(using value: ThriftValue[A]): Option[A] =
    at(bytes, path, value.kind)(value.read)

  def field[A](bytes: Array[Byte], path: TFieldIdEnum*)(using ThriftValue[A]): Option[A] =
    field[A](MemorySegment.ofArray(bytes), path*)

  /** As above, for a field that is a struct or a union: its values are stored in `message`, as by
    * `deserialize`.
    */
  def struct[M <: TSerializable](message: M, bytes: MemorySegment, path: TFieldIdEnum*): Option[M] =
    requireMessage(message)
    at(bytes, path, TType.STRUCT): protocol =>
      message.read(protocol)
      message

  def struct[M <: TSerializable](message: M, bytes: Array[Byte], path: TFieldIdEnum*): Option[M] =
    struct(message, MemorySegment.ofArray(bytes), path*)

  private def at[A](bytes: MemorySegment, path: Seq[TFieldIdEnum], kind: Byte)(
      read: TProtocol => A
  ): Option[A] =
    if path.isEmpty then
      throw IllegalArgumentException("the path of a field must have at least 1 field, but has 0")
    val way = FieldPath(path)
    transport.of(bytes)
    protocol.reset()
    try guard.located(Option.when(way.enter(protocol, kind))(read(protocol)))
    finally transport.release()

  private def requireMessage(message: TSerializable): Unit =
    if message == null then throw NullPointerException("the message to read is null")
end ThriftDeserializer
