package outside.thrift

import java.lang.foreign.Arena
import org.apache.thrift.protocol.{TBinaryProtocol, TCompactProtocol, TProtocol}
import org.apache.thrift.transport.{TMemoryBuffer, TMemoryInputTransport, TTransport}
import undercroft.buffer.*
import undercroft.thrift.*

/** Messages written and read as the guide shows it, and by libthrift. */
class RoundTripTest extends MessageSuite:

  private def libthrift(format: ThriftFormat, transport: TTransport): TProtocol = format match
    case ThriftFormat.Binary  => TBinaryProtocol(transport)
    case ThriftFormat.Compact => TCompactProtocol(transport)

  for format <- ThriftFormat.values do
    test(s"libthrift and a serializer write the same bytes and read them ($format)"):
      val serializer = ThriftSerializer(format)
      val deserializer = ThriftDeserializer(format)
      for levels <- List(0, 20, 1, 0) do
        val message = Order.sample(levels)
        val bytes = serializer.serialize(message).toByteArray()
        val read = Order()
        read.read(libthrift(format, TMemoryInputTransport(bytes)))
        assertEquals(read, message)
        val memory = TMemoryBuffer(32)
        message.write(libthrift(format, memory))
        val written = memory.getArray.take(memory.length)
        assertEquals(deserializer.deserialize(Order(), written), message)
        assertEquals(hex(bytes), hex(written))
      serializer.close()

    for isFramed <- List(false, true) do
      test(s"messages are read in place, from native bytes and from a buffer ($format, $isFramed)"):
        val serializer = ThriftSerializer(format, isFramed)
        val deserializer = ThriftDeserializer(format, isFramed)
        val buffer = Buffer()
        for levels <- 0 to 20 do
          val message = Order.sample(levels)
          val out = serializer.serialize(message)
          assertEquals(deserializer.deserialize(Order(), out.segment), message)
          assertEquals(deserializer.position, out.size)
          val memory = Arena.global.allocate(out.size, 1).copyFrom(out.segment)
          var releases = 0
          val native = NativeBytes(memory, out.size)(_ => releases += 1)
          try assertEquals(deserializer.deserialize(Order(), native.segment), message)
          finally native.close()
          assertEquals(releases, 1)
          assertEquals(serializer.serialize(message, buffer), out.size)
        for levels <- 0 to 20 do
          assertEquals(deserializer.deserialize(Order(), buffer), Order.sample(levels))
        assert(buffer.isEmpty)
        serializer.close()

      test(s"a transport delivers messages in their order ($format, framed $isFramed)"):
        val transport = TBufferTransport(Buffer(), isFramed)
        val protocol = format.protocol(transport)
        for levels <- 0 to 20 do
          Order.sample(levels).write(protocol)
          transport.flush()
        for levels <- 0 to 20 do
          protocol.reset()
          val read = Order()
          read.read(protocol)
          assertEquals(read, Order.sample(levels))
        assertEquals(transport.remaining, 0L)
    end for
  end for
end RoundTripTest
