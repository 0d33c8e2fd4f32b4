package outside.memory

import undercroft.memory.*

class RegionTest extends undercroft.tools.Suite:

  test("reading a block of a closed region throws an exception that names the region"):
    val region = Region.shared("orders")
    val block = region.allocate(64)
    block.set(java.lang.foreign.ValueLayout.JAVA_LONG, 0, 7L)
    region.close()
    val error = intercept[IllegalStateException]:
      block.get(java.lang.foreign.ValueLayout.JAVA_LONG, 0)
    assert(error.getMessage.nonEmpty)
