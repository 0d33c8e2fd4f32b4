package outside

import undercroft.buffer.SegmentPool

/** Operations that code in a user's package cannot compile. */
class OutsideTest extends undercroft.tools.Suite:
  test("code outside the library cannot take or recycle segments"):
    val pool = SegmentPool.lockFree()
    assertEquals(pool.metrics.live, 0L)
    assert(compileErrors("pool.take()").contains("cannot be accessed"))
    assert(compileErrors("pool.recycle(null)").contains("cannot be accessed"))
