package undercroft.buffer

import java.lang.foreign.{Arena, MemorySegment, SegmentAllocator, ValueLayout}
import java.lang.ref.Reference.reachabilityFence

extension (output: ByteOutput)
  /** All bytes as they are now, as an array of C's `struct iovec` for `writev`, `sendmsg` and their
    * like, without a copy: an address and a size for each piece, 16 bytes, mostly one piece in all.
    *
    * The array dies with the allocator's memory; what it points to with the output, or when that
    * grows. Native code that is given it has to be done before.
    */
  def iovecs(allocator: SegmentAllocator): MemorySegment = Iovecs.of(output.segments, allocator)

  /** Lends all bytes as they are now to native code for the time of `use`, which is given the same
    * array. Until it ends nothing can move or free them: every other use of the output, also its
    * close, is an IllegalStateException. The array dies with the loan.
    */
  def lend[A](use: MemorySegment => A): A = Iovecs.lent(output.iovecs(_)): vectors =>
    output.reserve("native code reads")
    try use(vectors)
    finally output.free()
end extension

extension (buffer: Buffer)
  /** All bytes as they are now, as an array of C's `struct iovec`: an address and a size for each
    * segment, 16 bytes. Systems take no more than 1024 of them in one call of `writev`.
    *
    * Segments of a pool outside the heap are not copied. Those that are arrays move outside it
    * first, by one copy, to segments of a pool like their own, and stay there;
    * [[Buffer.copiedBytes]] counts that. What has no room is a MemoryLimitException, and all bytes
    * stay as they are.
    *
    * The array dies with the allocator's memory; what it points to when the buffer is read, changed
    * or dropped. Native code that is given it has to be done before; [[lend]] sees to that.
    */
  def iovecs(allocator: SegmentAllocator): MemorySegment = Iovecs.of(buffer.outside(), allocator)

  /** Lends all bytes as they are now to native code, which only reads them, for the time of `use`,
    * which is given the same array. Until it ends every other use of the buffer, also moving from
    * it, is an IllegalStateException. Other buffers and strings that share its segments are used as
    * before. The array dies with the loan.
    */
  def lend[A](use: MemorySegment => A): A = Iovecs.lent(buffer.iovecs(_)): vectors =>
    buffer.reserve()
    try use(vectors)
    finally
      buffer.free()
      reachabilityFence(buffer)
end extension

private object Iovecs:
  /** Of a pointer and a `size_t`, on a system of 64 bits. */
  private val Bytes = 16L
  private val Alignment = 8L

  def of(pieces: Seq[MemorySegment], allocator: SegmentAllocator): MemorySegment =
    val vectors = allocator.allocate(Bytes * pieces.size, Alignment)
    for (piece, i) <- pieces.zipWithIndex do
      vectors.set(ValueLayout.ADDRESS, i * Bytes, piece)
      vectors.set(ValueLayout.JAVA_LONG, i * Bytes + 8, piece.byteSize)
    vectors

  def lent[A](make: SegmentAllocator => MemorySegment)(use: MemorySegment => A): A =
    val arena = Arena.ofConfined()
    try use(make(arena))
    finally arena.close()
end Iovecs
