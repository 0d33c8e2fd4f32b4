package undercroft.lab.bench

// How much does it cost if one call site reads segments of the heap and of native memory?

import java.lang.foreign.MemorySegment
import org.openjdk.jmh.annotations.*

/** Two segments of 1 024 Longs are summed by one method, whose profile contains both kinds. */
@State(Scope.Thread)
class MixedSegments extends Measured:
  import MixedSegments.*
  private var base = 0L
  private var first = MemorySegment.NULL.nn
  private var second = MemorySegment.NULL.nn
  private val heap = MemorySegment.ofArray(Array.tabulate(count)(_.toLong)).nn

  @Setup def open(): Unit =
    base = LibC.map(2 * bytes, huge = false)
    first = LibC.segment(base, bytes)
    second = LibC.segment(base + bytes, bytes)
    for i <- 0 until count do
      Raw.unsafe.putLong(base + i * 8L, i)
      Raw.unsafe.putLong(base + bytes + i * 8L, i)

  @TearDown def close(): Unit = LibC.unmap(base, 2 * bytes)

  @Benchmark def ffmOneKind(): Long = sum(first) + sum(second)

  @Benchmark def ffmTwoKinds(): Long = sum(first) + sum(heap)
end MixedSegments

object MixedSegments:
  final val count = 1024
  final val bytes = count * 8L

  private def sum(in: MemorySegment): Long =
    var i = 0
    var sum = 0L
    while i < count do
      sum += in.getAtIndex(Raw.long, i)
      i += 1
    sum
end MixedSegments
