package undercroft.buffer

import java.io.OutputStream
import java.lang.foreign.{MemorySegment, ValueLayout}
import undercroft.memory.{Budget, Cage, Pages}

/** Where the bytes of a [[ByteOutput]] lie: an array on the heap while they are few, then the
  * extents outside it; how they get from one to the other, and what frees them.
  */
abstract class OutputSpace private[buffer] (
    /** Bytes that it may hold. */
    val upTo: Long,
    budget: Budget,
    pages: Pages
) extends OutputStream,
      AutoCloseable:
  private val held = Held()
  private[buffer] final val extents = Extents(upTo, budget, pages, held)
  private var cleanable: java.lang.ref.Cleaner.Cleanable | Null = null
  private[buffer] final var open = true

  // The bytes on the heap, until there are too many: then null.
  private[buffer] final var array: Array[Byte] | Null = OutputSpace.Empty

  // The extent that is written now: `at` is where in it the next byte goes, `limit` where its
  // memory ends. While bytes are on the heap the limit is 0 and `at` counts them, so that one
  // comparison sends everything unusual to the slow path.
  // `origin` is the checked address of the extent: a store through it costs less than one through
  // the extent's segment, because what bounds it is constant.
  private[buffer] final var origin = 0L
  private[buffer] final var index = 0
  private[buffer] final var before = 0L
  private[buffer] final var at = 0L
  private[buffer] final var limit = 0L

  /** Bytes written. */
  final def size: Long = before + at

  private var copied = 0L

  /** Bytes that were copied since it was made, because it grew. */
  final def copiedBytes: Long = copied

  /** Whether all bytes lie in one piece: always, while the system has address space for it. */
  final def isContiguous: Boolean = before == 0

  /** All bytes as they are now, in one piece outside the heap, without a copy.
    *
    * The segment dies with the output, so hold on to that; and when an output of less than 1 MiB
    * grows beyond. Of bytes in several pieces it is a [[NotContiguousException]].
    */
  final def segment: MemorySegment =
    checkOpen()
    if !isContiguous then throw NotContiguousException(size, index + 1)
    if array != null then leaveHeap(size)
    extents.memory(0).asSlice(0, at).asReadOnly()

  /** All bytes as they are now, in as many pieces as they lie in. */
  final def segments: List[MemorySegment] =
    if isContiguous then List(segment)
    else List.tabulate(index + 1)(i => extents.memory(i).asSlice(0, bytesIn(i)).asReadOnly())

  /** Forgets all bytes, for the next use. With `keepPages` the memory stays, and writing as much
    * again allocates nothing; without, it is given back.
    */
  final def reset(keepPages: Boolean = true): Unit =
    checkOpen()
    if !keepPages then
      extents.close()
      array = OutputSpace.Empty
    at = 0
    select(0)

  /** Frees all of it. A second close does nothing; while native code still uses the segment FFM
    * refuses it, and nothing changes.
    */
  final override def close(): Unit =
    if open then
      checkFree()
      extents.close()
      open = false
      array = null
      before = 0
      at = 0
      limit = 0
      if cleanable != null then cleanable.nn.clean()

  private[buffer] final def checkOpen(): Unit =
    if !open then throw ClosedException("the byte output")
    checkFree()

  private def checkFree(): Unit =
    if user != null then
      throw IllegalStateException(s"$user the byte output, after $size bytes")

  // Who has it for himself, and what he does to it: "a batch writes". Then the limit is 0, so that
  // every other write comes to a check.
  private[buffer] final var user: String | Null = null

  /** Nobody else uses it from now on, until [[free]]. */
  private[buffer] final def reserve(by: String): Unit =
    user = by
    limit = 0

  private[buffer] final def free(): Unit =
    user = null
    if open && array == null then limit = extents.committed(index)

  /** Room for a batch.
    *
    * @return
    *   the array that it writes to, from [[batchFirst]] on: null for the memory at the end. Where
    *   the room lies in two pieces of memory, an array of its own.
    */
  private[buffer] final def beginBatch(upTo: Int): Array[Byte] | Null =
    if upTo < 0 then throw IllegalArgumentException(s"a batch of $upTo bytes")
    grow(upTo)
    val inOnePiece = array != null || limit - at >= upTo
    val target = if inOnePiece then array else new Array[Byte](upTo)
    if target == null && upTo > 0 then Cage.storable(origin, at): Unit
    reserve("a batch writes")
    target

  private[buffer] final def batchFirst: Long = if array != null then at else 0

  private[buffer] final def check(position: Long, bytes: Int): Unit =
    checkOpen()
    if position < 0 || position > size - bytes then
      throw IndexOutOfBoundsException(s"position $position + $bytes exceeds size $size")

  private[buffer] final def bytesIn(i: Int): Long = if i == index then at else extents.capacity(i)

  /** Bytes from a position on that lie in one piece: at least one, at most `count`. */
  private[buffer] final def piece(position: Long, count: Long): MemorySegment =
    val onHeap = array
    if onHeap != null then MemorySegment.ofArray(onHeap).asSlice(position, count)
    else
      val i = extents.at(position)
      val from = position - extents.start(i)
      extents.memory(i).asSlice(from, Math.min(count, bytesIn(i) - from))

  /** Makes extent `i` the one that is written. */
  private[buffer] final def select(i: Int): Unit =
    index = i
    before = extents.start(i)
    if array != null then limit = 0
    else
      origin = extents.origin(i)
      limit = extents.committed(i)

  /** Room for `count` more bytes on the heap, or else outside it. */
  private[buffer] final def grow(count: Long): Unit =
    checkOpen()
    val bytes = size + count
    if bytes > upTo || bytes < 0 then throw TooLargeException("the byte output", bytes, upTo)
    val onHeap = array
    if onHeap == null then
      if extents.grow(size, bytes) then
        copied += size
        select(0)
      else select(index)
    else if bytes > OutputSpace.HeapBytes then leaveHeap(bytes)
    else if bytes > onHeap.length then
      copied += at
      array = java.util.Arrays.copyOf(onHeap, OutputSpace.arrayFor(bytes.toInt))

  private def leaveHeap(bytes: Long): Unit =
    val onHeap = array.nn
    if cleanable == null then cleanable = Held.cleaner.register(this, held)
    val _ = extents.grow(0, bytes.max(1))
    copied += at
    MemorySegment.copy(onHeap, 0, extents.memory(0), ValueLayout.JAVA_BYTE, 0, at.toInt)
    array = null
    select(0)
end OutputSpace

private[buffer] object OutputSpace:
  /** Bytes that are kept on the heap. */
  val HeapBytes = 16 << 10

  private val Empty = new Array[Byte](0)

  /** The first array has 256 bytes; each next one four times as many. */
  private def arrayFor(bytes: Int): Int =
    Math.min(HeapBytes, Math.max(256, Integer.highestOneBit(bytes - 1) << 2))
end OutputSpace
