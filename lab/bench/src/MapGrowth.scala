package undercroft.lab.bench

// How long does the longest of the entries take that make a map grow?

import java.util.{HashMap, SplittableRandom}
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*
import scala.collection.mutable
import undercroft.memory.Region
import undercroft.struct.*

/** Inserts keys into a map from Long to Long that starts small, and times each insertion, in a
  * fresh JVM, so that pauses of the JIT and the collector count, too.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
class MapGrowth extends Measured:
  @Param(Array("5000000")) var entries = 0

  @Benchmark def ours(longest: Longest): Long =
    Region.scoped:
      val map = StructMap[Long, Long]()
      entered(longest)((key, value) => map(key) = value)
      map.size

  @Benchmark def longMap(longest: Longest): Long =
    val map = mutable.LongMap.empty[Long]
    entered(longest)((key, value) => map(key) = value)
    map.size.toLong

  @Benchmark def hashMap(longest: Longest): Long =
    val map = HashMap[Long, Long]()
    entered(longest)((key, value) => map.put(key, value): Unit)
    map.size.toLong

  private inline def entered(longest: Longest)(inline put: (Long, Long) => Unit): Unit =
    val random = SplittableRandom(1)
    var i = 0
    while i < entries do
      val key = random.nextLong()
      val before = System.nanoTime
      put(key, i.toLong)
      longest.add(System.nanoTime - before)
      i += 1
end MapGrowth

/** The longest of many operations, for the lab to read. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class Longest:
  var longestMicros: Double = 0
  var overMillisecond: Long = 0

  def add(nanos: Long): Unit =
    if nanos > 1_000_000 then overMillisecond += 1
    if nanos > longestMicros * 1000 then longestMicros = nanos / 1000.0
end Longest
