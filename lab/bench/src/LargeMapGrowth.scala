package undercroft.lab.bench

// Does any entry of a map that grows large take long by itself, and not by the system's doing?

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*
import undercroft.memory.Region
import undercroft.struct.*

/** Enters keys in a map from Long to Long that starts small, some times over, and times each entry
  * from `First` on. What the system interrupts it does at other entries each time: so of the
  * longest times of each few thousand entries the shortest of all growths counts, and of these the
  * longest.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
class LargeMapGrowth extends Measured:
  @Param(Array("30000000")) var entries = 0

  @Benchmark def ours(recurring: Recurring): Long =
    val least = Array.fill(entries / LargeMapGrowth.Few + 1)(Long.MaxValue)
    var sizes = 0L
    for _ <- 1 to LargeMapGrowth.Times do sizes += Region.scoped(grown(least, recurring))
    recurring.recurringNanos = least.filter(_ < Long.MaxValue).max.toDouble
    sizes

  private def grown(least: Array[Long], recurring: Recurring)(using Region): Long =
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
          least(window) = least(window).min(longest)
          recurring.longestNanos = recurring.longestNanos.max(longest.toDouble)
          longest = 0
      i += 1
    map.size
  end grown
end LargeMapGrowth

object LargeMapGrowth:
  /** Growths of a map. */
  final val Times = 5

  /** The entry from which on each is timed. */
  final val First = 1_000_000

  /** Entries of which the longest counts. */
  final val Few = 4096

/** The longest of many operations, and of those that are long each time, for the lab to read. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class Recurring:
  var longestNanos: Double = 0
  var recurringNanos: Double = 0
