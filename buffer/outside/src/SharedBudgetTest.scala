package outside.buffer

import undercroft.buffer.*
import undercroft.memory.{Budget, MemoryLimitException}

class SharedBudgetTest extends undercroft.tools.Suite:

  test("unreachable snapshots do not make later writes exceed the budget"):
    val pool = SegmentPool.striped(budget = Some(Budget("requests", 4 << 20)))
    for _ <- 0 until 500 do
      val buffer = Buffer(using pool)
      buffer.write(new Array[Byte](100_000))
      assertEquals(buffer.snapshot().size, 100_000)
      buffer.clear()

  test("a pool reclaims idle segments of its native pool before it exceeds the budget"):
    val budget = Budget("request", 10 * 8192)
    val pool = SegmentPool.lockFree(idleLimitBytes = 1 << 20, budget = Some(budget))
    val buffer = Buffer(using pool)
    buffer.write(new Array[Byte](5 * 8192))
    assertEquals(buffer.withIovecs(_.byteSize), 5L * 16)
    buffer.clear()
    buffer.write(new Array[Byte](8 * 8192))
    assertEquals(buffer.size, 8L * 8192)
    buffer.clear()

  test("unreachable buffers do not make an output or another pool exceed their budget"):
    val budget = Budget("tenant", 16 << 20)
    def pool() = SegmentPool.lockFree(1 << 20, budget = Some(budget))
    val (first, second) = (pool(), pool())
    for _ <- 0 until 150 do Buffer(using first).write(new Array[Byte](100_000)): Unit
    val out = ByteOutput(64 << 20, budget)
    out.write(new Array[Byte](5 << 20))
    val buffer = Buffer(using second)
    buffer.write(new Array[Byte](5 << 20))
    assertEquals((out.size, buffer.size), (5L << 20, 5L << 20))
    buffer.clear()
    out.close()

  test(
    "outstanding segments are never reclaimed: the write is rejected and the buffer is unchanged"
  ):
    val budget = Budget("full", 4 * 8192)
    val pool = SegmentPool.lockFree(budget = Some(budget))
    val buffer = Buffer(using pool)
    buffer.write(new Array[Byte](4 * 8192))
    val error = intercept[MemoryLimitException](buffer.write(new Array[Byte](1)))
    assert(error.getMessage.contains("full"), error.getMessage)
    assertEquals(buffer.size, 4L * 8192)
    assertEquals(budget.liveBytes, 4L * 8192)

  test("a line that exceeds a budget is read whole when there is room again"):
    given pool: SegmentPool =
      SegmentPool.lockFree(segmentBytes = 4, budget = Some(Budget("lines", 16)))
    val others = Buffer().write(new Array[Byte](12))
    val input = Iterator("abcd", "e").source()
    val output = Buffer(using SegmentPool.default)
    intercept[MemoryLimitException](input.read(output, 9)): Unit
    others.clear()
    while input.read(output, 9) != -1 do ()
    assertEquals(output.readUtf8(), "abcd\ne\n")
end SharedBudgetTest
