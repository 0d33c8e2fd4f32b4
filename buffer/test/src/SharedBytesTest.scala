package undercroft.buffer

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

/** Byte strings that share a buffer's segments behave like byte strings with an array. */
class SharedBytesTest extends undercroft.tools.Suite:
  private val bytes = new Array[Byte](200_000)
  java.util.Random(7).nextBytes(bytes)
  private def pair()(using SegmentPool): (ByteString, ByteString) =
    val buffer = Buffer().write(bytes.take(100)).write(bytes)
    buffer.skip(100)
    val shared = buffer.snapshot(150_001)
    buffer.clear()
    assert(shared.shared != null)
    (shared, ByteString(bytes.take(150_001)))

  for (name, pool) <- Seq("default" -> SegmentPool.default) ++
      Seq("debug" -> SegmentPool.lockFree(debug = true)) ++
      Seq("native" -> SegmentPool.lockFree(debug = true, memory = SegmentMemory.Native))
  do
    test(s"a byte string with shared segments behaves like one with an array (pool: $name)"):
      given SegmentPool = pool
      val (shared, plain) = pair()
      assertEquals(shared.size, plain.size)
      for i <- 0 until plain.size by 97 do assertEquals(shared(i), plain(i))
      assertEquals(shared, plain)
      assertEquals(plain, shared)
      assertEquals(shared.hashCode, plain.hashCode)
      assertEquals(shared.sha256, plain.sha256)
      assertEquals(shared.substring(8000, 30_000), plain.substring(8000, 30_000))
      assert(shared.startsWith(plain.substring(0, 20_000)))
      assert(shared.endsWith(plain.substring(100_000)))
      assert(!shared.startsWith(plain.substring(1, 20_000)))
      assert(shared.rangeEquals(8100, plain, 8100, 10_000))
      assert(!shared.rangeEquals(8100, plain, 8101, 10_000))
      assertEquals(shared.indexOf(plain.substring(100_000, 100_200)), 100_000)
      val copied = new Array[Byte](30_000)
      shared.copyInto(8000, copied, 10, 20_000)
      assertEquals(ByteString(copied.slice(10, 20_010)), plain.substring(8000, 28_000))
      val out = ByteArrayOutputStream()
      shared.write(out)
      assertEquals(ByteString(out.toByteArray), plain)
      assertEquals(ByteString(shared.toByteArray), plain)
      assertEquals(shared.hex, plain.hex)
      assertEquals(shared.compareTo(plain), 0)
      assertEquals(shared.toString, plain.toString)
      intercept[IndexOutOfBoundsException](shared(plain.size)): Unit
      intercept[IndexOutOfBoundsException](shared(-1)): Unit

    test(s"writing a byte string with shared segments to a buffer copies no segment (pool: $name)"):
      given SegmentPool = pool
      val (shared, plain) = pair()
      val misses = pool.metrics.misses
      val buffer = Buffer().writeByte(1).write(shared)
      assert(pool.metrics.misses - misses <= 2)
      buffer.writeByte(2).readByte(): Unit
      assertEquals(buffer.readByteString(plain.size), plain)
      assertEquals(buffer.readByte(), 2.toByte)
      java.lang.ref.Reference.reachabilityFence(shared)

    test(s"Java serialization of a byte string with shared segments keeps its bytes (pool: $name)"):
      given SegmentPool = pool
      val (shared, plain) = pair()
      val out = ByteArrayOutputStream()
      ObjectOutputStream(out).writeObject(shared)
      val read = ObjectInputStream(ByteArrayInputStream(out.toByteArray)).readObject
      assertEquals(read, plain: Any)
  end for

  for memory <- SegmentMemory.values do
    test(s"segments of an unreachable byte string return to the pool ($memory)"):
      val pool = SegmentPool.lockFree(idleLimitBytes = 1 << 20, debug = true, memory = memory)
      locally(pair()(using pool)): Unit
      var rounds = 0
      while pool.metrics.live > 0 && rounds < 10_000 do
        System.gc()
        Thread.`yield`()
        rounds += 1
      pool.assertNoLeaks()
      assertEquals(pool.metrics.leaked, 0L)

  test("a snapshot below 64 KiB copies its bytes and keeps no segments"):
    val pool = SegmentPool.lockFree()
    val buffer = Buffer(using pool).write(bytes)
    val small = buffer.snapshot(65_535)
    buffer.clear()
    pool.assertNoLeaks()
    assertEquals(small, ByteString(bytes.take(65_535)))
end SharedBytesTest
