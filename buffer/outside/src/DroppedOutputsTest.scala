package outside.buffer

import undercroft.buffer.*
import undercroft.memory.*
import undercroft.tools.ForkedJvm

/** Outputs that are dropped without being closed. */
class DroppedOutputsTest extends undercroft.tools.Suite:
  private val flags = ForkedJvm.Granted ++ Seq("-Dundercroft.limit=256m", "-Xmx200m")

  test("dropped outputs do not exhaust the limit, and their memory returns to the system"):
    val result = ForkedJvm.run(classOf[DroppingOutputs.type], flags)
    assertEquals((result.last, result.exit), ("40 leaked, little is idle", 0), result.output)

  test("dropped outputs do not exhaust the budget of other owners"):
    val budget = Budget("shared with outputs", 64.MiB)
    for _ <- 1 to 10 do
      val output = ByteOutput(32.MiB, budget)
      output.write(new Array[Byte](30_000_000))
    Region.within(budget):
      assertEquals(Region.allocate(32.MiB).byteSize, 32.MiB)
end DroppedOutputsTest

object DroppingOutputs:
  private val Count = 40
  private val Rounds = 100

  def main(args: Array[String]): Unit =
    val bytes = new Array[Byte](1 << 20)
    for _ <- 1 to Count do
      val output = ByteOutput(32.MiB)
      for _ <- 1 to 32 do output.write(bytes)
    val queue = java.lang.ref.ReferenceQueue[AnyRef]()
    var rounds = 0
    while rounds < Rounds && (ByteOutput.leaked < Count || Ledger.report().idleBytes >= 32.MiB) do
      System.gc()
      queue.remove(100): Unit // waits for the cleaner: nothing is enqueued
      rounds += 1
    val isIdleLittle = Ledger.report().idleBytes < 32.MiB
    println(s"${ByteOutput.leaked} leaked, ${if isIdleLittle then "little" else "much"} is idle")
end DroppingOutputs
