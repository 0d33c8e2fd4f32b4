package undercroft.thrift

import org.apache.thrift.TSerializable
import org.apache.thrift.protocol.TProtocol
import undercroft.buffer.{Buffer, ByteOutput}

/** Writes messages of any size to contiguous memory that is reused from message to message;
  * replaces TSerializer.
  *
  * Holds off-heap memory until it is closed. Not thread-safe. Throws libthrift's TException if a
  * message is invalid, and the output's TooLargeException or MemoryLimitException if it does not
  * fit; the output is then empty.
  *
  * {{{
  * import org.apache.thrift.TApplicationException // or a class that Thrift's compiler generates
  * val serializer = ThriftSerializer(ThriftFormat.Compact)
  * val bytes = serializer.serialize(TApplicationException(6, "no such user"))
  * println(bytes.segment.byteSize) // 17
  * serializer.close() // frees the bytes
  * }}}
  *
  * @param framed
  *   whether a message is preceded by its size in four bytes
  * @param output
  *   receives the messages; closed together with the serializer
  */
final class ThriftSerializer(
    format: ThriftFormat = ThriftFormat.Binary,
    framed: Boolean = false,
    limits: ThriftLimits = ThriftLimits.default,
    output: ByteOutput = ByteOutput()
) extends AutoCloseable:
  private val transport = TOutputTransport(output, framed, limits)
  private val protocol = format.protocol(transport)

  /** The bytes of a message, valid until the next call or the close. `segment` is a pointer to all
    * bytes for native code, `toByteArray()` a copy, and `writeTo` writes them to a channel or a
    * stream.
    *
    * Once the output has enough memory, the binary format allocates only in the message's own code,
    * and for a binary value whose ByteBuffer has no accessible array. libthrift's compact format
    * allocates for each string and each binary value.
    *
    * {{{
    * import org.apache.thrift.TApplicationException
    * val serializer = ThriftSerializer()
    * for user <- List("Ann", "Bob") do
    *   println(serializer.serialize(TApplicationException(6, user)).toByteArray().length) // 18
    * serializer.close()
    * }}}
    */
  def serialize(message: TSerializable): ByteOutput =
    output.reset()
    transport.discardPending()
    var written = false
    try
      ThriftSerializer.write(message, protocol)
      transport.flush()
      written = true
      output
    finally if !written then output.reset()

  /** Appends a message to a buffer; the buffer is unchanged if that fails. A buffer of an off-heap
    * pool can be passed to native code without a copy by `withIovecs`.
    *
    * {{{
    * import org.apache.thrift.TApplicationException
    * import undercroft.buffer.Buffer
    * val buffer = Buffer()
    * val serializer = ThriftSerializer()
    * println(serializer.serialize(TApplicationException(6, "no such user"), buffer)) // 27
    * val read = ThriftDeserializer().deserialize(TApplicationException(), buffer)
    * println((read.getMessage, buffer.size)) // (no such user,0)
    * serializer.close()
    * }}}
    *
    * @return
    *   the number of bytes
    */
  def serialize(message: TSerializable, target: Buffer): Long =
    val part = Buffer(using target.pool)
    val transport = TBufferTransport(part, framed, limits, Buffer(using target.pool))
    try
      ThriftSerializer.write(message, format.protocol(transport))
      transport.flush()
      val bytes = part.size
      target.write(part, bytes)
      bytes
    finally
      transport.discardPending()
      part.clear()

  /** Returns the reusable memory to the system; the next message allocates new memory.
    *
    * {{{
    * val serializer = ThriftSerializer()
    * serializer.trim() // for example after the largest message of the day
    * serializer.close()
    * }}}
    */
  def trim(): Unit = output.reset(keepPages = false)

  /** Frees the memory, including the bytes of the last message. */
  def close(): Unit = output.close()
end ThriftSerializer

object ThriftSerializer:
  private def write(message: TSerializable, protocol: TProtocol): Unit =
    protocol.reset()
    message.write(protocol)
