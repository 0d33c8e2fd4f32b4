package undercroft.lab.bench

// What does a block outside the heap cost by its size, beside a new byte array?

import org.openjdk.jmh.annotations.*
import undercroft.memory.{Address, Malloc, Region}
import undercroft.memory.unsafe.uninitBlock

/** Our side of [[NewBytes]], with its sizes. A region is opened, gives out
  * [[RegionAllocation.blocks]] blocks and is closed; Malloc takes each block back. A method that
  * says `Uninit` leaves out the zero fill. Each call is one block.
  */
@State(Scope.Thread)
@OperationsPerInvocation(RegionAllocation.blocks)
class NewBlocks extends Measured:
  @Param(Array("1000", "10000", "100000")) var bytes = 0

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
end NewBlocks
