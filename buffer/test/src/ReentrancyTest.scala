package undercroft.buffer

import internal.segment.Segment
import java.io.{IOException, InputStream, OutputStream}
import java.lang.foreign.Arena
import java.nio.ByteBuffer
import java.nio.channels.{ReadableByteChannel, WritableByteChannel}
import java.util.ConcurrentModificationException

/** Re-entrancy: streams and channels that use the buffer they fill or empty; and wrong return
  * values.
  */
class ReentrancyTest extends undercroft.tools.Suite:
  private def input(answer: (Array[Byte], Int, Int) => Int): InputStream = new InputStream:
    def read(): Int = throw AssertionError("one byte")
    override def read(bytes: Array[Byte], from: Int, count: Int): Int = answer(bytes, from, count)

  private def output(take: () => Unit): OutputStream = new OutputStream:
    def write(value: Int): Unit = throw AssertionError("one byte")
    override def write(bytes: Array[Byte], from: Int, count: Int): Unit = take()

  private def readable(answer: ByteBuffer => Int): ReadableByteChannel = new ReadableByteChannel:
    def read(bytes: ByteBuffer): Int = answer(bytes)
    def isOpen: Boolean = true
    def close(): Unit = ()

  private def writable(answer: ByteBuffer => Int): WritableByteChannel = new WritableByteChannel:
    def write(bytes: ByteBuffer): Int = answer(bytes)
    def isOpen: Boolean = true
    def close(): Unit = ()

  private def doing(use: => Any)(answer: Int): Int =
    val _ = use
    answer

  for (name, pool) <- Pools.all do
    def check(title: String)(uses: (Buffer => Any)*)(refused: Throwable => Unit): Unit =
      test(s"$title (pool: $name)"):
        given home: SegmentPool = pool()
        for (use, i) <- uses.zipWithIndex do
          val buffer = Buffer().writeUtf8("abc")
          refused(intercept[Exception](use(buffer)))
          assertEquals(buffer.size, 3L, s"use $i")
          assertEquals(buffer.readUtf8(), "abc", s"use $i")
          assertEquals((Segment.Nothing.pos, Segment.Nothing.limit), (0, 0), s"use $i")
          assertEquals(Buffer().size, 0L)
        home.assertNoLeaks()

    check("emptying a buffer during its own fill or drain throws and leaves it unchanged")(
      buffer => buffer.readFrom(buffer.inputStream()),
      buffer => buffer.writeAll(buffer.readableChannel().source()),
      buffer => buffer.readFrom(input((_, _, _) => doing(buffer.clear())(1))),
      buffer => buffer.readFrom(input((_, _, _) => doing(Buffer().write(buffer, 3))(1))),
      buffer => buffer.writeAll(readable(_ => doing(buffer.clear())(-1)).source()),
      buffer => buffer.writeTo(output(() => buffer.clear()), 3),
      buffer => buffer.writeTo(output(() => buffer.skip(3)), 2),
      buffer => buffer.writeTo(output(() => buffer.writeTo(OutputStream.nullOutputStream, 1)), 3),
      buffer => buffer.copyTo(output(() => buffer.clear()), 0, 3),
      buffer => writable(_ => doing(buffer.clear())(3)).sink().write(buffer, 3)
    ): e =>
      assert(e.isInstanceOf[ConcurrentModificationException], e.toString)
      val message = e.getMessage
      assert(message.endsWith("while the buffer was filled or emptied, at positions [0, 3)"), e)

    check("an impossible return value of a stream or channel throws IOException")(
      buffer => buffer.readFrom(input((_, _, count) => count + 1)),
      buffer => buffer.readFrom(input((_, _, _) => -2)),
      buffer => buffer.readFrom(input((_, _, count) => count + 1), 1),
      buffer => buffer.writeAll(readable(_.remaining + 1).source()),
      buffer => writable(_.remaining + 1).sink().write(buffer, 2),
      buffer => writable(_ => -1).sink().write(buffer, 3)
    ): e =>
      assert(e.isInstanceOf[IOException], e.toString)
      assert(e.getMessage.startsWith("a stream or channel that was given "), e)
  end for

  test("a stream that reads or writes the buffer it fills causes ConcurrentModificationException"):
    def told(use: => Any): Unit = intercept[ConcurrentModificationException](use): Unit
    for memory <- SegmentMemory.values do
      given home: SegmentPool = SegmentPool.lockFree(memory = memory)
      val buffer = Buffer().writeUtf8("abc")
      told(buffer.readFrom(input((_, _, _) => buffer.readByte().toInt.sign)))
      told(buffer.readFrom(input((_, _, _) => doing(buffer.writeByte('d'))(1))))
      assertEquals(buffer.readUtf8(), "bcd")
      // The segment being filled is empty: no segment may be linked after it.
      val large = Buffer(using SegmentPool.none(segmentBytes = 65536)).write(new Array[Byte](65536))
      told(buffer.readFrom(input((_, _, _) => doing(buffer.write(large, 65536))(1))))
      told(buffer.readFrom(input((_, _, _) => doing(buffer.write(large, 30000))(1))))
      told(buffer.readFrom(input((_, _, _) => doing(large.copyTo(buffer))(1))))
      assertEquals((buffer.size, buffer.segmentCount, large.size), (0L, 0, 65536L))
      home.assertNoLeaks()
    end for

  for memory <- SegmentMemory.values do
    test(s"shared bytes cannot be changed while their buffer is filled or emptied ($memory)"):
      given home: SegmentPool = SegmentPool.lockFree(debug = true, memory = memory)
      val uses = Seq[(Buffer, () => Unit) => Any](
        (buffer, change) => buffer.readFrom(input((_, _, _) => doing(change())(1)), 10),
        (buffer, change) => buffer.writeAll(readable(_ => doing(change())(1)).source()),
        (buffer, change) => buffer.writeTo(output(change), 10),
        (buffer, change) => writable(_ => doing(change())(10)).sink().write(buffer, 10)
      )
      for (use, i) <- uses.zipWithIndex do
        val buffer = Buffer().write(new Array[Byte](2000))
        val copy = buffer.copy()
        def change(): Unit =
          val cursor = buffer.cursor(writable = true)
          cursor.seek(0): Unit
          cursor(0) = 1
        intercept[ConcurrentModificationException](use(buffer, () => change())): Unit
        assertEquals((buffer.size, buffer(0), copy(0)), (2000L, 0.toByte, 0.toByte), s"use $i")
        change()
        assertEquals((buffer.size, buffer(0), copy(0)), (2000L, 1.toByte, 0.toByte), s"use $i")
        Seq(buffer, copy).foreach(_.clear())
      home.assertNoLeaks()
  end for

  test("heap bytes cannot be moved off-heap while their buffer is filled"):
    val buffer = Buffer().writeUtf8("abc")
    intercept[ConcurrentModificationException]:
      buffer.readFrom(input((_, _, _) => doing(buffer.iovecs(Arena.global))(1)), 1)
    : Unit
    assertEquals(buffer.readUtf8(), "abc")

  test("a stream may append to the buffer that it drains"):
    val buffer = Buffer().writeUtf8("abc")
    buffer.writeTo(buffer.outputStream(), 2)
    assertEquals(buffer.readUtf8(), "cab")
end ReentrancyTest
