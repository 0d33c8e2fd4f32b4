package undercroft.memory.unsafe

import java.lang.foreign.MemorySegment
import undercroft.memory.{Address, Allocator}

extension (allocator: Allocator)
  /** A segment that holds whatever the memory held before, perhaps of another owner.
    *
    * The caller guarantees that nothing of it is read before it is written. Fields of type Ref and
    * tags of enums must be zeroed or written before anyone can see them.
    */
  def uninit(byteSize: Long, byteAlignment: Long): MemorySegment =
    allocator.allocateUninit(byteSize, byteAlignment)

  /** A block that holds whatever the memory held before; see [[uninit]]. */
  def uninitBlock(byteSize: Long, byteAlignment: Long): Address =
    allocator.blockUninit(byteSize, byteAlignment)
