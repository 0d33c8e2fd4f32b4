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

  test("small blocks of a region fill its limit, although its spans double"):
    var blocks = 0
    val error = intercept[MemoryLimitException]:
      Region.named("filled", limitBytes = 3.MiB):
        while true do
          Region.current.allocateBlock(4096, 8): Unit
          blocks += 1
    assertEquals((blocks, error.requestedBytes), (768, 64.KiB))

  test("an open region keeps its name, however many named regions are closed meanwhile"):
    Region.named("long-lived"):
      for _ <- 1 to 5000 do Region.named("short-lived")(())
      assertEquals(Region.current.name, "region \"long-lived\"")
    val orders = Region.shared("orders")
    orders.close()
    assertEquals(orders.name, "region \"orders\"")
end RegionTest
