package undercroft.lab.bench

// How much does a read at a random place cost, from L1 to 8 GiB, with 4 KiB and with huge pages?

import java.lang.foreign.MemorySegment
import org.openjdk.jmh.annotations.*

/** Structs of 16 bytes in `kibibytes` of memory, read through a shuffled array of addresses.
  *
  * The array holds every struct while there are few, and otherwise [[RandomGather.most]] of them,
  * drawn over the whole span; it is read in order, by us and by the rivals alike.
  */
@State(Scope.Thread)
class RandomGather extends Measured:
  import RandomGather.*

  @Param(Array("32", "512", "8192", "131072", "1048576", "8388608")) var kibibytes = 0
  @Param(Array("small", "huge")) var pages = "small"

  private var bytes = 0L
  private var base = 0L
  private var segment = MemorySegment.NULL.nn
  private var offsets = new Array[Long](0)
  private var addresses = new Array[Long](0)

  @Setup def open(): Unit =
    bytes = kibibytes * 1024L
    base = LibC.map(bytes, huge = pages == "huge")
    segment = LibC.segment(base, bytes)
    offsets = drawn(bytes / stride).map(_ * stride)
    addresses = offsets.map(_ + base)
    var i = 0L
    while i < bytes / stride do
      Raw.unsafe.putInt(base + i * stride + 8, i.toInt)
      i += 1

  @TearDown def close(): Unit = LibC.unmap(base, bytes)

  @Benchmark def unsafe(): Long =
    val at = addresses
    var i = 0
    var sum = 0L
    while i < at.length do
      sum += Raw.unsafe.getInt(at(i) + 8)
      i += 1
    sum

  @Benchmark def ffmAllMemory(): Long =
    val at = addresses
    var i = 0
    var sum = 0L
    while i < at.length do
      sum += Raw.memory.get(Raw.int, at(i) + 8)
      i += 1
    sum

  @Benchmark def ffmSegment(): Long =
    val (at, in) = (offsets, segment)
    var i = 0
    var sum = 0L
    while i < at.length do
      sum += in.get(Raw.int, at(i) + 8)
      i += 1
    sum
end RandomGather

object RandomGather:
  final val stride = 16L

  /** Number of random places: far too many for a cache of 32 MiB, few enough for the array. */
  final val most = 4 << 20

  /** Places in `[0, structs)`, the same in every run: all of them shuffled, or `most` drawn. */
  def drawn(structs: Long): Array[Long] =
    val random = java.util.SplittableRandom(20150102)
    if structs > most then Array.fill(most)(random.nextLong(structs))
    else
      val places = Array.tabulate(structs.toInt)(_.toLong)
      var i = places.length - 1
      while i > 0 do
        val j = random.nextInt(i + 1)
        val moved = places(i)
        places(i) = places(j)
        places(j) = moved
        i -= 1
      places
end RandomGather
