package outside.thrift

import java.lang.foreign.{Arena, MemorySegment}
import org.apache.thrift.protocol.{TField, TType}
import org.apache.thrift.transport.TTransportException
import undercroft.buffer.*
import undercroft.thrift.*

/** Serializers, transports and native bytes after their close, and in the wrong direction. */
class LifetimeTest extends MessageSuite:

  for format <- ThriftFormat.values do
    test(s"a closed serializer throws, and closing it again does nothing ($format)"):
      val serializer = ThriftSerializer(format)
      serializer.serialize(Order.sample())
      serializer.close()
      intercept[ClosedException](serializer.serialize(Order.sample())): Unit
      intercept[ClosedException](serializer.trim()): Unit
      serializer.close()

    test(s"the bytes of a message cannot be read after their serializer is closed ($format)"):
      val serializer = ThriftSerializer(format)
      val out = serializer.serialize(Order.sample())
      val segment = out.segment
      serializer.close()
      intercept[ClosedException](out.segment): Unit
      intercept[IllegalStateException](ThriftDeserializer(format).deserialize(
        Order(),
        segment
      )): Unit

    test(s"a message in memory of a closed arena throws, and the next one is read ($format)"):
      val deserializer = ThriftDeserializer(format)
      val bytes = serialized(Order.sample(), format)
      val arena = Arena.ofConfined()
      val segment = arena.allocate(bytes.length, 1).copyFrom(MemorySegment.ofArray(bytes))
      arena.close()
      val error = intercept[IllegalStateException](deserializer.deserialize(Order(), segment))
      assertEquals(error.getMessage, "Already closed")
      assertEquals(deserializer.deserialize(Order(), bytes), Order.sample())

    test(s"a null message, text or binary throws, and the output is empty ($format)"):
      val out = ByteOutput()
      val serializer = ThriftSerializer(format, output = out)
      intercept[NullPointerException](serializer.serialize(null)): Unit
      assertEquals(out.size, 0L)
      val order = Order.sample()
      order.tags = Vector("a", null)
      intercept[NullPointerException](serializer.serialize(order)): Unit
      assertEquals(out.size, 0L)
      order.tags = Vector()
      order.bytes = null
      intercept[NullPointerException](serializer.serialize(order)): Unit
      assertEquals(out.size, 0L)
      val message = Order.sample()
      assertEquals(
        ThriftDeserializer(format).deserialize(Order(), serializer.serialize(message).segment),
        message
      )
      serializer.close()

    test(s"a message beyond the limit of its output throws, a smaller one is written ($format)"):
      val serializer = ThriftSerializer(format, output = ByteOutput(maxBytes = 1000))
      for _ <- 1 to 100 do
        val error = intercept[TooLargeException](serializer.serialize(Order("x" * 1000)))
        assert(error.getMessage.contains("1000"), error.getMessage)
      val message = Order("small")
      assertEquals(
        ThriftDeserializer(format).deserialize(Order(), serializer.serialize(message).segment),
        message
      )
      serializer.close()
  end for

  test("a text beyond the limit is not written by the binary protocol, and the error has both"):
    val serializer = ThriftSerializer(limits = ThriftLimits(stringBytes = 30))
    for text <- List("x" * 31, "ü" * 16, "日" * 11) do
      val order = Order(text)
      val error = intercept[MessageTransportException](serializer.serialize(order))
      val size = text.getBytes("UTF-8").length
      assertEquals(error.problem, s"a string of $size bytes exceeds the limit of 30")
      assertEquals(serializer.serialize(Order("y" * 30)).toByteArray().count(_ == 'y'), 30)
    serializer.close()

  test("a transport for writing cannot be read, and one for reading cannot be written"):
    val out = ByteOutput()
    val target = TOutputTransport(out)
    val unreadable =
      intercept[TTransportException](BinaryProtocol(target).readFieldBegin()).getMessage
    assertEquals(
      unreadable,
      "a TOutputTransport cannot be read: a TSegmentTransport reads output.segment"
    )
    val source = TSegmentTransport(MemorySegment.ofArray(new Array[Byte](10)))
    val field = TField("", TType.I64, 1)
    for write <- List[TSegmentTransport => Unit](
        transport => BinaryProtocol(transport).writeFieldBegin(field),
        transport => CompactProtocol(transport).writeFieldBegin(field),
        _.write(new Array[Byte](3), 0, 3)
      )
    do
      val error = intercept[TTransportException](write(source))
      assertEquals(error.getMessage, "a TSegmentTransport cannot be written")
    assertEquals((out.size, source.position), (0L, 0L))
    out.close()

  test("native bytes are released once, by the first close, and cannot be read afterwards"):
    val bytes = serialized(Order.sample(), ThriftFormat.Binary)
    val memory = Arena.global.allocate(bytes.length, 1).copyFrom(MemorySegment.ofArray(bytes))
    var releases = List.empty[Long]
    val native = NativeBytes(memory, bytes.length)(address => releases ::= address.address)
    val deserializer = ThriftDeserializer()
    assertEquals(deserializer.deserialize(Order(), native.segment), Order.sample())
    for _ <- 1 to 3 do native.close()
    assertEquals(releases, List(memory.address))
    intercept[IllegalStateException](deserializer.deserialize(Order(), native.segment)): Unit

  test("native bytes on the heap, of a negative or a too large size are errors with the size"):
    def message(address: MemorySegment, bytes: Long): String =
      intercept[IllegalArgumentException](NativeBytes(address, bytes)(_ => ())).getMessage
    val memory = Arena.global.allocate(8)
    assertEquals(message(memory, -1), "bytes must be at least 0, but is -1")
    assertEquals(
      message(memory, 9),
      s"9 bytes exceed the segment of 8 bytes at ${memory.address}: pass address.reinterpret(9)"
    )
    assertEquals(
      message(MemorySegment.ofArray(new Array[Byte](8)), 8),
      "the 8 bytes are on the heap, not in native memory"
    )
    assertEquals(message(MemorySegment.NULL, 1), "the address of 1 bytes is 0")
    val arena = Arena.ofConfined()
    val confined = arena.allocate(8)
    assertEquals(
      message(confined, 8),
      s"the segment of 8 bytes at ${confined.address} is not in the global scope"
    )
    arena.close()

  for format <- ThriftFormat.values; isBinary <- List(false, true) do
    test(s"a written string beyond the limit is an error ($format, binary $isBinary)"):
      val serializer = ThriftSerializer(format, limits = ThriftLimits(stringBytes = 30))
      val order = Order(if isBinary then "id" else "x" * 31)
      if isBinary then order.bytes = java.nio.ByteBuffer.allocate(31)
      try intercept[MessageTransportException](serializer.serialize(order)): Unit
      finally serializer.close()

  test("a null message is a NullPointerException"):
    intercept[NullPointerException]:
      ThriftDeserializer().deserialize(null: Order, new Array[Byte](3))
end LifetimeTest
