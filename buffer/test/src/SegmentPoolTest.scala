package undercroft.buffer

import internal.segment.Segment
import java.util.concurrent.CyclicBarrier
import undercroft.testkit.assertAllocates

class SegmentPoolTest extends undercroft.tools.Suite:
  for (name, pool) <- Pools.all do
    test(s"threads that take and recycle segments never share a segment (pool: $name)"):
      val home = pool()
      val before = home.metrics
      val start = CyclicBarrier(4)
      val problems = java.util.concurrent.ConcurrentLinkedQueue[String]()
      val threads = Vector.tabulate(4): number =>
        Thread.ofPlatform.start: () =>
          try
            start.await(): Unit
            val segments = new Array[Segment](3)
            for round <- 0 until 1000 do
              for i <- segments.indices do
                segments(i) = home.take()
                segments(i).setByte(0, (number * 3 + i).toByte)
              for i <- segments.indices do
                if segments(i).byte(0) != (number * 3 + i).toByte then
                  problems.add(s"round $round: a segment is held twice"): Unit
                home.recycle(segments(i))
          catch case e: Throwable => problems.add(e.toString): Unit
      threads.foreach(_.join())
      assertEquals(problems.toArray.toSeq.map(_.toString), Seq.empty[String])
      val metrics = home.metrics
      val takes = metrics.hits - before.hits + metrics.misses - before.misses
      assertEquals(takes, 4L * 3 * 1000)
      assertEquals(metrics.live, 0L)
      home.assertNoLeaks()
      home.trim()
      assertEquals(home.metrics.idleBytes, 0L)
      assertEquals(home.metrics.live, 0L)

    test(s"recycling a segment twice throws DoubleRecycleException (pool: $name)"):
      val home = pool()
      val segment = home.take()
      home.recycle(segment)
      val e = intercept[DoubleRecycleException](home.recycle(segment))
      assert(e.getMessage.endsWith("was recycled twice"), e.getMessage)
  end for

  test("a pool keeps idle segments up to its limit and drops the others"):
    for pool <- Seq(
        SegmentPool.synchronizedPool(idleLimitBytes = 3 * 8192),
        SegmentPool.lockFree(idleLimitBytes = 3 * 8192),
        SegmentPool.striped(stripes = 1, bytesPerStripe = 3 * 8192)
      )
    do
      val segments = Vector.fill(5)(pool.take())
      assertEquals(pool.metrics.live, 5L)
      segments.foreach(pool.recycle)
      assertEquals(pool.metrics, SegmentPool.Metrics(0, 5, 0, 3, 2, 3 * 8192, 0))
      pool.trim(8192)
      assertEquals(pool.metrics.idleBytes, 8192L)
      pool.take(): Unit
      assertEquals(pool.metrics.hits, 1L)
      assertEquals(pool.metrics.live, 1L)

  for memory <- SegmentMemory.values do
    test(s"a pool with wipe = true returns segments that are entirely zero ($memory)"):
      for debug <- Seq(false, true) do
        val pool = SegmentPool.lockFree(wipe = true, debug = debug, memory = memory)
        val segment = pool.take()
        segment.fill(0, segment.capacity, 7)
        pool.recycle(segment)
        val again = pool.take()
        assertEquals(pool.metrics.hits, 1L)
        assert((0 until again.capacity).forall(again.byte(_) == 0))

    test(s"a pool in debug mode detects the use of a recycled segment ($memory)"):
      val pool = SegmentPool.lockFree(debug = true, memory = memory)
      val segment = pool.take()
      val alias = Segment(segment.data, segment.memory, pool)
      pool.recycle(segment)
      intercept[IndexOutOfBoundsException](segment.byte(0)): Unit
      intercept[IndexOutOfBoundsException](segment.setByte(0, 1)): Unit
      intercept[IndexOutOfBoundsException](segment.long(0)): Unit
      alias.setByte(5, 1)
      val e = intercept[WriteAfterRecycleException](pool.take())
      assertEquals(e.offset, 5)
  end for

  test("assertNoLeaks in debug mode reports the allocation site of an outstanding segment"):
    val pool = SegmentPool.lockFree(debug = true)
    val buffer = Buffer(using pool).writeByte(1)
    val e = intercept[SegmentLeakException](pool.assertNoLeaks())
    val message = e.getMessage
    assert(message.startsWith("1 segment of the lock-free pool was not recycled"), message)
    assert(e.site.exists(_.contains("SegmentPoolTest")), e.site.toString)
    buffer.clear()
    pool.assertNoLeaks()

  for (name, make) <- Seq(
      "striped" -> (() => SegmentPool.striped(stripes = 16)),
      "per processor" -> (() => SegmentPool.perCpu(stripes = 16))
    )
  do
    test(s"a thread reuses segments that other threads recycled (pool: $name)"):
      val pool = make()
      for round <- 1 to 3 do
        val segments = Vector.fill(8)(pool.take())
        // In sequence: of three threads with overlapping exchanges one would drop its segment.
        for segment <- segments do Thread.ofPlatform.start(() => pool.recycle(segment)).join()
        assertEquals(pool.metrics.kept, 8L * round)
      pool.assertNoLeaks()
      // With stripes per processor a thread may have migrated; it then also tries the next stripe.
      if name == "striped" then
        assertEquals((pool.metrics.misses, pool.metrics.hits), (8L, 16L))

  test("a full or empty stripe uses the next stripe"):
    val pool = SegmentPool.striped(stripes = 2, bytesPerStripe = 2 * SegmentPool.SegmentBytes)
    val segments = Vector.fill(6)(pool.take())
    segments.foreach(pool.recycle)
    assertEquals((pool.metrics.kept, pool.metrics.dropped), (4L, 2L))
    val second = Vector.fill(4)(pool.take())
    assertEquals((pool.metrics.hits, pool.metrics.misses), (4L, 6L))
    second.foreach(pool.recycle)
    pool.assertNoLeaks()

  test("creating a pool with an invalid size, stripe count or limit throws"):
    intercept[IllegalArgumentException](SegmentPool.none(segmentBytes = 0)): Unit
    intercept[IllegalArgumentException](SegmentPool.striped(stripes = 0)): Unit
    intercept[IllegalArgumentException](SegmentPool.lockFree(idleLimitBytes = -1)): Unit

  test("a segment that was changed after it was recycled is empty when it is taken again"):
    val pool = SegmentPool.lockFree()
    val late = pool.take()
    pool.recycle(late)
    for (pos, limit, until) <- Seq((0, 3000, 8192), (-64, 0, 8192), (0, 0, 0)) do
      late.pos = pos
      late.limit = limit
      late.until = until
      val buffer = Buffer(using pool).writeUtf8("abc")
      assert(buffer.head eq late)
      assertEquals(buffer.readUtf8(), "abc")
      assertEquals(buffer.position, 3L)

  test("clear of a buffer whose positions show no bytes, but that has segments, reports the race"):
    val pool = SegmentPool.lockFree()
    val torn = Buffer(using pool).write(new Array[Byte](10_000))
    torn.tail.limit -= 10_000
    assertEquals(torn.size, 0L)
    val error = intercept[java.util.ConcurrentModificationException](torn.clear())
    assert(error.getMessage.nn.startsWith("two threads used the buffer at once"), error.getMessage)
    torn.clear()
    assertEquals(torn.writeUtf8("abc").readUtf8(), "abc")
    assertEquals(pool.metrics.live, 0L)

  private val keeping = Pools.all.slice(1, 5) ++
    Pools.all.filter((name, _) =>
      Set("per processor, off-heap", "of segments of both kinds")(name)
    )

  for (name, pool) <- keeping do
    test(s"writing, moving and reading bytes allocates nothing (pool: $name)"):
      given home: SegmentPool = pool()
      val (source, target) = (Buffer(), Buffer())
      val bytes = new Array[Byte](1000)
      val text = "plain text"
      assertAllocates(0):
        var i = 0
        while i < 40 do
          source.write(bytes, 0, bytes.length)
          source.writeInt(i).writeLongLe(i).writeUtf8(text).writeDecimalLong(i)
          i += 1
        target.write(source, source.size)
        var sum = target.indexOf(9.toByte) + target(10_000) + target.readInt() + target.readLongLe()
        target.clear()
        i = 0
        while i < 1000 do
          target.writeHexadecimalUnsignedLong(i).writeByte(';').writeDecimalLong(-i)
          target.writeUtf8(";-0.5\n"): Unit
          i += 1
        while i > 0 do
          sum += target.indexOf(';') + target.readHexadecimalUnsignedLong()
          target.skip(1)
          sum += target.readDecimalLong()
          target.skip(1)
          sum += target.readDecimalLong(1)
          target.skip(1)
          i -= 1
        sum
  end for
end SegmentPoolTest
