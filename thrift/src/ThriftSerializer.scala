package undercroft.thrift

import org.apache.thrift.TSerializable
import org.apache.thrift.protocol.TProtocol
import undercroft.buffer.{Buffer, ByteOutput}

/** Writes messages as bytes, in place of TSerializer: into memory that is kept from message to
  * message, in one piece, of any size.
  *
  * It holds memory outside the heap until it is closed. For one thread at a time. What cannot be
  * written is libthrift's TException, or the output's TooLargeException or MemoryLimitException;
  * then the output is empty.
  *
  * @param framed
  *   whether a message has its size before it, in four bytes
  * @param output
  *   what messages are written to, and closed with this
  */
final class ThriftSerializer(
    format: ThriftFormat = ThriftFormat.Binary,
    framed: Boolean = false,
    limits: ThriftLimits = ThriftLimits.default,
    output: ByteOutput = ByteOutput()
) extends AutoCloseable:
  private val transport = TOutputTransport(output, framed, limits)
  private val protocol = format.protocol(transport)

  /** The bytes of a message, until the next call or the close: `segment` is a pointer to all of
    * them for native code, `toByteArray()` a copy, `writeTo` sends them to a channel or a stream.
    *
    * Once the memory for it is there, this allocates what the message's own code does.
    */
  def serialize(message: TSerializable): ByteOutput =
    output.reset()
    transport.forget()
    var written = false
    try
      ThriftSerializer.write(message, protocol)
      transport.flush()
      written = true
      output
    finally if !written then output.reset()

  /** Writes a message to the end of a buffer, which is as it was where that fails. One whose pool
    * lies outside the heap can be lent to native code, without a copy, by `lend`.
    *
    * @return
    *   how many bytes
    */
  def serialize(message: TSerializable, target: Buffer): Long =
    val part = Buffer(using target.pool)
    val own = TBufferTransport(part, framed, limits, Buffer(using target.pool))
    try
      ThriftSerializer.write(message, format.protocol(own))
      own.flush()
      val bytes = part.size
      target.write(part, bytes)
      bytes
    finally
      own.forget()
      part.clear()

  /** Gives the memory that is kept back to the system; the next message takes new. */
  def trim(): Unit = output.reset(keepPages = false)

  /** Frees the memory; the bytes of the last message are gone. */
  def close(): Unit = output.close()
end ThriftSerializer

object ThriftSerializer:
  private def write(message: TSerializable, protocol: TProtocol): Unit =
    protocol.reset()
    message.write(protocol)
