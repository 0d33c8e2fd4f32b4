package undercroft.buffer

import internal.segment.Segment
import jdk.jfr.Recording
import jdk.jfr.consumer.RecordingFile
import java.nio.file.Files
import scala.jdk.CollectionConverters.ListHasAsScala
import undercroft.memory.{Budget, MemoryLimitException}

/** Budgets, leak detection and JFR events of pools. */
class PoolLimitsTest extends undercroft.tools.Suite:
  private def collectUntil(done: => Boolean): Unit =
    var rounds = 0
    while !done && rounds < 10_000 do
      System.gc()
      Thread.`yield`()
      rounds += 1

  private def pools(budget: Budget): Seq[SegmentPool] =
    val option = Some(budget)
    Seq(
      SegmentPool.synchronizedPool(budget = option),
      SegmentPool.lockFree(budget = option),
      SegmentPool.striped(stripes = 4, budget = option),
      SegmentPool.perCpu(budget = option, debug = true),
      SegmentPool.lockFree(idleLimitBytes = 0, budget = option),
      SegmentPool.lockFree(budget = option, memory = SegmentMemory.Native),
      SegmentPool.striped(budget = option, debug = true, memory = SegmentMemory.Native)
    )

  test(
    "a pool rejects segments beyond its budget, and the buffer keeps the bytes that it already had"
  ):
    for i <- 0 until 7 do
      val budget = Budget(s"segments $i", 5 * 8192)
      given pool: SegmentPool = pools(budget)(i)
      val buffer = Buffer().write(new Array[Byte](5 * 8192))
      val e = intercept[MemoryLimitException](buffer.writeByte(1))
      assertEquals(e.getMessage.contains(s"segments $i"), true, e.getMessage)
      assertEquals(buffer.size, 5L * 8192)
      assertEquals(budget.liveBytes, 5L * 8192)
      buffer.skip(8192)
      buffer.writeByte(1): Unit
      buffer.clear()
      pool.assertNoLeaks()
      pool.trim()
      assertEquals(budget.liveBytes, 0L)
      assertEquals(pool.metrics.live, 0L)

  test("two pools share a budget, and a stripe uses idle segments of another stripe"):
    val budget = Budget("shared segments", 4 * 8192)
    val pool = SegmentPool.striped(stripes = 8, budget = Some(budget))
    val threads = (1 to 8).map: _ =>
      Thread.ofPlatform.start: () =>
        pool.recycle(pool.take())
        pool.recycle(pool.take())
    threads.foreach(_.join())
    val segments = Vector.fill(4)(pool.take())
    assertEquals(budget.liveBytes, 4L * 8192)
    intercept[MemoryLimitException](SegmentPool.lockFree(budget = Some(budget)).take()): Unit
    segments.foreach(pool.recycle)

  for memory <- SegmentMemory.values do
    test(s"segments of leaked buffers are charged until garbage collection ($memory)"):
      val budget = Budget(s"dropped segments, $memory", 4 * 8192)
      val pool = SegmentPool.lockFree(budget = Some(budget), memory = memory)
      locally(Buffer(using pool).write(new Array[Byte](4 * 8192))): Unit
      var segment: Segment | Null = null
      collectUntil:
        try segment = pool.take()
        catch case _: MemoryLimitException => ()
        segment != null
      assert(segment != null)

    test(s"a pool in debug mode counts a leaked segment and reports its allocation site ($memory)"):
      val pool = SegmentPool.lockFree(debug = true, memory = memory)
      locally(Buffer(using pool).writeByte(1)): Unit
      assert(pool.leakSites.exists(_.exists(_.contains("PoolLimitsTest"))), pool.leakSites.toString)
      collectUntil(pool.metrics.leaked > 0)
      assertEquals(pool.metrics.leaked, 1L)
      assertEquals(pool.leakSites, Nil)
  end for

  test("a slab is charged until its last segment is garbage collected"):
    val budget = Budget("a slab", Long.MaxValue)
    var piece = SegmentSlabs.allocate(1 << 20, budget).asSlice(5, 1)
    System.gc()
    assertEquals(piece.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0), 0.toByte)
    assertEquals(budget.liveBytes, 1L << 20)
    piece = java.lang.foreign.MemorySegment.NULL
    collectUntil(budget.liveBytes == 0)
    assertEquals(budget.liveBytes, 0L)

  test("native segments are in the Ledger, and up to 64 of them share a slab"):
    def held: Long =
      val rows = undercroft.memory.Ledger.report().rows
      rows.filter(_.name == "native segments").map(_.liveBytes).sum
    for (segmentBytes, shared) <- Seq(1 -> 64, 8192 -> 64, 100_000 -> 10, (2 << 20) -> 1) do
      val pool = SegmentPool.none(segmentBytes, memory = SegmentMemory.Native)
      val segments = Vector.fill(shared + 1)(pool.take())
      assertEquals(segments.map(_.memory.scope).take(shared).distinct.size, 1)
      assertNotEquals(segments(0).memory.scope, segments(shared).memory.scope)
      assertEquals(segments.map(_.memory.byteSize).distinct, Vector(segmentBytes.toLong))
      assertEquals(segments.map(_.memory.address).distinct.size, shared + 1)
      assert(held >= segmentBytes.toLong * shared, s"$held bytes")
    val budget = Some(Budget("segments of their own", 8 * 8192))
    val pool = SegmentPool.none(memory = SegmentMemory.Native)
    val budgetPool = SegmentPool.lockFree(budget = budget, memory = SegmentMemory.Native)
    assertNotEquals(budgetPool.take().memory.scope, budgetPool.take().memory.scope)
    // A trimmed pool releases its slab.
    val before = pool.take().memory.scope
    pool.trim()
    assertNotEquals(pool.take().memory.scope, before)

  test("each segment pool emits a JFR event"):
    val pool = SegmentPool.lockFree(segmentBytes = 777)
    pool.recycle(pool.take())
    pool.recycle(pool.take())
    val recording = Recording()
    recording.enable("dev.undercroft.SegmentPool").`with`("period", "endChunk")
    recording.start()
    val file = Files.createTempFile("undercroft", ".jfr")
    try
      recording.stop(): Unit
      recording.dump(file)
      val events = RecordingFile.readAllEvents(file).asScala
      val poolEvents = events.filter(_.getLong("segmentBytes") == 777)
      assertEquals(poolEvents.map(_.getString("pool")).toSet, Set("the lock-free pool"))
      assertEquals(poolEvents.last.getLong("hits"), 1L)
      assertEquals(poolEvents.last.getLong("misses"), 1L)
      assertEquals(poolEvents.last.getLong("idleBytes"), 777L)
    finally
      recording.close()
      Files.delete(file)
    java.lang.ref.Reference.reachabilityFence(pool)
end PoolLimitsTest
