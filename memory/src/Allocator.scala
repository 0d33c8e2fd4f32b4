package undercroft.memory

import java.lang.foreign.{MemorySegment, SegmentAllocator}

/** Gives out zeroed memory below the garbage collector.
  *
  * Every API of `java.lang.foreign` that takes a `SegmentAllocator` takes an Allocator. Which
  * threads may call it, and when the memory dies, is the owner's to say: [[Region]] frees all at
  * once, [[Malloc]] one block at a time.
  *
  * All sizes and alignments are in bytes. Sizes below zero and alignments that are not a power of
  * two are an [[InvalidSizeException]] and an [[InvalidAlignmentException]]; more than a budget
  * holds is a [[MemoryLimitException]].
  */
trait Allocator extends SegmentAllocator:

  /** Who owns the memory, in words, for error messages. */
  def name: String

  /** A zeroed segment of exactly `byteSize` bytes that dies with its owner. */
  def allocate(byteSize: Long, byteAlignment: Long): MemorySegment

  /** The checked address of a zeroed block of `byteSize` bytes. Makes no object. */
  def block(byteSize: Long, byteAlignment: Long): Address

  /** Address space for `upToBytes` bytes, which becomes memory as it is used and never moves. */
  def reserve(upToBytes: Long): Reservation

  /** As [[allocate]], but holding whatever the memory held before. */
  private[undercroft] def allocateUninit(byteSize: Long, byteAlignment: Long): MemorySegment

  /** As [[block]], but holding whatever the memory held before. */
  private[undercroft] def blockUninit(byteSize: Long, byteAlignment: Long): Address
end Allocator
