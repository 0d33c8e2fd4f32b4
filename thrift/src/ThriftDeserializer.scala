package undercroft.thrift

import java.lang.foreign.MemorySegment
import org.apache.thrift.TSerializable
import undercroft.buffer.Buffer

/** Reads messages from bytes, in place of TDeserializer: where they lie, of any size.
  *
  * Whatever a message does wrong is a TException that says at which position: a
  * [[MessageTransportException]] where it ends too early or exceeds a limit of bytes, otherwise a
  * [[MessageProtocolException]]. No more is allocated than the bytes that are there can stand for,
  * and recursion ends at `limits.depth`. For one thread at a time; it can be used again after an
  * error.
  *
  * @param framed
  *   whether a message has its size before it, in four bytes
  */
final class ThriftDeserializer(
    format: ThriftFormat = ThriftFormat.Binary,
    framed: Boolean = false,
    limits: ThriftLimits = ThriftLimits.default
):
  private val transport = TSegmentTransport(MemorySegment.NULL, framed, limits)
  private val protocol = format.protocol(transport)
  private val guard = Guard(transport)

  /** Bytes that the last message had; where it failed, the position of that. */
  def position: Long = transport.position

  /** Reads a message where it lies: a ByteOutput's segment, or native memory. What follows it is
    * left alone, and nothing of the segment is kept.
    *
    * @return
    *   `message`, which what is read is stored to
    */
  def deserialize[M <: TSerializable](message: M, bytes: MemorySegment): M =
    transport.of(bytes)
    protocol.reset()
    try
      guard.located(message.read(protocol))
      message
    finally transport.release()

  def deserialize[M <: TSerializable](message: M, bytes: Array[Byte]): M =
    deserialize(message, MemorySegment.ofArray(bytes))

  /** Reads a message from the beginning of a buffer, whose segments go home as they are read. Where
    * that fails the buffer has what follows the error: who wants to try otherwise reads a
    * `buffer.copy()`, which shares its segments.
    */
  def deserialize[M <: TSerializable](message: M, source: Buffer): M =
    val own = TBufferTransport(source, framed, limits)
    Guard(own).located(message.read(format.protocol(own)))
    message
end ThriftDeserializer
