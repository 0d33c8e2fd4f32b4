package undercroft.lab.bench

// How much does it cost to add one to every element in place, in cache and in memory?

import java.lang.foreign.MemorySegment
import undercroft.memory.Region
import undercroft.struct.*
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
  private var ints = MemorySegment.NULL.nn
  private var longs = MemorySegment.NULL.nn

  private val region = Region.shared()
  private given Region = region
  private var rows = Rows[Trade](0)
  private var intColumn = Columns[OneInt](0)
  private var longColumn = Columns[OneLong](0)

  @Setup def open(): Unit =
    heapInts = new Array[Int](elements)
    heapLongs = new Array[Long](elements)
    bytes = elements * 16L
    base = LibC.map(bytes, huge = false)
    Raw.unsafe.setMemory(base, bytes, 0)
    segment = LibC.segment(base, bytes)
    ints = LibC.segment(base, elements * 4L)
    longs = LibC.segment(base, elements * 8L)

    rows = Rows[Trade](elements)
    intColumn = Columns[OneInt](elements)
    longColumn = Columns[OneLong](elements)

  @TearDown def close(): Unit =
    LibC.unmap(base, bytes)
    region.close()

  @Benchmark def intsHeap(): Int =
    val (in, n) = (heapInts, elements)
    var i = 0
    while i < n do
      in(i) += 1
      i += 1
    in(n - 1)

  @Benchmark def intsUnsafe(): Int =
    val (start, n) = (base, elements)
    var i = 0
    while i < n do
      val at = start + i * 4L
      Raw.unsafe.putInt(at, Raw.unsafe.getInt(at) + 1)
      i += 1
    Raw.unsafe.getInt(start + (n - 1) * 4L)

  @Benchmark def intsFfm(): Int =
    val (in, n) = (ints, elements)
    var i = 0
    while i < n do
      in.setAtIndex(Raw.int, i, in.getAtIndex(Raw.int, i) + 1)
      i += 1
    in.getAtIndex(Raw.int, n - 1)

  @Benchmark def longsHeap(): Long =
    val (in, n) = (heapLongs, elements)
    var i = 0
    while i < n do
      in(i) += 1
      i += 1
    in(n - 1)

  @Benchmark def longsUnsafe(): Long =
    val (start, n) = (base, elements)
    var i = 0
    while i < n do
      val at = start + i * 8L
      Raw.unsafe.putLong(at, Raw.unsafe.getLong(at) + 1)
      i += 1
    Raw.unsafe.getLong(start + (n - 1) * 8L)

  @Benchmark def longsFfm(): Long =
    val (in, n) = (longs, elements)
    var i = 0
    while i < n do
      in.setAtIndex(Raw.long, i, in.getAtIndex(Raw.long, i) + 1)
      i += 1
    in.getAtIndex(Raw.long, n - 1)

  /** Bounded again before the loop, as in code that holds an address. */
  @Benchmark def longsFfmRebound(): Long =
    val (in, n) = (LibC.segment(base, elements * 8L), elements)
    var i = 0
    while i < n do
      in.setAtIndex(Raw.long, i, in.getAtIndex(Raw.long, i) + 1)
      i += 1
    in.getAtIndex(Raw.long, n - 1)

  /** As longsFfm, by a Long index. */
  @Benchmark def longsFfmLongIndex(): Long =
    val (in, n) = (longs, elements.toLong)
    var i = 0L
    while i < n do
      in.setAtIndex(Raw.long, i, in.getAtIndex(Raw.long, i) + 1)
      i += 1
    in.getAtIndex(Raw.long, n - 1)

  /** Through the segment of all memory, by addresses. */
  @Benchmark def longsFfmAllMemory(): Long =
    val (start, n) = (base, elements)
    var i = 0
    while i < n do
      val at = start + i * 8L
      Raw.memory.set(Raw.long, at, Raw.memory.get(Raw.long, at) + 1)
      i += 1
    Raw.memory.get(Raw.long, start + (n - 1) * 8L)

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

  @Benchmark def intsColumn(): Int =
    intColumn.updateAll(_.value)(_ + 1)
    intColumn(elements - 1).value

  @Benchmark def longsColumn(): Long =
    longColumn.updateAll(_.value)(_ + 1)
    longColumn(elements - 1).value

  @Benchmark def structsRows(): Int =
    rows.updateAll(_.price)(_ + 1)
    rows(elements - 1).price
end InPlaceLoop

/** A column of Ints. */
final case class OneInt(value: Int) derives Struct

/** A column of Longs. */
final case class OneLong(value: Long) derives Struct
