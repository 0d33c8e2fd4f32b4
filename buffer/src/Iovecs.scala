package undercroft.buffer

import java.lang.foreign.{Arena, MemorySegment, SegmentAllocator, ValueLayout}

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

  /** Lends all bytes as they are now to native code for the time of `use`, which is given the same
    * array. Until it ends nothing can move or free them: every other use of the output, also its
    * close, is an IllegalStateException. The array dies with the loan.
    */
  def lend[A](use: MemorySegment => A): A =
    val arena = Arena.ofConfined()
    try
      val vectors = iovecs(arena)
      output.reserve("native code reads")
      try use(vectors)
      finally output.free()
    finally arena.close()
end extension

private object Iovecs:
  /** Of a pointer and a `size_t`, on a system of 64 bits. */
  val Bytes = 16L
  val Alignment = 8L
