package undercroft.actor

import internal.observe.{DurationBuckets, SystemDurations}
import scala.util.Random

class DurationHistogramTest extends undercroft.tools.Suite:

  private val edges: Vector[Long] =
    (0 until 63).flatMap(power => List(-1L, 0L, 1L).map((1L << power) + _)).toVector ++
      Vector(Long.MaxValue, 1_000L, 999_999_999L, 1_000_000_000L, 1_000_000_001L)

  /** Durations of all magnitudes. */
  private def durations(random: Random, count: Int): Vector[Long] =
    edges ++ Vector.fill(count)(math.abs(random.nextLong()) >>> random.nextInt(63))

  private def snapshot(all: Iterable[Long]): HandlerDurations =
    val recorded = SystemDurations()
    all.foreach(recorded.add)
    recorded.snapshot

  test("each duration is within the bounds of its bucket"):
    val seed = System.nanoTime
    for nanos <- durations(Random(seed), 100_000) do
      val at = DurationBuckets.indexOf(nanos)
      val value = math.max(1L, nanos) * 1e-9
      assert(0 <= at && at < DurationBuckets.Count, s"$at of $nanos, seed $seed")
      val (lower, upper) =
        (DurationBuckets.upperNanos(at - 1) * 1e-9, DurationBuckets.upperNanos(at) * 1e-9)
      val slack = 1e-12 // of the product with 1e-9 and of the power
      assert(lower * (1 - slack) < value && value <= upper * (1 + slack), s"$nanos, seed $seed")
      val error = math.abs(DurationBuckets.middleNanos(at) * 1e-9 - value) / value
      assert(error <= HandlerDurations.RelativeError + slack, s"$error of $nanos, seed $seed")

  test("a longer duration has no earlier bucket, and no bucket is out of reach"):
    val positions = durations(Random(1), 200_000).sorted.map(DurationBuckets.indexOf)
    assertEquals(positions, positions.sorted)
    // From 12 ns on, each bucket contains a whole number of nanoseconds.
    val least = DurationBuckets.indexOf(12)
    for at <- least until DurationBuckets.indexOf(Long.MaxValue) do
      val nanos = math.floor(DurationBuckets.upperNanos(at) * (1 - 1e-12)).toLong
      assertEquals(DurationBuckets.indexOf(nanos), at, s"$nanos")

  test("count, sum and maximum are exact, and quantiles have the stated error"):
    val seed = System.nanoTime
    val random = Random(seed)
    for round <- 1 to 200 do
      val all = Vector.fill(1 + random.nextInt(2000))(1 + (random.nextLong() >>> 1) % (1L << 40))
      val result = snapshot(all)
      assertEquals(
        (result.count, result.sumNanos, result.maxNanos),
        (all.size.toLong, all.sum, all.max),
        s"seed $seed"
      )
      assertEquals(result.quantile(1), all.max)
      val sorted = all.sorted
      for q <- List(0, 0.001, 0.5, 0.9, 0.99, 0.999) do
        val exact = sorted(math.max(1, math.ceil(q * all.size).toInt) - 1)
        val allowed = exact * HandlerDurations.RelativeError + 0.5
        val found = result.quantile(q)
        assert(math.abs(found - exact) <= allowed, s"$found for $exact at $q, seed $seed, $round")

  test("the difference of two snapshots has the later durations only"):
    val earlier = snapshot(List(5L, 1_000_000_000L))
    val later = snapshot(List(5L, 1_000_000_000L, 100L, 200L))
    val recent = later.since(earlier)
    assertEquals((recent.count, recent.sumNanos), (2L, 300L))
    // The maximum is the upper bound of the bucket of 200 ns.
    assert(200 <= recent.maxNanos && recent.maxNanos <= 219, s"${recent.maxNanos}")
    assertEquals(snapshot(List(5L, 9L)).since(snapshot(List(5L))).maxNanos, 9L)
    assertEquals(later.since(later).count, 0L)
    assertEquals(later.since(later).maxNanos, 0L)

  test("concurrent records lose nothing, also those of threads that have ended"):
    val all = SystemDurations()
    val (threads, each) = (100, 4_000)
    val writers = Vector.tabulate(threads): i =>
      Thread.ofPlatform.start: () =>
        for n <- 1 to each do all.add(n + i)
    while writers.exists(_.isAlive) do assert(all.snapshot.count <= threads * each)
    writers.foreach(_.join())
    val result = all.snapshot
    assertEquals(result.count, threads.toLong * each)
    val sum = each.toLong * (each + 1) / 2
    assertEquals(result.sumNanos, threads * sum + each.toLong * (0 until threads).sum)
    assertEquals(result.maxNanos, each + threads - 1L)
end DurationHistogramTest
