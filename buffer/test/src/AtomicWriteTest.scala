package undercroft.buffer

import java.lang.foreign.{Arena, MemorySegment}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_16
import undercroft.memory.{Budget, MemoryLimitException}

/** A failed write leaves no bytes. */
class AtomicWriteTest extends undercroft.tools.Suite:
  private val twenty = Array.tabulate(20)(_.toByte)

  for memory <- SegmentMemory.values do
    test(s"a write that exceeds the budget writes no bytes ($memory)"):
      val budget = Budget(s"whole, $memory", 10)
      given pool: SegmentPool =
        SegmentPool.lockFree(80, segmentBytes = 10, budget = Some(budget), memory = memory)
      val source = Buffer(using SegmentPool.none(segmentBytes = 100)).write(new Array[Byte](50))
      val writes = Seq[Buffer => Any](
        _.writeInt(1),
        _.writeLong(1),
        _.writeLongLe(1),
        _.write(twenty),
        _.write(ByteString(twenty)),
        _.write(ByteBuffer.wrap(twenty)),
        _.write(MemorySegment.ofArray(twenty)),
        _.writeUtf8("twenty letters of it"),
        _.writeUtf8("éé"),
        _.writeUtf8("\ud83d\ude00"),
        _.writeString("éé", UTF_16),
        _.writeUtf8Lines(Iterator("abc")),
        _.writeDecimalLong(Long.MinValue),
        _.writeHexadecimalUnsignedLong(-1),
        _.write(source, 5),
        source.copyTo(_, 0, 5),
        _.cursor(writable = true).resize(11)
      )
      for (write, i) <- writes.zipWithIndex do
        val buffer = Buffer().write(twenty, 0, 7)
        intercept[MemoryLimitException](write(buffer)): Unit
        assertEquals((buffer.size, source.size), (7L, 50L), s"write $i")
        buffer.write(twenty, 7, 3)
        assertEquals(buffer.readByteString(), ByteString(twenty.take(10)), s"write $i")
      val large = ByteBuffer.wrap(twenty)
      val buffer = Buffer()
      intercept[MemoryLimitException](buffer.write(large)): Unit
      assertEquals((large.position, buffer.size, buffer.segmentCount), (0, 0L, 0))
      pool.assertNoLeaks()

    test(
      s"a failed write of a large or closed MemorySegment leaves the buffer unchanged ($memory)"
    ):
      val budget = Budget(s"whole segments, $memory", 3L << 19)
      given pool: SegmentPool = SegmentPool.lockFree(budget = Some(budget), memory = memory)
      val buffer = Buffer().writeByte(1)
      val mebibytes = MemorySegment.ofArray(new Array[Byte](2 << 20))
      intercept[MemoryLimitException](buffer.write(mebibytes)): Unit
      assertEquals(buffer.size, 1L)
      buffer.clear()
      val arena = Arena.ofConfined()
      val closed = arena.allocate(10)
      arena.close()
      intercept[IllegalStateException](buffer.write(closed)): Unit
      assertEquals((buffer.size, buffer.segmentCount), (0L, 0))
      pool.assertNoLeaks()
  end for

  for memory <- SegmentMemory.values do
    test(s"a move of whole segments and a part needs no memory of a budget ($memory)"):
      val content = ByteString(Array.tabulate(9000)(_.toByte))
      val source = Buffer(using SegmentPool.none(memory = memory)).write(content)
      val budget = Some(Budget(s"a part, $memory", 10))
      val target = Buffer(using SegmentPool.none())
      val limited = Buffer(using SegmentPool.lockFree(budget = budget, memory = memory))
      source.readFully(limited, 8202)
      source.writeUtf8("more")
      assertEquals((limited.size, source.size), (8202L, 802L))
      target.write(limited, 8202L)
      target.write(source, 798L)
      assertEquals(target.readByteString(), content)
      assertEquals(source.readUtf8(), "more")

  test("a failed write of a byte string with shared segments writes no bytes"):
    val shared = Buffer(using SegmentPool.none(segmentBytes = 1000)).write(new Array[Byte](66_500))
    val string = shared.snapshot()
    val budget = Budget("whole strings", 10)
    given pool: SegmentPool = SegmentPool.lockFree(80, segmentBytes = 10, budget = Some(budget))
    val buffer = Buffer().writeByte(1)
    intercept[MemoryLimitException](buffer.write(string)): Unit
    assertEquals(buffer.size, 1L)
    shared.clear()
    buffer.clear()
    pool.assertNoLeaks()
end AtomicWriteTest
