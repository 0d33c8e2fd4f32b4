package undercroft.lab.bench

// Does any entry of a map that grows large take long by itself, and not by the system's doing?

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*
import undercroft.memory.Region
import undercroft.struct.*

/** Enters keys in a map from Long to Long that starts small, several times, and times each entry
  * from `First` on. Interruptions by the system hit other entries each time: for each few thousand
  * entries the longest time is taken, then its minimum over all growths, then the maximum of these
  * minima.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
class LargeMapGrowth extends Measured:
  @Param(Array("30000000")) var entries = 0

  @Benchmark def ours(recurring: Recurring): Long =
    val minNanos = Array.fill(entries / LargeMapGrowth.Few + 1)(Long.MaxValue)
    var sizes = 0L
    for _ <- 1 to LargeMapGrowth.Times do sizes += Region.scoped(grown(minNanos, recurring))
    recurring.recurringNanos = minNanos.filter(_ < Long.MaxValue).max.toDouble
    sizes

  private def grown(minNanos: Array[Long], recurring: Recurring)(using Region): Long =
    val map = StructMap[Long, Long]()
    val random = SplittableRandom(1)
    val first = LargeMapGrowth.First.min(entries / 2)
    var longest = 0L
    var i = 0
    while i < entries do
      val key = random.nextLong()
      val before = System.nanoTime
      map(key) = i.toLong
      val nanos = System.nanoTime - before
      if i >= first then
        if nanos > longest then longest = nanos
        if (i + 1) % LargeMapGrowth.Few == 0 then
          val window = i / LargeMapGrowth.Few
          minNanos(window) = minNanos(window).min(longest)
          recurring.longestNanos = recurring.longestNanos.max(longest.toDouble)
          longest = 0
      i += 1
    map.size
  end grown
end LargeMapGrowth

object LargeMapGrowth:
  /** Growths of a map. */
  final val Times = 5

  /** The first entry to be timed. */
  final val First = 1_000_000

  /** Number of entries in a block whose longest time is taken. */
  final val Few = 4096

/** The longest of many operations, and the longest of the repeatably long ones, for the lab to
  * read.
  */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class Recurring:
  var longestNanos: Double = 0
  var recurringNanos: Double = 0
