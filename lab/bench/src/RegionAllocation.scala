package undercroft.lab.bench

// How much does a block of 64 B, 4 KiB or 1 MiB cost from a region, and from Malloc with its free?

import org.openjdk.jmh.annotations.*
import undercroft.memory.{Address, Malloc, Region}

/** Our variant of [[Allocation]]. A region is opened, allocates [[RegionAllocation.blocks]] zeroed
  * blocks and is closed: a call is one block with its share of the opening and the closing. Malloc
  * allocates a zeroed block and frees it.
  */
@State(Scope.Thread)
@OperationsPerInvocation(RegionAllocation.blocks)
class RegionAllocation extends Measured:
  @Param(Array("64", "4096", "1048576")) var bytes = 0

  @Benchmark def region(): Long =
    Region.scoped:
      val region = Region.current
      val size = bytes.toLong
      var i = 0
      var last = Address.Null
      while i < RegionAllocation.blocks do
        last = region.allocateBlock(size, 8)
        i += 1
      last.bits

  @Benchmark def malloc(): Long =
    val size = bytes.toLong
    var i = 0
    var last = Address.Null
    while i < RegionAllocation.blocks do
      last = Malloc.allocateBlock(size, 8)
      Malloc.free(last)
      i += 1
    last.bits
end RegionAllocation

object RegionAllocation:
  final val blocks = 256
