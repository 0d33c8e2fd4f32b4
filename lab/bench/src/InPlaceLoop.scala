package undercroft.lab.bench

// What does it cost to add one to every element in place, in cache and in memory?

import java.lang.foreign.MemorySegment
import org.openjdk.jmh.annotations.*

/** Arrays of Int, of Long, and the price of 16-byte structs; `elements` of each. */
@State(Scope.Thread)
class InPlaceLoop extends Measured:
  @Param(Array("10000", "20000000")) var elements = 0

  private var heapInts = new Array[Int](0)
  private var heapLongs = new Array[Long](0)
  private var base = 0L
  private var bytes = 0L
  private var segment = MemorySegment.NULL.nn

  @Setup def open(): Unit =
    heapInts = new Array[Int](elements)
    heapLongs = new Array[Long](elements)
    bytes = elements * 16L
    base = LibC.map(bytes, huge = false)
    Raw.unsafe.setMemory(base, bytes, 0)
    segment = LibC.segment(base, bytes)

  @TearDown def close(): Unit = LibC.unmap(base, bytes)

  @Benchmark def intsHeap(): Int =
    val (ints, n) = (heapInts, elements)
    var i = 0
    while i < n do
      ints(i) += 1
      i += 1
    ints(n - 1)

  @Benchmark def intsUnsafe(): Int =
    val (start, n) = (base, elements)
    var i = 0
    while i < n do
      val at = start + i * 4L
      Raw.unsafe.putInt(at, Raw.unsafe.getInt(at) + 1)
      i += 1
    Raw.unsafe.getInt(start + (n - 1) * 4L)

  @Benchmark def intsFfm(): Int =
    val (ints, n) = (segment.asSlice(0, elements * 4L).nn, elements)
    var i = 0
    while i < n do
      ints.setAtIndex(Raw.int, i, ints.getAtIndex(Raw.int, i) + 1)
      i += 1
    ints.getAtIndex(Raw.int, n - 1)

  @Benchmark def longsHeap(): Long =
    val (longs, n) = (heapLongs, elements)
    var i = 0
    while i < n do
      longs(i) += 1
      i += 1
    longs(n - 1)

  @Benchmark def longsUnsafe(): Long =
    val (start, n) = (base, elements)
    var i = 0
    while i < n do
      val at = start + i * 8L
      Raw.unsafe.putLong(at, Raw.unsafe.getLong(at) + 1)
      i += 1
    Raw.unsafe.getLong(start + (n - 1) * 8L)

  @Benchmark def longsFfm(): Long =
    val (longs, n) = (segment.asSlice(0, elements * 8L).nn, elements)
    var i = 0
    while i < n do
      longs.setAtIndex(Raw.long, i, longs.getAtIndex(Raw.long, i) + 1)
      i += 1
    longs.getAtIndex(Raw.long, n - 1)

  @Benchmark def structsUnsafe(): Int =
    val (start, n) = (base, elements)
    var i = 0
    while i < n do
      val at = start + i * 16L + 8L
      Raw.unsafe.putInt(at, Raw.unsafe.getInt(at) + 1)
      i += 1
    Raw.unsafe.getInt(start + (n - 1) * 16L + 8L)

  @Benchmark def structsFfm(): Int =
    val (structs, n) = (segment, elements)
    var i = 0
    while i < n do
      val at = i * 16L + 8L
      structs.set(Raw.int, at, structs.get(Raw.int, at) + 1)
      i += 1
    structs.get(Raw.int, (n - 1) * 16L + 8L)
end InPlaceLoop
