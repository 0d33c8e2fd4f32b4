package undercroft.lab.bench

// How often does a pool serve a take, and how often do threads meet in it?

import java.util.concurrent.{ArrayBlockingQueue, CountDownLatch}
import undercroft.buffer.{Buffer, Segment, SegmentPool}

/** Prints a table of hits and lost races by pool, workload and number of threads, from the pools'
  * own books: `./mill lab.bench.runMain undercroft.lab.bench.PoolBooks`. It measures no time.
  *
  * Pools are given the same bytes in all, 16 times [[SegmentPool.StripeBytes]], and again what they
  * have by default.
  */
object PoolBooks:
  private val all = 16 * SegmentPool.StripeBytes
  private val pools: Seq[(String, () => SegmentPool)] = Seq(
    "synchronized" -> (() => SegmentPool.synchronizedPool()),
    "synchronized, 1 MiB" -> (() => SegmentPool.synchronizedPool(idleLimitBytes = all)),
    "lock-free" -> (() => SegmentPool.lockFree()),
    "lock-free, 1 MiB" -> (() => SegmentPool.lockFree(idleLimitBytes = all)),
    "striped by 16, 1 MiB" -> (() => SegmentPool.striped(stripes = 16)),
    "per processor" -> (() => SegmentPool.perProcessor()),
    "per processor, 1 MiB" -> (() =>
      SegmentPool.perProcessor(bytesPerStripe = all / SegmentPool.defaultStripes)
    )
  )

  private val rounds = 20_000

  private val workloads: Seq[(String, (SegmentPool, Int) => Unit)] = Seq(
    "pairs" -> ((pool, threads) =>
      together(threads)(_ => for _ <- 1 to rounds / threads do pool.recycle(pool.take()))
    ),
    "lines" -> ((pool, threads) =>
      together(threads): _ =>
        val (one, other) = (Buffer(using pool), Buffer(using pool))
        for _ <- 1 to rounds / 300 / threads do
          for _ <- 1 to 300 do one.writeUtf8(LinesShuffled.line).writeByte('\n'): Unit
          while !one.exhausted do other.writeUtf8(one.readUtf8Line().nn): Unit
          other.clear()
    ),
    "handed over" -> ((pool, threads) =>
      val queues = Vector.fill((threads + 1) / 2)(ArrayBlockingQueue[Segment](64))
      val each = rounds / threads
      together(if threads == 1 then 2 else threads): index =>
        val queue = queues(index / 2)
        if index % 2 == 0 then for _ <- 1 to each do queue.put(pool.take())
        else for _ <- 1 to each do pool.recycle(queue.take().nn)
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

  /** Hits of a hundred takes, and lost races of a thousand takes and returns. */
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
        pool.assertAllHome()
        val found = books(pool)
        f"${found.hits}%.1f %%, ${found.lost}%.1f"
      s"| $name | $workload | ${cells.mkString(" | ")} |"

  def main(args: Array[String]): Unit =
    val c = Runtime.getRuntime.availableProcessors
    val counts = Seq(1, 2, c, 2 * c, 8 * c, 64).distinct.sorted
    println(s"| pool | workload | ${counts.map(n => s"$n threads").mkString(" | ")} |")
    println(s"|---|---|${counts.map(_ => "---:").mkString("|")}|")
    rows(counts).foreach(println)
    println("\nHits of the takes, and lost races of a thousand takes and returns.")
end PoolBooks
