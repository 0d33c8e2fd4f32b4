package undercroft.lab.bench

// How much memory do maps of boxed numbers hold, and how much ours of the same?

import java.util.concurrent.TimeUnit
import java.util.{HashMap, SplittableRandom, TreeMap}
import org.openjdk.jmh.annotations.*
import undercroft.memory.{Ledger, Region}
import undercroft.struct.*

/** The bytes that a map of `entries` Longs to Longs holds: heap memory after a collection, or
  * off-heap memory of ours. The time is not evaluated.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
class MapMemory extends Measured:
  @Param(Array("2000000")) var entries = 0

  @Benchmark def hashMap(held: Held): Long = onHeap(HashMap[Long, Long](), held)
  @Benchmark def treeMap(held: Held): Long = onHeap(TreeMap[Long, Long](), held)

  private def onHeap(map: => java.util.Map[Long, Long], held: Held): Long =
    val before = MapMemory.usedHeap()
    val filled = map
    val random = SplittableRandom(1)
    for i <- 0 until entries do filled.put(random.nextLong(), i.toLong)
    held.heldBytes = MapMemory.usedHeap() - before
    filled.size.toLong

  @Benchmark def ours(held: Held): Long =
    outside(held):
      val map = StructMap[Long, Long]()
      val random = SplittableRandom(1)
      for i <- 0 until entries do map(random.nextLong()) = i.toLong
      () => map.size

  @Benchmark def orderedOurs(held: Held): Long =
    outside(held):
      val map = StructTreeMap[Long, Long]()
      val random = SplittableRandom(1)
      for i <- 0 until entries do map(random.nextLong()) = i.toLong
      () => map.size

  private def outside(held: Held)(fill: Region ?=> () => Long): Long =
    val before = MapMemory.usedHeap() + Ledger.report().liveBytes
    Region.scoped:
      val size = fill
      held.heldBytes = MapMemory.usedHeap() + Ledger.report().liveBytes - before
      size()
end MapMemory

object MapMemory:
  /** The used heap after a full collection. */
  def usedHeap(): Long =
    System.gc()
    Runtime.getRuntime.totalMemory - Runtime.getRuntime.freeMemory

/** A figure beside the time, for the lab to read. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class Held:
  var heldBytes: Long = 0
