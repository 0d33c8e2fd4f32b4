package outside.memory

import java.util.concurrent.{Callable, CyclicBarrier, Executors, ExecutorService, TimeUnit}
import scala.util.{Random, Try}
import undercroft.memory.*

/** Blocks of Malloc that are freed by another thread than the one that allocated them. */
class RemoteFreeTest extends undercroft.tools.Suite:

  /** A thread that lives until the end of a test, but does nothing between its tasks. */
  private final class Worker extends AutoCloseable:
    private val executor: ExecutorService = Executors.newSingleThreadExecutor()
    def apply[A](task: => A): A =
      val callable: Callable[A] = () => task
      executor.submit(callable).get(60, TimeUnit.SECONDS)
    def start(task: => Unit): java.util.concurrent.Future[?] =
      executor.submit((() => task): Runnable)
    def close(): Unit =
      executor.shutdown()
      assert(executor.awaitTermination(60, TimeUnit.SECONDS))

  private def withWorkers[A](body: (Worker, Worker) => A): A =
    scala.util.Using.resources(Worker(), Worker())(body)

  /** The row of Malloc, which the ledger has once it was used. */
  private def malloc: Ledger.Row =
    Ledger.report().rows.find(_.name == "Malloc").getOrElse(Ledger.Row("Malloc", 0, 0, 0, 0))

  /** Runs `body`, after which as many blocks must be live as before. */
  private def leavingNoBlock(body: => Unit): Unit =
    val before = malloc.liveCount
    body
    assertEquals(malloc.liveCount, before)

  for bytes <- Seq(1, 100, 1000, 16_000) do
    test(s"blocks of $bytes bytes that another thread frees are returned while their thread idles"):
      withWorkers: (allocating, freeing) =>
        leavingNoBlock:
          val before = malloc.liveBytes
          val blocks =
            allocating(Array.fill(40_000_000 / (bytes + 800))(Malloc.allocateBlock(bytes, 8)))
          val full = malloc.liveBytes
          freeing(Random(7).shuffle(blocks.toSeq).foreach(Malloc.free))
          assert(full > before + 2_000_000, s"$before, $full")
          assert(malloc.liveBytes <= before + (1 << 20), s"$before, $full, ${malloc.liveBytes}")

  test("a thread reuses the blocks that another one has freed in its full pages"):
    withWorkers: (allocating, freeing) =>
      leavingNoBlock:
        val blocks = allocating(Array.fill(50_000)(Malloc.allocateBlock(200, 8)))
        val (kept, freed) = blocks.zipWithIndex.partition((_, i) => i % 50 == 0)
        freeing(freed.foreach((block, _) => Malloc.free(block)))
        val before = malloc.liveBytes
        val again = allocating(Array.fill(freed.length)(Malloc.allocateBlock(200, 8)))
        assert(malloc.liveBytes <= before + 2.MiB, s"$before, ${malloc.liveBytes}")
        allocating((again ++ kept.map(_._1)).foreach(Malloc.free))

  test("a block in a page that another thread has emptied cannot be freed again"):
    withWorkers: (allocating, freeing) =>
      leavingNoBlock:
        val blocks = allocating(Array.fill(5000)(Malloc.allocateBlock(500, 8)))
        freeing(blocks.foreach(Malloc.free))
        for worker <- Seq(allocating, freeing); block <- blocks do
          worker(intercept[InvalidFreeException](Malloc.free(block))): Unit

  test("of two threads that free the blocks of full pages, one frees each"):
    withWorkers: (allocating, freeing) =>
      leavingNoBlock:
        for round <- 1 to 30 do
          val races = Malloc.doubleFreeRaces
          val blocks = allocating(Array.fill(3000)(Malloc.allocateBlock(400, 8)))
          val barrier = CyclicBarrier(2)
          val counts = Array(0, 0)
          def freeAll(index: Int, order: Array[Address]): Unit =
            barrier.await(60, TimeUnit.SECONDS): Unit
            for block <- order do if Try(Malloc.free(block)).isSuccess then counts(index) += 1
          val both = Seq(
            allocating.start(freeAll(0, blocks)),
            freeing.start(freeAll(1, if round % 2 == 0 then blocks else blocks.reverse))
          )
          both.foreach(_.get(60, TimeUnit.SECONDS))
          val late = allocating:
            // The owner detects races of attached pages when it needs another page.
            val more = Array.fill(3000)(Malloc.allocateBlock(400, 8))
            more.foreach(Malloc.free)
            Malloc.doubleFreeRaces - races
          assertEquals(counts.sum.toLong, blocks.length + late, s"round $round")
end RemoteFreeTest
