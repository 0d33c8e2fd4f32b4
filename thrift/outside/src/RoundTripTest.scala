package outside.thrift

import java.lang.foreign.Arena
import org.apache.thrift.{TApplicationException, TException, TSerializable}
import org.apache.thrift.protocol.*
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

    test(s"a bool field that failed does not change the next message ($format)"):
      val serializer = ThriftSerializer(format)
      val expected = serializer.serialize(Flags(isBroken = false)).toByteArray()
      for _ <- 1 to 2 do
        intercept[TException](serializer.serialize(Flags(isBroken = true))): Unit
        assertEquals(
          hex(serializer.serialize(Flags(isBroken = false)).toByteArray()),
          hex(expected)
        )
      serializer.close()
  end for

  /** A message that writes a list of bools, or fails between the header of a bool and its value. */
  private final class Flags(isBroken: Boolean) extends TSerializable:
    def write(to: TProtocol): Unit =
      to.writeStructBegin(TStruct("Flags"))
      if isBroken then
        to.writeFieldBegin(TField("", TType.BOOL, 1))
        throw TException("no value")
      to.writeFieldBegin(TField("", TType.LIST, 1))
      to.writeListBegin(TList(TType.BOOL, 2))
      to.writeBool(true)
      to.writeBool(false)
      to.writeListEnd()
      to.writeFieldEnd()
      to.writeFieldStop()
      to.writeStructEnd()
    def read(from: TProtocol): Unit = throw UnsupportedOperationException()
  end Flags

  test("a text is written whole, however much room the window of an output transport has"):
    val out = ByteOutput()
    val transport = TOutputTransport(out)
    val protocol = BinaryProtocol(transport)
    for unit <- List("a", "ü", "€", "🂡", "\ud83c") do
      val text = unit * 100
      val bytes = text.getBytes("UTF-8")
      for before <- 7_700 to 8_200 do
        out.reset()
        transport.write(new Array[Byte](before), 0, before)
        protocol.writeString(text)
        transport.flush()
        val written = out.toByteArray()
        assertEquals(written.length, before + 4 + bytes.length, s"$unit after $before bytes")
        assert(java.util.Arrays.equals(written.drop(before + 4), bytes), s"$unit, $before bytes")
    out.close()

  test("each text of up to a window is the same when it was read back from a frame"):
    val serializer = ThriftSerializer(framed = true)
    val deserializer = ThriftDeserializer(framed = true)
    for size <- 2_700 to 2_740 do
      val bytes = serializer.serialize(TApplicationException(6, "€" * size)).segment
      val read = deserializer.deserialize(TApplicationException(), bytes)
      assertEquals(read.getMessage, "€" * size)
    serializer.close()
end RoundTripTest
