package undercroft.lab.bench

// How much do a lookup and an entry cost in a StructMap, beside the maps that Scala and Java have?

import com.carrotsearch.hppc.LongLongHashMap
import java.util.{HashMap, SplittableRandom}
import org.agrona.collections.Long2LongHashMap
import org.openjdk.jmh.annotations.*
import scala.collection.mutable
import undercroft.memory.Region
import undercroft.struct.*

/** Maps from Long to Long. `get` looks up every key, in another order than that of insertion; `put`
  * inserts them all into a map that starts small. A result is for all keys.
  */
@State(Scope.Thread)
class MapAccess extends Measured:
  @Param(Array("10000", "1000000")) var entries = 0

  private var keys: Array[Long] = scala.compiletime.uninitialized
  private var order: Array[Long] = scala.compiletime.uninitialized
  private var region: Region = scala.compiletime.uninitialized
  private var offHeap: StructMap[Long, Long] = scala.compiletime.uninitialized
  private var longMap: mutable.LongMap[Long] = scala.compiletime.uninitialized
  private var hashMap: HashMap[Long, Long] = scala.compiletime.uninitialized
  private var agrona: Long2LongHashMap = scala.compiletime.uninitialized
  private var hppc: LongLongHashMap = scala.compiletime.uninitialized

  @Setup def fill(): Unit =
    val random = SplittableRandom(1)
    keys = Array.fill(entries)(random.nextLong())
    order = keys.clone
    for i <- entries - 1 to 1 by -1 do
      val k = random.nextInt(i + 1)
      val key = order(i)
      order(i) = order(k)
      order(k) = key
    region = Region.shared()
    offHeap = structMap(region)
    longMap = filledLongMap()
    hashMap = filledHashMap()
    agrona = filledAgrona()
    hppc = filledHppc()
  @TearDown def free(): Unit = region.close()

  private def structMap(region: Region): StructMap[Long, Long] =
    val map = StructMap[Long, Long]()(using region)
    var i = 0
    while i < keys.length do
      map(keys(i)) = i.toLong
      i += 1
    map

  private def filledLongMap(): mutable.LongMap[Long] =
    val map = mutable.LongMap.empty[Long]
    var i = 0
    while i < keys.length do
      map(keys(i)) = i.toLong
      i += 1
    map

  private def filledHashMap(): HashMap[Long, Long] =
    val map = HashMap[Long, Long]()
    var i = 0
    while i < keys.length do
      map.put(keys(i), i.toLong)
      i += 1
    map

  private def filledAgrona(): Long2LongHashMap =
    val map = Long2LongHashMap(-1L)
    var i = 0
    while i < keys.length do
      map.put(keys(i), i.toLong)
      i += 1
    map

  private def filledHppc(): LongLongHashMap =
    val map = LongLongHashMap()
    var i = 0
    while i < keys.length do
      map.put(keys(i), i.toLong)
      i += 1
    map

  @Benchmark def getOurs(): Long =
    var sum = 0L
    var i = 0
    while i < order.length do
      sum += offHeap.getOrElse(order(i), 0L)
      i += 1
    sum

  @Benchmark def getLongMap(): Long =
    var sum = 0L
    var i = 0
    while i < order.length do
      sum += longMap.getOrElse(order(i), 0L)
      i += 1
    sum

  @Benchmark def getHashMap(): Long =
    var sum = 0L
    var i = 0
    while i < order.length do
      sum += hashMap.get(order(i))
      i += 1
    sum

  @Benchmark def getAgrona(): Long =
    var sum = 0L
    var i = 0
    while i < order.length do
      sum += agrona.get(order(i))
      i += 1
    sum

  @Benchmark def getHppc(): Long =
    var sum = 0L
    var i = 0
    while i < order.length do
      sum += hppc.get(order(i))
      i += 1
    sum

  @Benchmark def putOurs(): Long = Region.scoped(structMap(Region.current).size)
  @Benchmark def putLongMap(): Long = filledLongMap().size.toLong
  @Benchmark def putHashMap(): Long = filledHashMap().size.toLong
  @Benchmark def putAgrona(): Long = filledAgrona().size.toLong
  @Benchmark def putHppc(): Long = filledHppc().size.toLong
end MapAccess
