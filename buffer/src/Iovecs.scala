package undercroft.buffer

import java.lang.foreign.{Arena, MemorySegment, SegmentAllocator, ValueLayout}
import java.lang.ref.Reference.reachabilityFence

extension (output: ByteOutput)
  /** All current bytes as an array of C's `struct iovec`, for scatter/gather calls such as `writev`
    * and `sendmsg`, without a copy: 16 bytes with address and size per piece, usually one piece.
    *
    * The array is valid as long as the allocator's memory; the bytes it points to until the output
    * is closed or grows. Native code must have finished before that.
    *
    * {{{
    * import java.lang.foreign.{Arena, ValueLayout}
    * val (out, arena) = (ByteOutput(), Arena.ofConfined())
    * try
    *   val vectors = out.writeUtf8("price").iovecs(arena)
    *   println(vectors.get(ValueLayout.JAVA_LONG, 8)) // 5
    * finally
    *   arena.close()
    *   out.close()
    * }}}
    */
  def iovecs(allocator: SegmentAllocator): MemorySegment = Iovecs.of(output.segments, allocator)

  /** Lends all current bytes to native code while `use` runs, which gets the same array. Until it
    * ends no operation can move or free them: every other use of the output, including close,
    * throws an IllegalStateException. The array is freed when the loan ends.
    *
    * {{{
    * import java.lang.foreign.ValueLayout
    * val out = ByteOutput().writeUtf8("price")
    * try println(out.withIovecs(_.get(ValueLayout.JAVA_LONG, 8))) // 5
    * finally out.close()
    * }}}
    */
  def withIovecs[A](use: MemorySegment => A): A =
    val pieces = output.lendPieces()
    try Iovecs.lent(Iovecs.of(pieces, _))(use)
    finally output.free()
end extension

extension (buffer: Buffer)
  /** All current bytes as an array of C's `struct iovec`: 16 bytes with address and size per
    * segment. Systems accept at most 1024 of them in one call of `writev`.
    *
    * Off-heap segments are not copied. Heap segments are first replaced, by one copy, by off-heap
    * segments of a pool of the same kind, and stay off-heap; [[Buffer.copiedBytes]] counts these
    * copies. Throws a MemoryLimitException if there is no room; all bytes are then unchanged.
    *
    * The array is valid as long as the allocator's memory; the bytes it points to until the buffer
    * is read, changed or unreachable. Native code must have finished before that; [[withIovecs]]
    * ensures it.
    *
    * {{{
    * import java.lang.foreign.{Arena, ValueLayout}
    * val (buffer, arena) = (Buffer().writeUtf8("price"), Arena.ofConfined())
    * try println(buffer.iovecs(arena).get(ValueLayout.JAVA_LONG, 8)) // 5
    * finally arena.close()
    * }}}
    */
  def iovecs(allocator: SegmentAllocator): MemorySegment = Iovecs.of(buffer.outside(), allocator)

  /** Lends all current bytes to native code, which only reads them, while `use` runs, which gets
    * the same array. Until it ends every other use of the buffer, including moves from it, throws
    * an IllegalStateException. Other buffers and strings that share its segments are not affected.
    * The array is freed when the loan ends.
    *
    * {{{
    * val buffer = Buffer().write(new Array[Byte](10_000))
    * println(buffer.withIovecs(vectors => vectors.byteSize / 16)) // 2
    * }}}
    */
  def withIovecs[A](use: MemorySegment => A): A = Iovecs.lent(buffer.iovecs(_)): vectors =>
    buffer.reserve()
    try use(vectors)
    finally
      buffer.free()
      reachabilityFence(buffer)
end extension

private object Iovecs:
  /** Size of a `struct iovec`, a pointer and a `size_t`, on a 64-bit system. */
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
