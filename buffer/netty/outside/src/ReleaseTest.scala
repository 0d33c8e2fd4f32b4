package outside.buffer.netty

import io.netty.buffer.{ByteBuf, ByteBufAllocator, Unpooled}
import io.netty.util.IllegalReferenceCountException
import java.util.concurrent.CountDownLatch
import undercroft.buffer.*
import undercroft.buffer.netty.*

/** Releases that are missing, doubled, early or concurrent. */
class ReleaseTest extends undercroft.tools.Suite:
  private val released =
    "the ByteBuf was released: its reference count must be at least 1, but is 0"

  private def direct(text: String): ByteBuf =
    val bytes = ByteBufAllocator.DEFAULT.directBuffer()
    bytes.writeCharSequence(text, java.nio.charset.StandardCharsets.UTF_8)
    bytes

  test("a released ByteBuf is refused by every operation, and nothing changes"):
    val byteBuf = Unpooled.copiedBuffer("abc".getBytes)
    val (source, sink) = (byteBuf.source(), byteBuf.sink())
    byteBuf.release()
    val buffer = Buffer().writeUtf8("kept")
    val uses = Seq(
      () => buffer.writeByteBuf(byteBuf),
      () => byteBuf.toByteString,
      () => source.read(buffer, 1),
      () => sink.write(buffer, 1)
    )
    for use <- uses do
      val error = intercept[IllegalReferenceCountException](use())
      assertEquals(error.getMessage, released)
    assertEquals(buffer.readUtf8(), "kept")

  test("closing a source twice releases its ByteBuf once"):
    val byteBuf = direct("abc").retain()
    val source = byteBuf.source()
    source.close()
    source.close()
    assertEquals(byteBuf.refCnt, 1)
    val error = intercept[ClosedException](source.read(Buffer(), 1))
    assertEquals(error.getMessage, "the ByteBuf's source is closed")
    byteBuf.release()

  test("a closed source does not read the next owner's bytes of the same object"):
    val first = direct("mine")
    val source = first.source()
    source.close()
    // Netty uses the released object and its memory again
    val next = (1 to 100).map(_ => direct("another owner's"))
    val buffer = Buffer()
    intercept[ClosedException](source.read(buffer, 1)): Unit
    intercept[ClosedException](source.buffered.read(buffer, 1)): Unit
    source.close()
    assert(buffer.isEmpty)
    assert(next.forall(_.refCnt == 1))
    next.foreach(_.release())

  test("a ByteBuf made of a buffer keeps its bytes while the buffer's segments are used again"):
    given pool: SegmentPool = SegmentPool.synchronizedPool()
    val buffer = Buffer().write(Array.fill[Byte](40_000)(1))
    val byteBuf = buffer.readByteBuf(40_000)
    val view = byteBuf.nioBuffer()
    assert(pool.metrics.idleBytes >= 40_000, "the segments are back in their pool")
    val other = Buffer().write(Array.fill[Byte](80_000)(2))
    assert(pool.metrics.hits > 0, "the other buffer uses them")
    for i <- 0 until 40_000 do
      assertEquals(byteBuf.getByte(i), 1.toByte)
      assertEquals(view.get(i), 1.toByte)
    byteBuf.setByte(0, 9)
    assert(other.readByteArray().forall(_ == 2))
    byteBuf.release()
    intercept[IllegalReferenceCountException](byteBuf.release()): Unit
    intercept[IllegalReferenceCountException](byteBuf.getByte(0)): Unit

  test("a buffer keeps the bytes of a ByteBuf after its release"):
    val buffer = Buffer()
    val byteBuf = direct("a" * 20_000)
    buffer.writeByteBuf(byteBuf)
    byteBuf.release()
    val reused = direct("b" * 20_000)
    assertEquals(buffer.readUtf8(), "a" * 20_000)
    reused.release()

  test("no segment and no reference is lost when one thread reads a source and another closes it"):
    given pool: SegmentPool = SegmentPool.synchronizedPool(debug = true)
    var (closed, complete) = (0, 0)
    for round <- 1 to 500 do
      val byteBuf = Unpooled.directBuffer(64_000).writeZero(64_000)
      val source = byteBuf.source()
      val start = CountDownLatch(1)
      val reader = Thread.startVirtualThread: () =>
        start.await()
        val buffer = Buffer()
        try
          while source.read(buffer, 8192) != -1 do ()
          complete += 1
        catch case _: ClosedException => closed += 1
        assert(buffer.readByteArray().forall(_ == 0))
      start.countDown()
      if round % 2 == 0 then Thread.`yield`()
      source.close()
      reader.join()
      assertEquals(byteBuf.refCnt, 0)
    assertEquals(closed + complete, 500)
    assert(closed > 0, "no close met a read")
    pool.assertNoLeaks()
end ReleaseTest
