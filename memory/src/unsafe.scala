package undercroft.memory.unsafe

import java.lang.foreign.MemorySegment
import undercroft.memory.{Address, Allocator}

extension (allocator: Allocator)
  /** Allocates a segment that is not zeroed; it may contain bytes of another owner.
    *
    * The caller guarantees that every byte is written before it is read. Fields of type Ref and
    * tags of enums must be zeroed or written before any reader can access them.
    *
    * {{{
    * import undercroft.memory.unsafe.*
    * Region.scoped:
    *   val copy = Region.current.allocateUninitialized(1000, 8)
    *   copy.fill(1) // every byte is written before it is read
    *   println(copy.byteSize) // 1000
    * }}}
    */
  def allocateUninitialized(byteSize: Long, byteAlignment: Long): MemorySegment =
    allocator.allocateUninit(byteSize, byteAlignment)

  /** Allocates a block that is not zeroed; see [[allocateUninitialized]]. */
  def allocateUninitializedBlock(byteSize: Long, byteAlignment: Long): Address =
    allocator.blockUninit(byteSize, byteAlignment)
end extension
