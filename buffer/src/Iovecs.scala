package undercroft.buffer

import java.lang.foreign.{MemorySegment, SegmentAllocator, ValueLayout}

extension (output: ByteOutput)
  /** All bytes as they are now, as an array of C's `struct iovec` for `writev`, `sendmsg` and their
    * like, without a copy: an address and a size for each piece, 16 bytes, mostly one piece in all.
    *
    * The array dies with the allocator's memory; what it points to with the output, or when that
    * grows. Native code that is given it has to be done before.
    */
  def iovecs(allocator: SegmentAllocator): MemorySegment =
    val pieces = output.segments
    val vectors = allocator.allocate(Iovecs.Bytes * pieces.size, Iovecs.Alignment)
    for (piece, i) <- pieces.zipWithIndex do
      vectors.set(ValueLayout.ADDRESS, i * Iovecs.Bytes, piece)
      vectors.set(ValueLayout.JAVA_LONG, i * Iovecs.Bytes + 8, piece.byteSize)
    vectors

private object Iovecs:
  /** Of a pointer and a `size_t`, on a system of 64 bits. */
  val Bytes = 16L
  val Alignment = 8L
