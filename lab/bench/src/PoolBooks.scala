package undercroft.lab.bench

import undercroft.buffer.internal.segment.Segment

// How often does a pool serve a take, and how often do threads meet in it?

import java.util.concurrent.{ArrayBlockingQueue, CountDownLatch}
import undercroft.buffer.{Buffer, SegmentPool}

/** Prints a table of hits and lost races by pool, workload and number of threads, from the pools'
  * own counters: `./mill lab.bench.runMain undercroft.lab.bench.PoolBooks`. It measures no time.
  *
  * All pools have the same capacity, 16 times [[SegmentPool.StripeBytes]], and in a second series
  * their default capacity.
  */
object PoolBooks:
  private val idleBytes = 16 * SegmentPool.StripeBytes
  private val pools: Seq[(String, () => SegmentPool)] = Seq(
    "synchronized" -> (() => SegmentPool.synchronizedPool()),
    "synchronized, 1 MiB" -> (() => SegmentPool.synchronizedPool(idleLimitBytes = idleBytes)),
    "lock-free" -> (() => SegmentPool.lockFree()),
    "lock-free, 1 MiB" -> (() => SegmentPool.lockFree(idleLimitBytes = idleBytes)),
    "striped by 16, 1 MiB" -> (() => SegmentPool.striped(stripes = 16)),
    "per processor" -> (() => SegmentPool.perCpu()),
    "per processor, 1 MiB" -> (() =>
      SegmentPool.perCpu(bytesPerStripe = idleBytes / SegmentPool.defaultStripes)
    )
  )

  private val rounds = 20_000

  private val workloads: Seq[(String, (SegmentPool, Int) => Unit)] = Seq(
    "pairs" -> ((pool, threads) =>
      together(threads)(_ => for _ <- 1 to rounds / threads do pool.recycle(pool.take()))
    ),
    "lines" -> ((pool, threads) =>
      together(threads): _ =>
        val (source, target) = (Buffer(using pool), Buffer(using pool))
        for _ <- 1 to rounds / 300 / threads do
          for _ <- 1 to 300 do source.writeUtf8(LinesShuffled.line).writeByte('\n'): Unit
          while !source.exhausted do target.writeUtf8(source.readUtf8Line().nn): Unit
          target.clear()
    ),
    "handed over" -> ((pool, threads) =>
      val queues = Vector.fill((threads + 1) / 2)(ArrayBlockingQueue[Segment](64))
      val perThread = rounds / threads
      together(if threads == 1 then 2 else threads): index =>
        val queue = queues(index / 2)
        if index % 2 == 0 then for _ <- 1 to perThread do queue.put(pool.take())
        else for _ <- 1 to perThread do pool.recycle(queue.take().nn)
    )
  )

  private def together(threads: Int)(work: Int => Unit): Unit =
    val start = CountDownLatch(1)
    val crew = (0 until threads).map: index =>
      Thread.ofPlatform.start: () =>
        start.await()
        work(index)
    start.countDown()
    crew.foreach(_.join())

  /** Hits per hundred takes, and lost races per thousand takes and returns. */
  def books(pool: SegmentPool): (hits: Double, lost: Double) =
    val metrics = pool.metrics
    val takes = metrics.hits + metrics.misses
    (hits = 100.0 * metrics.hits / takes, lost = 500.0 * metrics.lostRaces / takes)

  def rows(counts: Seq[Int]): Seq[String] =
    for (name, make) <- pools; (workload, run) <- workloads
    yield
      val cells = counts.map: threads =>
        val pool = make()
        run(pool, threads)
        pool.assertNoLeaks()
        val rates = books(pool)
        f"${rates.hits}%.1f %%, ${rates.lost}%.1f"
      s"| $name | $workload | ${cells.mkString(" | ")} |"

  def main(args: Array[String]): Unit =
    val c = Runtime.getRuntime.availableProcessors
    val counts = Seq(1, 2, c, 2 * c, 8 * c, 64).distinct.sorted
    println(s"| pool | workload | ${counts.map(n => s"$n threads").mkString(" | ")} |")
    println(s"|---|---|${counts.map(_ => "---:").mkString("|")}|")
    rows(counts).foreach(println)
    println("\nHits of the takes, and lost races of a thousand takes and returns.")
end PoolBooks
