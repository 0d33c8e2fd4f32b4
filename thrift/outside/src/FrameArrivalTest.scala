package outside.thrift

import java.lang.foreign.MemorySegment
import org.apache.thrift.TApplicationException
import org.apache.thrift.transport.TTransportException
import undercroft.buffer.*
import undercroft.thrift.*

/** Frames that arrive in parts. */
class FrameArrivalTest extends MessageSuite:
  private val messages = List("no such user", "", "x" * 10_000)

  private def frame(text: String, format: ThriftFormat): Array[Byte] =
    framed(serialized(TApplicationException(6, text), format))

  private def read(transport: TBytesTransport, format: ThriftFormat): String =
    val message = TApplicationException()
    message.read(format.protocol(transport))
    message.getMessage

  for format <- ThriftFormat.values; isOne <- Seq(false, true) do
    test(s"a frame that has arrived in part stays in the buffer ($format, one transport: $isOne)"):
      val received = Buffer()
      val shared = TBufferTransport(received, framed = true)
      for text <- messages do
        val bytes = frame(text, format)
        for at <- bytes.indices do
          received.write(bytes, at, 1)
          val transport = if isOne then shared else TBufferTransport(received, framed = true)
          val isWhole = at == bytes.length - 1
          assertEquals((transport.hasWholeFrame, transport.peek()), (isWhole, isWhole), s"byte $at")
          if !isWhole && (at < 100 || at % 500 == 0) then
            val before = received.size
            val error = intercept[MessageTransportException](read(transport, format))
            assertEquals(error.getType, TTransportException.END_OF_FILE)
            assertEquals(received.size, before)
        val transport = if isOne then shared else TBufferTransport(received, framed = true)
        assertEquals(read(transport, format), text)
        assert(received.isEmpty)

    if isOne then
      test(s"a deserializer takes nothing of a frame that has arrived in part ($format)"):
        val received = Buffer()
        val deserializer = ThriftDeserializer(format, framed = true)
        for text <- messages do
          val bytes = frame(text, format)
          for count <- Seq(0, 3, 4, 9, bytes.length - 1) if count < bytes.length do
            received.write(bytes, 0, count)
            intercept[MessageTransportException](
              deserializer.deserialize(TApplicationException(), received)
            ): Unit
            assertEquals(received.size, count.toLong)
            received.clear()
            val error = intercept[MessageTransportException]:
              deserializer.deserialize(TApplicationException(), bytes.take(count))
            assertEquals(error.getType, TTransportException.END_OF_FILE)
          received.write(bytes)
          assertEquals(
            deserializer.deserialize(TApplicationException(), received).getMessage,
            text
          )
    end if
  end for

  test("a frame is whole if a read would reject its size, and not inside of a frame"):
    def over(bytes: Array[Byte]) = TSegmentTransport(
      MemorySegment.ofArray(bytes),
      framed = true,
      ThriftLimits(messageBytes = 100)
    )
    assert(over(Array[Byte](-1, 0, 0, 0)).hasWholeFrame)
    assert(over(Array[Byte](0, 0, 1, 0)).hasWholeFrame)
    assert(!over(Array[Byte](0, 0, 0, 2, 7)).hasWholeFrame)
    val transport = over(Array[Byte](0, 0, 0, 2, 7, 8))
    assert(transport.hasWholeFrame)
    assertEquals(transport.read(new Array[Byte](1), 0, 1), 1)
    assert(!transport.hasWholeFrame && transport.peek())
    assert(!TBufferTransport(Buffer().writeInt(0)).hasWholeFrame)
end FrameArrivalTest
