package outside

import undercroft.buffer.SegmentPool

/** What a user's package may not do. */
class OutsideTest extends undercroft.house.Suite:
  test("segments are taken and given back by buffers alone"):
    val pool = SegmentPool.lockFree()
    assertEquals(pool.metrics.live, 0L)
    assert(compileErrors("pool.take()").contains("cannot be accessed"))
    assert(compileErrors("pool.recycle(null)").contains("cannot be accessed"))
