package outside.buffer

import java.lang.foreign.{Arena, MemorySegment}
import java.lang.foreign.ValueLayout.JAVA_BYTE
import scala.util.Random
import undercroft.buffer.*

/** Reads up to a delimiter, compared with the plain loop over an array. */
class ReadUntilTest extends undercroft.tools.Suite:

  private val pools = List(
    "heap" -> SegmentPool.striped(segmentBytes = 1024),
    "off-heap" -> SegmentPool.striped(segmentBytes = 1024, memory = SegmentMemory.Native)
  )

  private def content(segment: MemorySegment, count: Long): Vector[Byte] =
    segment.asSlice(0, count).toArray(JAVA_BYTE).toVector

  for (name, pool) <- pools do
    test(s"readUntil returns the bytes between delimiters, in $name segments and a source"):
      val seed = sys.env.get("UNDERCROFT_SEED").fold(System.nanoTime)(_.toLong)
      val random = Random(seed)
      val arena = Arena.ofConfined()
      try
        val targets =
          List(16, 17, 40, 3000).map(arena.allocate(_)) :+
            MemorySegment.ofArray(new Array[Byte](3000))
        var longest = 0
        for round <- 1 to 300 do
          val limit = if round % 3 == 0 then 2500 else 15
          val parts = List.fill(1 + random.nextInt(200)):
            Vector.fill(random.nextInt(limit))((random.nextInt(255) + 1).toByte).filter(_ != ';')
          val buffer = Buffer(using pool)
          for part <- parts do
            buffer.write(part.toArray).writeByte(';')
          val source: BufferedSource =
            if random.nextBoolean() then buffer else (buffer: Source).buffered(using pool)
          for part <- parts do
            val fitting = targets.filter(_.byteSize >= part.size)
            val target = fitting(random.nextInt(fitting.size))
            val count = source.readUntil(';', target)
            assertEquals(count, part.size.toLong, seed)
            assertEquals(content(target, count), part, seed)
            longest = longest.max(part.size)
          assert(source.exhausted)
        assert(longest > 2048, longest)
      finally arena.close()
      end try

    test(s"readUntil without a delimiter or room consumes nothing, in $name segments"):
      val target = MemorySegment.ofArray(new Array[Byte](20))
      val buffer = Buffer(using pool).writeUtf8("a key without an end")
      val ended = intercept[EndOfInputException](buffer.readUntil(';', target))
      assert(ended.getMessage.contains("the delimiter 0x3b"), ended)
      assertEquals(buffer.size, 20L)
      buffer.writeUtf8("!;")
      val tooLarge = intercept[TooLargeException](buffer.readUntil(';', target))
      assertEquals(
        tooLarge.getMessage,
        "21 bytes exceed the 20 bytes of the target before the delimiter 0x3b"
      )
      assertEquals((tooLarge.bytes, tooLarge.limitBytes), (21L, 20L))
      assertEquals(buffer.size, 22L)
      intercept[TooLargeException](buffer.readUntil(';', MemorySegment.NULL)): Unit
      assertEquals(buffer.readUtf8(), "a key without an end!;")
      for before <- 0 to 15 do
        val text = "x" * before
        buffer.writeUtf8(text + ";")
        val exact = MemorySegment.ofArray(new Array[Byte](before))
        assertEquals(buffer.readUntil(';', exact), before.toLong)
        assertEquals(String(content(exact, before).toArray), text)
        assertEquals(buffer.size, 0L)

    test(s"readUntil of a read-only or closed segment throws and consumes nothing, in $name"):
      val arena = Arena.ofConfined()
      val closed = arena.allocate(32)
      arena.close()
      val buffer = Buffer(using pool)
      for text <- List("abc;", "more than sixteen bytes;") do
        buffer.writeUtf8(text).writeUtf8("rest")
        for target <- List(closed, MemorySegment.ofArray(new Array[Byte](32)).asReadOnly) do
          intercept[RuntimeException](buffer.readUntil(';', target)): Unit
          assertEquals(buffer.size, text.length + 4L)
        buffer.clear()
  end for
end ReadUntilTest
