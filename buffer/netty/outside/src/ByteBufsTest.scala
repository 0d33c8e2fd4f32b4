package outside.buffer.netty

import io.netty.buffer.{ByteBuf, ByteBufAllocator, Unpooled}
import io.netty.util.IllegalReferenceCountException
import java.nio.ReadOnlyBufferException
import java.nio.charset.StandardCharsets.UTF_8
import undercroft.buffer.*
import undercroft.buffer.netty.*
import undercroft.memory.{Budget, MemoryLimitException}

/** Bytes between buffers, byte strings and every kind of ByteBuf. */
class ByteBufsTest extends undercroft.tools.Suite:
  private val allocator = ByteBufAllocator.DEFAULT

  private def bytes(count: Int, seed: Int): Array[Byte] =
    val array = new Array[Byte](count)
    scala.util.Random(seed).nextBytes(array)
    array

  private def filled(target: ByteBuf, content: Array[Byte]): ByteBuf = target.writeBytes(content)

  private def arrayOf(bytes: ByteBuf): Seq[Byte] =
    val array = new Array[Byte](bytes.readableBytes)
    bytes.getBytes(bytes.readerIndex, array)
    array.toSeq

  /** A composite of three parts of different kinds. */
  private def composite(content: Array[Byte]): ByteBuf =
    val (first, second) = (content.length / 3, content.length / 3 * 2)
    allocator
      .compositeBuffer()
      .addComponents(
        true,
        filled(allocator.directBuffer(), content.slice(0, first)),
        Unpooled.wrappedBuffer(content.slice(first, second)),
        filled(allocator.heapBuffer(), content.drop(second))
      )

  private val kinds = Seq[(String, Array[Byte] => ByteBuf)](
    "pooled direct" -> (content => filled(allocator.directBuffer(), content)),
    "pooled heap" -> (content => filled(allocator.heapBuffer(), content)),
    "unpooled direct" -> (content => filled(Unpooled.directBuffer(), content)),
    "wrapped" -> (content => Unpooled.copiedBuffer(content)),
    "composite" -> composite,
    "read-only" -> (content => Unpooled.copiedBuffer(content).asReadOnly),
    "a slice of a longer" -> (content =>
      filled(allocator.directBuffer().writeInt(1), content).writeInt(2).slice(4, content.length)
    )
  )
  private val memories = SegmentMemory.values.toSeq.map(kind => SegmentPool.lockFree(memory = kind))

  for (name, make) <- kinds do
    test(s"the bytes of a $name ByteBuf arrive in a buffer, and its reference count is unchanged"):
      for
        pool <- memories
        size <- Seq(0, 1, 100, 8192, 100_000)
      do
        val content = bytes(size, seed = size)
        val byteBuf = make(content)
        val buffer = Buffer(using pool).writeByte(7)
        buffer.writeByteBuf(byteBuf)
        assertEquals(byteBuf.refCnt, 1)
        assertEquals(byteBuf.readableBytes, 0)
        assertEquals(buffer.readByte(), 7.toByte)
        assertEquals(buffer.readByteArray().toSeq, content.toSeq)
        byteBuf.release()

    test(s"a source of a $name ByteBuf reads what is asked for, and its close releases it"):
      val content = bytes(50_000, seed = 5)
      val byteBuf = make(content)
      val source = byteBuf.source()
      val buffer = Buffer()
      assertEquals(source.read(buffer, 0), 0L)
      assertEquals(source.read(buffer, 1), 1L)
      assertEquals(source.read(buffer, 20_000), 20_000L)
      assertEquals(source.read(buffer, 1_000_000), 29_999L)
      assertEquals(source.read(buffer, 1), -1L)
      assertEquals(buffer.readByteArray().toSeq, content.toSeq)
      assertEquals(byteBuf.refCnt, 1)
      source.close()
      assertEquals(byteBuf.refCnt, 0)

    test(s"the byte string of a $name ByteBuf keeps its bytes after the release"):
      val content = bytes(1000, seed = 6)
      val byteBuf = make(content)
      val string = byteBuf.toByteString
      assertEquals(byteBuf.readableBytes, 1000)
      byteBuf.release()
      assertEquals(string, ByteString(content))
  end for

  test("bytes that move to a ByteBuf leave the buffer, in both kinds of segments"):
    for
      pool <- memories
      size <- Seq(0, 1, 100, 8192, 100_000)
    do
      val content = bytes(size, seed = size)
      val buffer = Buffer(using pool).writeByte(7).write(content).writeByte(8)
      buffer.readByte()
      val byteBuf = buffer.readByteBuf(size)
      try
        assertEquals(arrayOf(byteBuf), content.toSeq)
        assertEquals(buffer.readByte(), 8.toByte)
        assert(buffer.isEmpty)
      finally byteBuf.release()

  test("moving more bytes than the buffer has to a ByteBuf throws and consumes none"):
    val buffer = Buffer().writeUtf8("abc")
    val error = intercept[EndOfInputException](buffer.readByteBuf(4))
    assertEquals((error.available, error.position), (3L, 0L))
    val large = intercept[TooLargeException](buffer.readByteBuf(1L << 31))
    assertEquals(
      large.getMessage,
      "2147483648 bytes exceed the 2147483647 bytes of a ByteBuf"
    )
    intercept[IllegalArgumentException](buffer.readByteBuf(-1)): Unit
    assertEquals(buffer.readUtf8(), "abc")

  test("a buffered source reads as much of its input as a ByteBuf needs"):
    val input = java.io.ByteArrayInputStream("price 251".getBytes).source().buffered
    val byteBuf = input.readByteBuf(5)
    assertEquals(byteBuf.toString(UTF_8), "price")
    byteBuf.release()
    assertEquals(input.readUtf8(), " 251")

  test("a buffered sink passes the bytes of a ByteBuf on"):
    val target = Buffer()
    val sink = (target: Sink).buffered
    val byteBuf = composite(bytes(30_000, seed = 9))
    sink.writeByteBuf(byteBuf).writeUtf8("end").flush()
    byteBuf.release()
    assertEquals(target.size, 30_003L)
    assertEquals(target.readByteArray(30_000).toSeq, bytes(30_000, seed = 9).toSeq)

  test("a sink of a ByteBuf appends, grows it up to its maximum, and refuses more"):
    for byteBuf <- Seq(allocator.directBuffer(4, 20_000), Unpooled.buffer(4, 20_000)) do
      val content = bytes(19_000, seed = 2)
      val source = Buffer().write(content)
      val sink = byteBuf.writeByte(1).sink()
      sink.write(source, 19_000)
      assertEquals(byteBuf.readableBytes, 19_001)
      source.write(new Array[Byte](2000))
      val error = intercept[TooLargeException](sink.write(source, 1000))
      assertEquals(error.getMessage, "1000 bytes exceed the 999 bytes of the ByteBuf's rest")
      assertEquals((source.size, byteBuf.readableBytes), (2000L, 19_001))
      intercept[EndOfInputException](sink.write(source, 2001)): Unit
      sink.close()
      sink.close()
      val closed = intercept[ClosedException](sink.write(source, 1))
      assertEquals(closed.getMessage, "the ByteBuf's sink is closed")
      assertEquals(byteBuf.refCnt, 1)
      assertEquals(arrayOf(byteBuf).tail, content.toSeq)
      byteBuf.release()

  test("a sink of a composite ByteBuf writes across its components"):
    val byteBuf = composite(new Array[Byte](30_000)).writerIndex(0)
    val content = bytes(30_000, seed = 4)
    byteBuf.sink().write(Buffer().write(content), 30_000)
    assertEquals(arrayOf(byteBuf), content.toSeq)
    byteBuf.release()

  test("a sink of a read-only ByteBuf throws and takes no bytes"):
    val source = Buffer().writeUtf8("abc")
    val byteBuf = Unpooled.buffer(100).asReadOnly
    intercept[ReadOnlyBufferException](byteBuf.sink().write(source, 3)): Unit
    assertEquals(source.size, 3L)

  test("a byte string as a ByteBuf shares the array, and no method of the ByteBuf changes it"):
    val string = ByteString.utf8("price 251")
    val byteBuf = string.toByteBuf
    assertEquals(byteBuf.toString(UTF_8), "price 251")
    assert(byteBuf.isReadOnly && !byteBuf.hasArray && !byteBuf.hasMemoryAddress)
    intercept[ReadOnlyBufferException](byteBuf.setByte(0, 'X')): Unit
    intercept[ReadOnlyBufferException](byteBuf.duplicate().setInt(0, 1)): Unit
    intercept[ReadOnlyBufferException](byteBuf.slice(1, 2).setByte(0, 1)): Unit
    intercept[ReadOnlyBufferException](byteBuf.array()): Unit
    intercept[ReadOnlyBufferException](byteBuf.nioBuffer().put(0, 1.toByte)): Unit
    intercept[ReadOnlyBufferException](byteBuf.nioBuffer().array()): Unit
    assert(byteBuf.unwrap eq null)
    assert(!byteBuf.isWritable)
    val view = byteBuf.nioBuffer()
    byteBuf.release()
    intercept[IllegalReferenceCountException](byteBuf.getByte(0)): Unit
    assertEquals(view.get(0), 'p'.toByte)
    assertEquals(string.utf8, "price 251")
    assertEquals(ByteString.empty.toByteBuf.readableBytes, 0)

  test("a pool's budget that is too small leaves the ByteBuf and the buffer unchanged"):
    val budget = Budget("connection", 20_000)
    given SegmentPool = SegmentPool.lockFree(budget = Some(budget))
    val buffer = Buffer().writeUtf8("abc")
    val byteBuf = composite(bytes(30_000, seed = 1))
    val error = intercept[MemoryLimitException](buffer.writeByteBuf(byteBuf))
    assert(error.getMessage.contains("connection"), error.getMessage)
    assertEquals((buffer.size, byteBuf.readableBytes, byteBuf.refCnt), (3L, 30_000, 1))
    val source = byteBuf.source()
    intercept[MemoryLimitException](source.read(buffer, 30_000)): Unit
    assertEquals((buffer.readUtf8(), byteBuf.readableBytes), ("abc", 30_000))
    source.close()
    assertEquals(byteBuf.refCnt, 0)
end ByteBufsTest
