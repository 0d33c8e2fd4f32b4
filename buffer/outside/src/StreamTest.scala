package outside.buffer

import java.io.*
import java.nio.ByteBuffer
import java.nio.channels.{ClosedChannelException, ReadableByteChannel, WritableByteChannel}
import undercroft.buffer.*

class StreamTest extends undercroft.tools.Suite:
  private def source = ByteArrayInputStream("hello".getBytes).source().buffered
  private def sink = ByteArrayOutputStream().sink().buffered

  test("using a closed stream or byte output throws IOException"):
    val input = source.inputStream()
    input.close()
    val output = sink.outputStream()
    output.close()
    val bytes = ByteOutput()
    bytes.close()
    val uses = Seq[() => Any](
      () => input.read(),
      () => input.read(new Array[Byte](3)),
      () => input.available(),
      () => output.write(1),
      () => output.write(new Array[Byte](3)),
      () => bytes.write(1),
      () => bytes.write(new Array[Byte](3))
    )
    for (use, i) <- uses.zipWithIndex do
      val error = intercept[IOException](use())
      assert(error.getMessage.endsWith("is closed"), s"use $i: $error")
    val printer = PrintStream(bytes)
    printer.print("x")
    assert(printer.checkError())

  test(
    "a closed channel throws ClosedChannelException, and closing its source or sink closes it too"
  ):
    val readable = source.readableChannel()
    readable.close()
    intercept[ClosedChannelException](readable.read(ByteBuffer.allocate(3))): Unit
    val writable = sink.writableChannel()
    writable.close()
    intercept[ClosedChannelException](writable.write(ByteBuffer.allocate(3))): Unit
    val (input, output) = (source, sink)
    val (reading, writing) = (input.readableChannel(), output.writableChannel())
    assert(reading.isOpen && writing.isOpen)
    input.close()
    output.close()
    assert(!reading.isOpen && !writing.isOpen)

  test("a channel gets only the bytes of its call, whatever limits of the ByteBuffer it sets"):
    val buffer = Buffer().writeUtf8("secret!body")
    buffer.skip(7)
    val written = Buffer()
    val writable: WritableByteChannel = new WritableByteChannel:
      def write(bytes: ByteBuffer): Int =
        written.write(bytes.duplicate.clear())
        val count = bytes.remaining
        bytes.position(bytes.limit)
        count
      def isOpen: Boolean = true
      def close(): Unit = ()
    writable.sink().write(buffer, 4)
    assertEquals(written.readUtf8(), "body")
    val readable: ReadableByteChannel = new ReadableByteChannel:
      def read(bytes: ByteBuffer): Int =
        assertEquals((bytes.position, bytes.capacity), (0, 100))
        bytes.put(100.toByte)
        1
      def isOpen: Boolean = true
      def close(): Unit = ()
    val target = Buffer().writeUtf8("rea")
    assertEquals(readable.source().read(target, 100), 1L)
    assertEquals(target.readUtf8(), "read")

  test("closing a sink after a failed write throws the write's exception and suppresses its own"):
    var closes = 0
    val failing = new Sink:
      def write(source: Buffer, byteCount: Long): Unit = throw IOException("disk full")
      def flush(): Unit = ()
      def close(): Unit =
        closes += 1
        throw IOException("close failed")
    val sink = failing.buffered
    sink.writeUtf8("x"): Unit
    val error = intercept[IOException](sink.close())
    assertEquals(error.getMessage, "disk full")
    assertEquals(error.getSuppressed.toList.map(_.getMessage), List("close failed"))
    sink.close()
    assertEquals(closes, 1)

  test("BufferedSink.write moves bytes of a buffer by an Int or Long count"):
    val target = Buffer()
    val sink: BufferedSink = (target: Sink).buffered
    val bytes = Buffer().writeUtf8("abcdef")
    val count = 2
    sink.write(bytes, 2L)
    sink.write(bytes, count)
    sink.write(bytes, bytes.size)
    sink.write(Buffer().writeUtf8("gh"): Source, 2).flush()
    assertEquals(target.readUtf8(), "abcdefgh")

  test("a negative count throws IllegalArgumentException with the count"):
    for use <- Seq[Buffer => Any](_.readByteArray(-1), _.readUtf8(-1), _.skip(-1), _.request(-1)) do
      val error = intercept[IllegalArgumentException](use(Buffer().writeUtf8("hello")))
      assert(error.getMessage.contains("-1"), error.getMessage)
end StreamTest
