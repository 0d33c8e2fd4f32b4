package undercroft.lab.bench

// How much do a lookup, a neighbour, an entry and a loop cost in order, beside Java's TreeMap?

import java.util.{SplittableRandom, TreeMap}
import org.openjdk.jmh.annotations.*
import undercroft.memory.Region
import undercroft.struct.*

/** Maps from Long to Long in the order of their keys, which are entered at random. `get` looks up
  * every key, `floor` the next smaller one of a number between keys, `put` enters all keys in a new
  * map, `window` adds a key above all others and removes the first one, `loop` sums all values. A
  * result is for all keys.
  */
@State(Scope.Thread)
class OrderedMaps extends Measured:
  @Param(Array("1000", "1000000")) var entries = 0

  private var keys: Array[Long] = Array()
  private var region: Region = scala.compiletime.uninitialized
  private var ours: StructTreeMap[Long, Long] = scala.compiletime.uninitialized
  private var java: TreeMap[Long, Long] = scala.compiletime.uninitialized
  private var next = 0L

  @Setup def fill(): Unit =
    val random = SplittableRandom(1)
    keys = Array.fill(entries)(random.nextLong() >>> 16)
    region = Region.shared()
    ours = structTreeMap(region)
    java = treeMap()
    next = 1L << 50
  @TearDown def free(): Unit = region.close()

  private def structTreeMap(region: Region): StructTreeMap[Long, Long] =
    val map = StructTreeMap[Long, Long]()(using region)
    var i = 0
    while i < keys.length do
      map(keys(i)) = i.toLong
      i += 1
    map

  private def treeMap(): TreeMap[Long, Long] =
    val map = TreeMap[Long, Long]()
    var i = 0
    while i < keys.length do
      map.put(keys(i), i.toLong)
      i += 1
    map

  private inline def sum(inline term: Long => Long): Long =
    var total = 0L
    var i = 0
    while i < keys.length do
      total += term(keys(i))
      i += 1
    total

  @Benchmark def getOurs(): Long = sum(ours(_))
  @Benchmark def getTreeMap(): Long = sum(java.get(_))

  @Benchmark def floorOurs(): Long = sum(key => ours.floorKey(key - 1, 0))
  @Benchmark def floorTreeMap(): Long = sum: key =>
    val floor = java.floorEntry(key - 1)
    if floor == null then 0 else floor.nn.getKey

  @Benchmark def putOurs(): Long = Region.scoped(structTreeMap(Region.current).size)
  @Benchmark def putTreeMap(): Long = treeMap().size

  /** A sliding window: each call moves it by its length. */
  @Benchmark def windowOurs(): Long = sum: _ =>
    next += 1
    ours(next) = next
    val first = ours.firstKey
    ours.remove(first): Unit
    first
  @Benchmark def windowTreeMap(): Long = sum: _ =>
    next += 1
    java.put(next, next)
    java.pollFirstEntry().nn.getKey

  @Benchmark def loopOurs(): Long =
    var total = 0L
    ours.foreach((_, value) => total += value)
    total
  @Benchmark def loopTreeMap(): Long =
    var total = 0L
    val entries = java.values.nn.iterator.nn
    while entries.hasNext do total += entries.next()
    total
end OrderedMaps
