package outside.thrift

import java.lang.foreign.{Arena, MemorySegment}
import java.lang.management.ManagementFactory
import org.apache.thrift.{TException, TSerializable}
import org.apache.thrift.protocol.TProtocol
import undercroft.buffer.*
import undercroft.thrift.*

/** Reads messages from each kind of memory. */
abstract class MessageSuite extends undercroft.tools.RoundsSuite:

  /** The memory that a message is read from. */
  enum Source:
    case Heap, Native, Segments

  private val pool = SegmentPool.synchronizedPool(segmentBytes = 7, debug = true)

  protected def read[M <: TSerializable](
      message: M,
      bytes: Array[Byte],
      source: Source,
      deserializer: ThriftDeserializer
  ): M = source match
    case Source.Heap => deserializer.deserialize(message, bytes)
    case Source.Native =>
      val arena = Arena.ofConfined()
      try
        val copy = arena.allocate(bytes.length, 1).copyFrom(MemorySegment.ofArray(bytes))
        deserializer.deserialize(message, copy)
      finally arena.close()
    case Source.Segments =>
      val buffer = Buffer(using pool)
      try deserializer.deserialize(message, buffer.write(bytes).buffer)
      finally
        buffer.clear()
        pool.assertNoLeaks()

  /** The error of a message; fails if the message can be read, or throws another exception. */
  protected def errorOf(
      bytes: Array[Byte],
      source: Source,
      deserializer: ThriftDeserializer,
      message: TSerializable = Order()
  )(using munit.Location): TException =
    intercept[TException](read(message, bytes, source, deserializer))

  /** The bytes that `write` writes to a protocol. */
  protected def written(format: ThriftFormat)(write: TProtocol => Unit): Array[Byte] =
    val buffer = Buffer()
    val transport = TBufferTransport(buffer, limits = ThriftLimits(depth = 1_000_000))
    write(format.protocol(transport))
    transport.flush()
    buffer.readByteArray()

  protected def serialized(message: TSerializable, format: ThriftFormat): Array[Byte] =
    written(format)(message.write)

  protected def framed(bytes: Array[Byte]): Array[Byte] =
    Buffer().writeInt(bytes.length).write(bytes).buffer.readByteArray()

  /** The bytes that this thread allocates on the heap in `body`. */
  protected def allocatedBy(body: => Unit): Long =
    val threads = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]
    val before = threads.getCurrentThreadAllocatedBytes
    body
    threads.getCurrentThreadAllocatedBytes - before

  protected def hex(bytes: Array[Byte]): String = bytes.map(byte => f"$byte%02x").mkString
end MessageSuite
