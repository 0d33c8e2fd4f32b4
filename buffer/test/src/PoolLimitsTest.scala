package undercroft.buffer

import jdk.jfr.Recording
import jdk.jfr.consumer.RecordingFile
import java.nio.file.Files
import scala.jdk.CollectionConverters.ListHasAsScala
import undercroft.memory.{Budget, MemoryLimitException}

/** Budgets, leaks, and what is told of pools. */
class PoolLimitsTest extends munit.FunSuite:
  /** For a machine that is busy with other things. */
  override val munitTimeout = scala.concurrent.duration.Duration(10, "min")

  private def collectUntil(done: => Boolean): Unit =
    var rounds = 0
    while !done && rounds < 10_000 do
      System.gc()
      Thread.`yield`()
      rounds += 1

  private def pools(budget: Budget): Seq[SegmentPool] =
    val some = Some(budget)
    Seq(
      SegmentPool.synchronizedPool(budget = some),
      SegmentPool.lockFree(budget = some),
      SegmentPool.striped(stripes = 4, budget = some),
      SegmentPool.perProcessor(budget = some, debug = true),
      SegmentPool.lockFree(idleLimitBytes = 0, budget = some)
    )

  test("a pool with a budget has no more arrays than that holds, and the buffer keeps what it had"):
    for i <- 0 until 5 do
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
      pool.assertAllHome()
      pool.trim()
      assertEquals(budget.liveBytes, 0L)
      assertEquals(pool.metrics.live, 0L)

  test("two pools share a budget, and what is idle in one stripe serves another"):
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

  test("arrays of buffers that were dropped count until the collector has found them"):
    val budget = Budget("dropped segments", 4 * 8192)
    val pool = SegmentPool.lockFree(budget = Some(budget))
    locally(Buffer(using pool).write(new Array[Byte](4 * 8192))): Unit
    var taken: Segment | Null = null
    collectUntil:
      try taken = pool.take()
      catch case _: MemoryLimitException => ()
      taken != null
    assert(taken != null)

  test("in debug mode a segment that was dropped is counted, and told with the place that took it"):
    val pool = SegmentPool.lockFree(debug = true)
    locally(Buffer(using pool).writeByte(1)): Unit
    assert(pool.takenAt.exists(_.exists(_.contains("PoolLimitsTest"))), pool.takenAt.toString)
    collectUntil(pool.metrics.leaked > 0)
    assertEquals(pool.metrics.leaked, 1L)
    assertEquals(pool.takenAt, Nil)

  test("the flight recorder sees each pool"):
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
      val mine = events.filter(_.getLong("segmentBytes") == 777)
      assertEquals(mine.map(_.getString("pool")).toSet, Set("the lock-free pool"))
      assertEquals(mine.last.getLong("hits"), 1L)
      assertEquals(mine.last.getLong("misses"), 1L)
      assertEquals(mine.last.getLong("idleBytes"), 777L)
    finally
      recording.close()
      Files.delete(file)
    java.lang.ref.Reference.reachabilityFence(pool)
end PoolLimitsTest
