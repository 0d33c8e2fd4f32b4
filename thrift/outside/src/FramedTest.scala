package outside.thrift

import java.lang.foreign.MemorySegment
import org.apache.thrift.TSerializable
import org.apache.thrift.TException
import org.apache.thrift.TApplicationException
import org.apache.thrift.protocol.{
  TBinaryProtocol,
  TField,
  TMessage,
  TMessageType,
  TProtocol,
  TStruct,
  TType
}
import org.apache.thrift.transport.TTransport
import org.apache.thrift.transport.layered.TFramedTransport
import undercroft.buffer.*
import undercroft.thrift.*

class FramedTest extends undercroft.tools.Suite:
  private def frames(payloads: String*): Array[Byte] =
    val buffer = Buffer()
    for payload <- payloads do buffer.writeInt(payload.length).writeUtf8(payload)
    buffer.readByteArray()

  private def overBuffer(bytes: Array[Byte]): TBytesTransport =
    TBufferTransport(Buffer().write(bytes), framed = true)
  private def overSegment(bytes: Array[Byte]): TBytesTransport =
    TSegmentTransport(MemorySegment.ofArray(bytes), framed = true)

  for (name, over) <- Seq("buffer" -> overBuffer, "segment" -> overSegment) do
    test(s"a framed transport over a $name answers the bytes of the frame that waits"):
      val transport = over(frames("hello, world", "abc"))
      assert(transport.peek())
      assertEquals(transport.remaining, 12L)
      val bytes = new Array[Byte](12)
      assertEquals(transport.readAll(bytes, 0, 12), 12)
      assertEquals(String(bytes), "hello, world")
      assert(transport.peek())
      assertEquals(transport.remaining, 3L)
      assertEquals(transport.read(bytes, 0, 12), 3)
      assert(!transport.peek())
      assertEquals(transport.remaining, 0L)

    test(s"a framed transport over a $name answers nothing of a frame whose size has not arrived"):
      assert(!over(Array[Byte](0, 0, 0)).peek())
      assertEquals(over(Array[Byte](-1, -1, -1, -1, 7)).remaining, 0L)
      assertEquals(over(Array[Byte](0, 0, 0, 9, 1, 2)).remaining, 2L)

    test(s"a message in a frame over a $name cannot declare bytes of the next frame"):
      val transport = over(frames("a", "abcdefgh"))
      assertEquals(transport.read(new Array[Byte](1), 0, 1), 1)
      intercept[MessageTransportException](transport.checkReadBytesAvailable(5)): Unit
  end for

  test("libthrift's framed transports read strings over the transports of this module"):
    def check(over: () => TTransport, under: () => TTransport): Unit =
      val out = TFramedTransport(over())
      for text <- List("a text", "another") do
        TBinaryProtocol(out).writeString(text)
        out.flush()
      val in = TFramedTransport(under())
      assertEquals(TBinaryProtocol(in).readString(), "a text")
      assertEquals(TBinaryProtocol(in).readString(), "another")
    val buffer = Buffer()
    check(() => TBufferTransport(buffer), () => TBufferTransport(buffer))
    val output = ByteOutput()
    check(() => TOutputTransport(output), () => TSegmentTransport(output.segment))
    output.close()

  test("the pending bytes of a message that failed are discarded"):
    for framed <- Seq(false, true) do
      val out = ByteOutput()
      val transport = TOutputTransport(out, framed)
      val protocol = BinaryProtocol(transport)
      protocol.writeString("half")
      protocol.reset()
      transport.discardPending()
      out.reset()
      TApplicationException(6, "ok").write(protocol)
      transport.flush()
      val deserializer = ThriftDeserializer(framed = framed)
      val read = deserializer.deserialize(TApplicationException(), out.segment)
      assertEquals(read.getMessage, "ok")
      out.close()
    val buffer = Buffer()
    val transport = TBufferTransport(buffer, framed = true)
    val protocol = BinaryProtocol(transport)
    protocol.writeString("half")
    transport.discardPending()
    TApplicationException(6, "ok").write(protocol)
    transport.flush()
    val read = ThriftDeserializer(framed = true).deserialize(TApplicationException(), buffer)
    assertEquals(read.getMessage, "ok")

  private def serialized(text: String, format: ThriftFormat): Array[Byte] =
    val serializer = ThriftSerializer(format)
    try serializer.serialize(TApplicationException(1, text)).toByteArray()
    finally serializer.close()

  private def frame(payload: Array[Byte]): Array[Byte] =
    Buffer().writeInt(payload.length).write(payload).buffer.readByteArray()

  /** Two frames: the first has a message and, after it, the frame of another message. */
  private def hiding(format: ThriftFormat): Array[Byte] =
    val hidden = frame(serialized("hidden", format))
    frame(serialized("first", format) ++ hidden) ++ frame(serialized("second", format))

  for format <- ThriftFormat.values do
    test(s"a frame within a frame is not read from a buffer ($format)"):
      for segmentBytes <- Seq(1, 7, 8192) do
        val pool = SegmentPool.synchronizedPool(segmentBytes = segmentBytes, debug = true)
        val buffer = Buffer(using pool).write(hiding(format)).buffer
        val deserializer = ThriftDeserializer(format, framed = true)
        for text <- Seq("first", "second") do
          assertEquals(deserializer.deserialize(TApplicationException(), buffer).getMessage, text)
        assert(buffer.isEmpty)
        pool.assertNoLeaks()

    test(s"the position after a framed message is the end of its frame ($format)"):
      val deserializer = ThriftDeserializer(format, framed = true)
      var bytes = MemorySegment.ofArray(hiding(format))
      for text <- Seq("first", "second") do
        assertEquals(deserializer.deserialize(TApplicationException(), bytes).getMessage, text)
        bytes = bytes.asSlice(deserializer.position)
      assertEquals(bytes.byteSize, 0L)

    test(s"the frame of a malformed message in a buffer is skipped ($format)"):
      val malformed = Array.fill[Byte](3)(0x7f) ++ frame(serialized("hidden", format))
      val buffer = Buffer().write(frame(malformed)).write(frame(serialized("next", format))).buffer
      val deserializer = ThriftDeserializer(format, framed = true)
      intercept[TException](deserializer.deserialize(TApplicationException(), buffer)): Unit
      assertEquals(deserializer.deserialize(TApplicationException(), buffer).getMessage, "next")

    def call(protocol: TProtocol, text: String): Unit =
      protocol.writeMessageBegin(TMessage(text, TMessageType.CALL, 7))
      TApplicationException(1, text).write(protocol)
      protocol.writeMessageEnd()

    def answer(protocol: TProtocol): String =
      val name = protocol.readMessageBegin().name
      val message = TApplicationException()
      message.read(protocol)
      protocol.readMessageEnd()
      assertEquals(message.getMessage, name)
      name

    def calls(texts: String*): Array[Byte] =
      val buffer = Buffer()
      val protocol = format.protocol(TBufferTransport(buffer))
      for text <- texts do call(protocol, text)
      buffer.readByteArray()

    for (name, over) <- Seq("buffer" -> overBuffer, "segment" -> overSegment) do
      test(s"two calls in a frame over a $name are read as by libthrift ($format)"):
        val bytes = frame(calls("first", "second")) ++ frame(calls("third"))
        val protocol = format.protocol(over(bytes))
        val unframed = TFramedTransport(TBufferTransport(Buffer().write(bytes).buffer))
        for text <- Seq("first", "second", "third") do
          assertEquals(answer(protocol), text)
          if format == ThriftFormat.Binary then
            assertEquals(answer(TBinaryProtocol(unframed)), text)

      test(s"the frame of a malformed header over a $name is skipped ($format)"):
        val malformed = Array.fill[Byte](3)(0x7f) ++ frame(calls("hidden"))
        val bytes = frame(calls("first") ++ malformed) ++ frame(calls("second"))
        val protocol = format.protocol(over(bytes))
        assertEquals(answer(protocol), "first")
        intercept[TException](answer(protocol)): Unit
        assertEquals(answer(protocol), "second")

      test(s"the frame of a malformed call over a $name is skipped ($format)"):
        val cut = calls("cut").dropRight(12)
        val malformed = cut ++ Array.fill[Byte](20)(0x7f) ++ frame(calls("hidden"))
        val protocol = format.protocol(over(frame(malformed) ++ frame(calls("next"))))
        intercept[TException](answer(protocol)): Unit
        assertEquals(answer(protocol), "next")
    end for
  end for

  /** Simulates the generated code of a union: its levels stay counted after an error. */
  private class Union extends TSerializable:
    def write(protocol: TProtocol): Unit =
      protocol.writeStructBegin(TStruct("Union"))
      protocol.writeFieldBegin(TField("text", TType.STRING, 1))
      protocol.writeString("hello")
      protocol.writeFieldEnd()
      protocol.writeFieldStop()
      protocol.writeStructEnd()
    def read(protocol: TProtocol): Unit =
      protocol.incrementRecursionDepth()
      protocol.readStructBegin(): Unit
      protocol.readFieldBegin(): Unit
      protocol.readString(): Unit
      protocol.readFieldEnd()
      protocol.readFieldBegin(): Unit
      protocol.readStructEnd()
      protocol.decrementRecursionDepth()
    def clear(): Unit = ()

  for format <- ThriftFormat.values do
    test(s"messages that end within a union leave a deserializer as it was ($format)"):
      val serializer = ThriftSerializer(format)
      val bytes = serializer.serialize(Union()).toByteArray()
      serializer.close()
      val deserializer = ThriftDeserializer(format)
      val cut = bytes.dropRight(4)
      for _ <- 0 until 200 do
        intercept[TException](deserializer.deserialize(Union(), cut)): Unit
      deserializer.deserialize(Union(), bytes): Unit
end FramedTest
