package undercroft.lab.bench

// How much does an off-heap block, or a pooled array, cost beside a new byte array of its size?

import org.openjdk.jmh.annotations.*
import undercroft.buffer.SegmentPool
import undercroft.memory.{Address, Malloc, Region}
import undercroft.memory.unsafe.allocateUninitializedBlock

/** Our variant of [[NewBytes]], with its sizes. A region is opened, allocates
  * [[RegionAllocation.blocks]] blocks and is closed; Malloc and the pool take each block back. A
  * method named `Uninit` omits the zero fill, as the pool of `pooledUninit` does. Each call is one
  * block.
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
        last = region.allocateBlock(bytes, 8)
        i += 1
      last.bits

  @Benchmark def regionUninit(): Long =
    Region.scoped:
      val region = Region.current
      var i = 0
      var last = Address.Null
      while i < RegionAllocation.blocks do
        last = region.allocateUninitializedBlock(bytes, 8)
        i += 1
      last.bits

  @Benchmark def malloc(): Long =
    var i = 0
    var last = Address.Null
    while i < RegionAllocation.blocks do
      last = Malloc.allocateBlock(bytes, 8)
      Malloc.free(last)
      i += 1
    last.bits

  @Benchmark def mallocUninit(): Long =
    var i = 0
    var last = Address.Null
    while i < RegionAllocation.blocks do
      last = Malloc.allocateUninitializedBlock(bytes, 8)
      Malloc.free(last)
      i += 1
    last.bits

  @Benchmark def pooled(): Long = taken(wiping)

  @Benchmark def pooledUninit(): Long = taken(pool)

  /** Takes and recycles segments; returns how many takes the pool has served with idle segments. */
  private def taken(pool: SegmentPool): Long =
    var i = 0
    while i < RegionAllocation.blocks do
      pool.recycle(pool.take())
      i += 1
    pool.metrics.hits
end NewBlocks
