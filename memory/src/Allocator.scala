package undercroft.memory

import java.lang.foreign.{MemorySegment, SegmentAllocator}
import scala.annotation.implicitNotFound

/** Allocates zeroed off-heap memory in the cage.
  *
  * Every API of `java.lang.foreign` that takes a `SegmentAllocator` takes an Allocator. The
  * subclass defines which threads may call it and when memory is freed: [[Region]] frees all at
  * once, [[Malloc]] single blocks.
  *
  * All sizes and alignments are in bytes. A negative size throws an [[InvalidSizeException]], an
  * alignment that is not a power of two an [[InvalidAlignmentException]], and an allocation beyond
  * a budget a [[MemoryLimitException]]. An alignment is at most 1 GiB or, without native access, 4
  * KiB: a larger one throws an [[InvalidAlignmentException]], too.
  *
  * [[Region]] and [[Malloc]] are the only allocators: tables and references store to an allocator's
  * memory without checking its owner, so a user's implementation could return memory of another
  * owner. A subclass in another package does not compile; if one is instantiated anyway, the
  * constructor throws an UnsupportedOperationException.
  *
  * {{{
  * def header(using allocator: Allocator): Address = allocator.allocateBlock(32, 8)
  *
  * Region.scoped(println(header.offset)) // freed with the region
  * Malloc.free(header(using Malloc)) // freed by the caller
  * }}}
  */
@implicitNotFound(
  "no allocator is given here: wrap the code in Region.scoped { ... }, take one as a parameter, (using Allocator), or pass Malloc, whose blocks the program frees itself"
)
abstract class Allocator private[memory] () extends SegmentAllocator:
  // By class name: `Malloc` itself is not initialized yet during its construction.
  if !isInstanceOf[Region] && getClass.getName != "undercroft.memory.Malloc$" then
    throw UnsupportedOperationException(
      s"an Allocator is a Region or Malloc, not a ${getClass.getName}"
    )

  /** Name of the memory's owner, for error messages.
    *
    * {{{
    * Region.named("orders")(println(Region.current.name)) // region "orders"
    * }}}
    */
  def name: String

  /** Allocates a zeroed segment of exactly `byteSize` bytes, valid until its owner frees it.
    *
    * {{{
    * import java.lang.foreign.ValueLayout.JAVA_INT
    * def zeros(count: Int)(using allocator: Allocator) = allocator.allocate(4L * count, 4)
    * Region.scoped(println(zeros(10).getAtIndex(JAVA_INT, 9))) // 0
    * }}}
    */
  def allocate(byteSize: Long, byteAlignment: Long): MemorySegment

  /** Allocates a zeroed block of `byteSize` bytes and returns its checked address. Creates no heap
    * object.
    *
    * {{{
    * def header(using allocator: Allocator): Address = allocator.allocateBlock(32, 8)
    * Region.scoped(println(header.isNull)) // false
    * }}}
    */
  def allocateBlock(byteSize: Long, byteAlignment: Long): Address

  /** Reserves address space of `maxBytes` bytes, which is committed as it is used and never moves.
    *
    * {{{
    * def log(using allocator: Allocator): Reservation = allocator.reserve(16.GiB)
    * Region.scoped(println(log.segment(100).byteSize)) // 100
    * }}}
    */
  def reserve(maxBytes: Long): Reservation

  /** The same as [[allocate]], but not zeroed. */
  private[undercroft] def allocateUninit(byteSize: Long, byteAlignment: Long): MemorySegment

  /** The same as [[allocateBlock]], but not zeroed. */
  private[undercroft] def blockUninit(byteSize: Long, byteAlignment: Long): Address
end Allocator
