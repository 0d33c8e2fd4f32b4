package undercroft.memory

import internal.alloc.PagePool
import internal.cage.OwnerNames
import internal.cage.Cage
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.atomic.{AtomicIntegerArray, AtomicReference}
import scala.util.Random

/** Threads that take spans from the pool and release them, in seeded random steps. */
class PoolRaceTest extends undercroft.tools.Suite:
  private val Threads = 4
  private val Steps = 3000
  private val HeldAtMost = 8
  private val PagesAtMost = 40

  /** Pages whose generations are used up count as live until their chunk is returned. */
  private def liveBytes = Ledger.report().liveBytes - PagePool.retiredBytes

  private def race(seed: Long)(thread: (Int, Random) => Unit): Unit =
    val failure = AtomicReference[Throwable | Null](null)
    val barrier = CyclicBarrier(Threads)
    val threads = List.tabulate(Threads): index =>
      Thread: () =>
        try
          val _ = barrier.await()
          thread(index, Random(seed + index))
        catch case e: Throwable => failure.set(e)
    threads.foreach(_.start())
    threads.foreach(_.join())
    val e = failure.get
    if e != null then throw AssertionError(s"seed $seed", e)

  for seed <- List(1L, System.nanoTime) do
    test(s"racing threads never take one page twice, and the ledger stays exact, seed $seed"):
      Ledger.trim()
      val before = liveBytes
      val owners = AtomicIntegerArray((Cage.space.range.min(1L << 36) / Cage.PageBytes).toInt)
      race(seed): (index, random) =>
        val spans = scala.collection.mutable.ArrayBuffer[(Long, Int)]()
        def give(): Unit =
          val (bits, pages) = spans.remove(random.nextInt(spans.size))
          for i <- 0 until pages do
            val page = PagePool.page(bits).toInt + i
            assert(owners.compareAndSet(page, index + 1, 0), s"page $page was taken by another")
          PagePool.release(bits, pages, pages, isHuge = false)
        for _ <- 1 to Steps do
          if spans.size == HeldAtMost || (spans.nonEmpty && random.nextBoolean()) then give()
          else
            val pages = 1 + random.nextInt(PagesAtMost)
            val result =
              PagePool.take(pages, wantsHuge = false, OwnerNames.FirstOfRegions, zero = false)
            val bits = result & ~PagePool.AllZero
            for i <- 0 until pages do
              val page = PagePool.page(bits).toInt + i
              assert(owners.compareAndSet(page, 0, index + 1), s"page $page was given out twice")
            spans += bits -> pages
          if random.nextInt(200) == 0 then Ledger.trim()
        while spans.nonEmpty do give()
      assertEquals(liveBytes, before, Ledger.report().show)
      assert((0 until owners.length).forall(owners.get(_) == 0))
  end for

  for seed <- List(2L, System.nanoTime) do
    test(s"racing threads never exceed a budget and release all of its bytes, seed $seed"):
      val budget = Budget("raced", 100)
      race(seed): (_, random) =>
        for _ <- 1 to 20_000 do
          val bytes = 1L + random.nextInt(60)
          if budget.tryHold(bytes) then
            budget.raisePeak()
            assert(budget.liveBytes <= 100 && budget.peakBytes <= 100, budget.peakBytes.toString)
            budget.release(bytes)
      assertEquals(budget.liveBytes, 0L)
end PoolRaceTest
