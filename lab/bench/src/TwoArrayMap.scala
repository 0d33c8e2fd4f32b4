package undercroft.lab.bench

// How much does it cost to write a function of one Long array into another?

import java.lang.foreign.MemorySegment
import undercroft.memory.Region
import undercroft.struct.*
import org.openjdk.jmh.annotations.*

/** `target(i) = source(i) * 3 + 1` over `elements` Longs; returns the last. */
@State(Scope.Thread)
class TwoArrayMap extends Measured:
  @Param(Array("10000", "10000000")) var elements = 0

  private var heapSource = new Array[Long](0)
  private var heapTarget = new Array[Long](0)
  private var source = 0L
  private var target = 0L
  private var bytes = 0L
  private var from = MemorySegment.NULL.nn
  private var to = MemorySegment.NULL.nn

  private val region = Region.shared()
  private given Region = region
  private var sourceColumn = Columns[OneLong](0)
  private var targetColumn = Columns[OneLong](0)

  @Setup def open(): Unit =
    bytes = elements * 8L
    heapSource = Array.tabulate(elements)(_.toLong)
    heapTarget = new Array[Long](elements)
    source = LibC.map(bytes, huge = false)
    target = LibC.map(bytes, huge = false)
    from = LibC.segment(source, bytes)
    to = LibC.segment(target, bytes)
    MemorySegment.copy(heapSource, 0, from, Raw.long, 0, elements)
    sourceColumn = Columns[OneLong](elements)
    targetColumn = Columns[OneLong](elements)
    for i <- 0 until elements do sourceColumn(i) = OneLong(i)

  @TearDown def close(): Unit =
    region.close()
    LibC.unmap(source, bytes)
    LibC.unmap(target, bytes)

  @Benchmark def heap(): Long =
    val (in, out, n) = (heapSource, heapTarget, elements)
    var i = 0
    while i < n do
      out(i) = in(i) * 3 + 1
      i += 1
    out(n - 1)

  @Benchmark def unsafe(): Long =
    val (in, out, n) = (source, target, elements)
    var i = 0
    while i < n do
      Raw.unsafe.putLong(out + i * 8L, Raw.unsafe.getLong(in + i * 8L) * 3 + 1)
      i += 1
    Raw.unsafe.getLong(out + (n - 1) * 8L)

  @Benchmark def ffm(): Long =
    val (in, out, n) = (from, to, elements)
    var i = 0
    while i < n do
      out.setAtIndex(Raw.long, i, in.getAtIndex(Raw.long, i) * 3 + 1)
      i += 1
    out.getAtIndex(Raw.long, n - 1)

  @Benchmark def columns(): Long =
    targetColumn.setFrom(sourceColumn)(cell => OneLong(cell.value * 3 + 1))
    targetColumn(elements - 1).value
end TwoArrayMap
