package undercroft.memory

import java.lang.foreign.{MemorySegment, SegmentAllocator}

/** Gives out zeroed memory below the garbage collector.
  *
  * Every API of `java.lang.foreign` that takes a `SegmentAllocator` takes an Allocator.
  */
trait Allocator extends SegmentAllocator:

  /** A zeroed segment of exactly `byteSize` bytes that dies with this allocator's owner. */
  def allocate(byteSize: Long, byteAlignment: Long): MemorySegment

  /** The checked address of a zeroed block of `byteSize` bytes. Makes no object. */
  def block(byteSize: Long, byteAlignment: Long): Address
end Allocator
