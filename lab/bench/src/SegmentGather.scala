package undercroft.lab.bench

// How much does a read at a random place cost if each struct has a MemorySegment of its own?

import java.lang.foreign.MemorySegment
import org.openjdk.jmh.annotations.*

/** The places of [[RandomGather]], each as an object that knows its bounds. */
@State(Scope.Thread)
class SegmentGather extends Measured:
  @Param(Array("32", "512", "8192", "131072")) var kibibytes = 0

  private var bytes = 0L
  private var base = 0L
  private var structs = new Array[MemorySegment](0)

  @Setup def open(): Unit =
    bytes = kibibytes * 1024L
    base = LibC.map(bytes, huge = false)
    val segment = LibC.segment(base, bytes)
    for i <- 0L until bytes / RandomGather.stride do
      Raw.unsafe.putInt(base + i * RandomGather.stride + 8, i.toInt)
    structs = RandomGather
      .drawn(bytes / RandomGather.stride)
      .map(place => segment.asSlice(place * RandomGather.stride, RandomGather.stride).nn)

  @TearDown def close(): Unit = LibC.unmap(base, bytes)

  @Benchmark def ffmSegmentEach(): Long =
    val in = structs
    var i = 0
    var sum = 0L
    while i < in.length do
      sum += in(i).get(Raw.int, 8)
      i += 1
    sum
end SegmentGather
