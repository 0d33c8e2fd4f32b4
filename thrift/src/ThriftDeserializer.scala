package undercroft.thrift

import java.lang.foreign.MemorySegment
import org.apache.thrift.TSerializable
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
  *   whether a message is preceded by its size in four bytes
  */
final class ThriftDeserializer(
    format: ThriftFormat = ThriftFormat.Binary,
    framed: Boolean = false,
    limits: ThriftLimits = ThriftLimits.default
):
  private val transport = TSegmentTransport(MemorySegment.NULL, framed, limits)
  private val protocol = format.protocol(transport)
  private val guard = LimitChecker(transport)

  /** The number of bytes of the last message or, if it failed, the position of the error. */
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
      message
    finally transport.release()

  def deserialize[M <: TSerializable](message: M, bytes: Array[Byte]): M =
    deserialize(message, MemorySegment.ofArray(bytes))

  /** Reads a message from the start of a buffer and recycles its segments as they are read. After
    * an error the buffer contains the bytes after the error's position; to be able to retry, read
    * from `buffer.copy()`, which shares its segments.
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
    LimitChecker(transport).located(message.read(format.protocol(transport)))
    message

  private def requireMessage(message: TSerializable): Unit =
    if message == null then throw NullPointerException("the message to read is null")
end ThriftDeserializer
