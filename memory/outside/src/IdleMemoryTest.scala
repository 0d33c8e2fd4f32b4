package outside.memory

import java.util.concurrent.{Callable, Executors, ExecutorService, TimeUnit}
import undercroft.memory.*
import undercroft.tools.ForkedJvm

/** The reuse of freed memory by other threads. */
class IdleMemoryTest extends undercroft.tools.Suite:

  test("no other thread has the memory of a region within 1 ms of its close, if all is returned"):
    val flags = ForkedJvm.Granted :+ "-Dundercroft.idle=0"
    val result = ForkedJvm.run(classOf[Quarantined.type], flags)
    assertEquals((result.last, result.exit), ("all good", 0), result.output)

  test("no other thread has the memory of a region within 1 ms of its close, after Ledger.trim"):
    val result = ForkedJvm.run(classOf[Quarantined.type], arguments = Seq("trim"))
    assertEquals((result.last, result.exit), ("all good", 0), result.output)

  test("idle spans serve large blocks when the limit has no room for new pages"):
    val limit = "-Dundercroft.limit=64m"
    val result = ForkedJvm.run(classOf[IdleSpans.type], ForkedJvm.Denied :+ limit)
    assertEquals((result.last, result.exit), ("all good", 0), result.output)
end IdleMemoryTest

/** Threads that a program waits for. */
object OtherThread:
  def run(body: ExecutorService => Unit): Unit =
    val executor = Executors.newSingleThreadExecutor()
    try body(executor)
    finally executor.shutdown()

  extension (executor: ExecutorService)
    def get[A](body: => A): A =
      val task: Callable[A] = () => body
      executor.submit(task).get(60, TimeUnit.SECONDS)

/** Closes a region and allocates in another thread at once; with the argument `trim`, that thread
  * trims the ledger first.
  */
object Quarantined:
  import OtherThread.get

  private val Rounds = 200
  private val QuarantineNanos = 1_000_000L
  private val BlockBytes = 128.KiB

  private def allocated(trims: Boolean): (Long, Long) =
    if trims then Ledger.trim()
    val region = Region.shared()
    val offset = region.allocateBlock(BlockBytes, 8).offset
    val time = System.nanoTime
    region.close()
    (offset, time)

  def main(args: Array[String]): Unit =
    val trims = args.contains("trim")
    var quickRounds = 0
    OtherThread.run: thread =>
      for round <- 1 to Rounds do
        val region = Region.shared()
        val offset = region.allocateBlock(BlockBytes, 8).offset
        val start = System.nanoTime
        region.close()
        val (other, time) = thread.get(allocated(trims))
        if time - start < QuarantineNanos then
          quickRounds += 1
          val isReused = Math.abs(other - offset) < BlockBytes
          assert(!isReused, s"round $round: reused after ${time - start} ns")
    assert(trims || quickRounds > 0, "no round was quick enough")
    println("all good")
end Quarantined

/** Fills most of 64 MiB, frees every second block, and allocates as much in another thread. */
object IdleSpans:
  import OtherThread.get

  // A chunk of 32 pages has two pages more, so that free spans have pages that were never used.
  private val BlockBytes = 30 * 64.KiB
  private val Blocks = 34

  private def block(): Region =
    val region = Region.shared()
    region.allocateBlock(BlockBytes, 8): Unit
    region

  def main(args: Array[String]): Unit =
    val regions = Vector.fill(Blocks)(block())
    for i <- regions.indices by 2 do regions(i).close()
    OtherThread.run: thread =>
      val again = thread.get(Vector.fill(Blocks / 2)(block()))
      again.foreach(_.close())
    for i <- 1 until Blocks by 2 do regions(i).close()
    println("all good")
end IdleSpans
