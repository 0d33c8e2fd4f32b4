package outside.memory

import undercroft.memory.*
import undercroft.tools.ForkedJvm

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

  test("blocks of 17 KiB share pages, so that they fit a limit with little room beside them"):
    val budget = Budget("17 KiB", limitBytes = 6.MiB)
    Region.within(budget):
      for _ <- 1 to 200 do Region.current.allocateBlock(17.KiB, 8): Unit
      assert(budget.liveBytes >= 200 * 17.KiB, s"${budget.liveBytes}")

  test("a close that is repeated after a StackOverflowError releases no memory twice"):
    val interpreted = Seq("undercroft.memory.internal.alloc.FreeSpans", "java.util.TreeMap")
    val flags = interpreted.map(name => s"-XX:CompileCommand=exclude,$name::*")
    val result = ForkedJvm.run(classOf[RepeatedCloses.type], ForkedJvm.Granted ++ flags)
    assertEquals((result.last, result.exit), ("all good", 0), result.output)

  test("an open region keeps its name, however many named regions are closed meanwhile"):
    Region.named("long-lived"):
      for _ <- 1 to 5000 do Region.named("short-lived")(())
      assertEquals(Region.current.name, "region \"long-lived\"")
    val orders = Region.shared("orders")
    orders.close()
    assertEquals(orders.name, "region \"orders\"")
end RegionTest

/** Closes regions when the stack is full, again and again until a close succeeds. */
object RepeatedCloses:
  private val Rounds = 20
  private val StackBytes = 512L * 1024

  /** More than the time until other threads may reuse freed memory. */
  private val DelayNanos = 2_000_000L

  def main(args: Array[String]): Unit =
    // Compiles the close, so that it takes little of the stack.
    for _ <- 1 to 10_000 do
      val region = Region.shared()
      allocate(region): Unit
      region.close()
    for round <- 1 to Rounds do
      var failure: Option[Throwable] = None
      val body: Runnable = () =>
        try closeInOverflow(round)
        catch case error: Throwable => failure = Some(error)
      val thread = Thread(null, body, "overflow", StackBytes)
      thread.start()
      thread.join()
      failure.foreach(throw _)
    println("all good")

  private def allocate(region: Region): Long = region.allocateBlock(128.KiB, 8).offset

  private def awaitDelay(): Unit =
    val start = System.nanoTime
    while System.nanoTime - start < DelayNanos do Thread.onSpinWait()

  private def closeInOverflow(round: Int): Unit =
    awaitDelay()
    val (region, earlier, between) = (Region.shared(), Region.shared(), Region.shared())
    // No two blocks to free are adjacent: the pool only adds them to its trees, because an error in
    // a removal leaves a tree of the JDK with a key twice.
    for i <- 1 to 40 do
      allocate(between): Unit
      allocate(if i <= 32 then earlier else region): Unit
    allocate(between): Unit
    earlier.close()
    // The close of the region then moves the blocks of the earlier one, which takes more stack.
    awaitDelay()
    dive(region)
    val other = Region.shared()
    val offsets = Seq.fill(64)(allocate(other))
    assert(offsets.distinct.size == offsets.size, s"round $round: a block was allocated twice")
    Seq(other, between).foreach(_.close())

  private def dive(region: Region): Unit =
    try dive(region)
    catch case _: StackOverflowError => if region.isOpen then region.close()
end RepeatedCloses
