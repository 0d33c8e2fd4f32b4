package undercroft.lab.bench

// How much does a lookup of a text cost in a StructMap, beside a HashMap of Strings?

import java.lang.foreign.MemorySegment
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{HashMap, SplittableRandom}
import org.openjdk.jmh.annotations.*
import undercroft.memory.{Ledger, Region}
import undercroft.struct.*

/** Maps from texts of 8 to 15 letters and digits to Long. `get` looks up every key in another order
  * than that of insertion, by Strings that are not those in the map, or by the bytes of lines, as a
  * parser has them. A result is for all keys.
  */
@State(Scope.Thread)
class MapText extends Measured:
  @Param(Array("10000", "1000000")) var entries = 0

  private var lookups: Array[String] = scala.compiletime.uninitialized
  private var bytes: Array[Byte] = scala.compiletime.uninitialized
  private var lines: MemorySegment = scala.compiletime.uninitialized
  private var ends: Array[Int] = scala.compiletime.uninitialized
  private var region: Region = scala.compiletime.uninitialized
  private var offHeap: StructMap[Text[16], Long] = scala.compiletime.uninitialized
  private var hashMap: HashMap[String, Long] = scala.compiletime.uninitialized

  /** The bytes that each map holds, with its keys. */
  var (offHeapBytes, heapBytes) = (0L, 0L)

  private def key(i: Int): String = s"order-${i * 7919L}"

  @Setup def fill(): Unit =
    val random = SplittableRandom(1)
    lookups = Array.tabulate(entries)(key)
    for i <- entries - 1 to 1 by -1 do
      val k = random.nextInt(i + 1)
      val lookup = lookups(i)
      lookups(i) = lookups(k)
      lookups(k) = lookup
    ends = lookups.scanLeft(0)((end, key) => end + key.length)
    bytes = lookups.mkString.getBytes(UTF_8)
    lines = MemorySegment.ofArray(bytes)
    region = Region.shared()
    val offHeapBefore = Ledger.report().liveBytes
    offHeap = StructMap[Text[16], Long]()(using region)
    for i <- 0 until entries do offHeap(Text[16](key(i))) = i.toLong
    offHeapBytes = Ledger.report().liveBytes - offHeapBefore
    val heapBefore = MapMemory.usedHeap()
    hashMap = HashMap[String, Long]()
    for i <- 0 until entries do hashMap.put(key(i), i.toLong)
    heapBytes = MapMemory.usedHeap() - heapBefore
  end fill
  @TearDown def free(): Unit = region.close()

  @Benchmark def getOurs(held: Held): Long =
    held.heldBytes = offHeapBytes
    var sum = 0L
    var i = 0
    while i < lookups.length do
      sum += offHeap.getOrElse(Text[16](lookups(i)), 0L)
      i += 1
    sum

  @Benchmark def getBytes(): Long =
    var sum = 0L
    var i = 0
    while i < lookups.length do
      sum += offHeap.getOrElse(Text[16](lines, ends(i), ends(i + 1)), 0L)
      i += 1
    sum

  @Benchmark def getHashMap(held: Held): Long =
    held.heldBytes = heapBytes
    var sum = 0L
    var i = 0
    while i < lookups.length do
      sum += hashMap.get(lookups(i))
      i += 1
    sum

  /** By a String of each key's bytes. */
  @Benchmark def getHashMapOfBytes(): Long =
    var sum = 0L
    var i = 0
    while i < lookups.length do
      sum += hashMap.get(String(bytes, ends(i), ends(i + 1) - ends(i), UTF_8))
      i += 1
    sum
end MapText
