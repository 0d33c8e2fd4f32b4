package undercroft.lab.bench

// What does a block outside the heap, or a pooled array, cost beside a new byte array of its size?

import org.openjdk.jmh.annotations.*
import undercroft.buffer.SegmentPool
import undercroft.memory.{Address, Malloc, Region}
import undercroft.memory.unsafe.uninitBlock

/** Our side of [[NewBytes]], with its sizes. A region is opened, gives out
  * [[RegionAllocation.blocks]] blocks and is closed; Malloc and the pool take each block back. A
  * method that says `Uninit` leaves out the zero fill, as the pool of `pooledUninit` does. Each
  * call is one block.
  */
@State(Scope.Thread)
@OperationsPerInvocation(RegionAllocation.blocks)
class NewBlocks extends Measured:
  @Param(Array("1000", "10000", "100000")) var bytes = 0

  private var pool = SegmentPool.none()
  private var wiping = SegmentPool.none()

  @Setup def open(): Unit =
    pool = SegmentPool.striped(bytesPerStripe = 4L * bytes, segmentBytes = bytes)
    wiping = SegmentPool.striped(bytesPerStripe = 4L * bytes, segmentBytes = bytes, wipe = true)

  @Benchmark def region(): Long =
    Region.scoped:
      val region = Region.current
      var i = 0
      var last = Address.Null
      while i < RegionAllocation.blocks do
        last = region.block(bytes, 8)
        i += 1
      last.bits

  @Benchmark def regionUninit(): Long =
    Region.scoped:
      val region = Region.current
      var i = 0
      var last = Address.Null
      while i < RegionAllocation.blocks do
        last = region.uninitBlock(bytes, 8)
        i += 1
      last.bits

  @Benchmark def malloc(): Long =
    var i = 0
    var last = Address.Null
    while i < RegionAllocation.blocks do
      last = Malloc.block(bytes, 8)
      Malloc.free(last)
      i += 1
    last.bits

  @Benchmark def mallocUninit(): Long =
    var i = 0
    var last = Address.Null
    while i < RegionAllocation.blocks do
      last = Malloc.uninitBlock(bytes, 8)
      Malloc.free(last)
      i += 1
    last.bits

  @Benchmark def pooled(): Long = taken(wiping)

  @Benchmark def pooledUninit(): Long = taken(pool)

  /** How many segments the pool has served from what it keeps. */
  private def taken(pool: SegmentPool): Long =
    var i = 0
    while i < RegionAllocation.blocks do
      pool.recycle(pool.take())
      i += 1
    pool.metrics.hits
end NewBlocks
