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

  // The extent that is written now. Places are those of Cage.open: `place` is where the next byte
  // goes, `base` where the extent begins, `room` where its memory ends. Up to `limit`, the end of the
  // page at the most, writes need no further check: that the page is still ours was asked when it was
  // entered. (Who closes in another thread meanwhile leaves it at the next page at the latest, long
  // before the pool gives it to somebody else.)
  // While bytes are on the heap `place` counts them and the others are 0, so that one comparison
  // sends everything unusual to the slow path.
  private[buffer] final var index = 0
  private[buffer] final var before = 0L
  private[buffer] final var base = 0L
  private[buffer] final var place = 0L
  private[buffer] final var limit = 0L
  private[buffer] final var room = 0L

  /** Bytes written to the array or the extent. */
  private[buffer] final def at: Long = place - base

  /** Bytes written. */
  final def size: Long = before + place - base

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
    if upTo == 0 then OutputSpace.Nowhere
    else
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
      freeExtents()
      array = OutputSpace.Empty
    select(0, 0)

  /** Frees all of it. A second close does nothing; while native code still uses the segment FFM
    * refuses it, and nothing changes. Of bytes in several pieces those before the one in use are
    * gone then: the output counts as closed, and another close frees the rest.
    */
  final override def close(): Unit =
    if open || extents.count > 0 then
      checkFree()
      freeExtents()
      leave()
      if cleanable != null then cleanable.nn.clean()

  private def freeExtents(): Unit =
    val pieces = extents.count
    try extents.close()
    finally if extents.count > 0 && extents.count < pieces then leave()

  /** From now on every use comes to a check, and that refuses it. */
  private def leave(): Unit =
    open = false
    array = null
    index = 0
    before = 0
    base = 0
    place = 0
    admit()

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
    room = 0

  private[buffer] final def free(): Unit =
    user = null
    if open then admit()

  /** Room for a batch.
    *
    * @return
    *   the array that it writes to, from [[place]] on: null for the memory at the end. Where the
    *   room lies in two pieces of memory, an array of its own.
    */
  private[buffer] final def beginBatch(upTo: Int): Array[Byte] | Null =
    if upTo < 0 then throw IllegalArgumentException(s"a batch of $upTo bytes")
    grow(upTo)
    val inOnePiece = array != null || room - place >= upTo
    val target = if inOnePiece then array else new Array[Byte](upTo)
    if target == null && upTo > 0 then Cage.storable(extents.origin(index), at): Unit
    reserve("a batch writes")
    target

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

  /** Makes extent `i` the one that is written, from `at` on. */
  private[buffer] final def select(i: Int, at: Long): Unit =
    index = i
    before = extents.start(i)
    base = if extents.count > i && array == null then Cage.placeOf(extents.origin(i)) else 0
    place = base + at
    admit()

  /** What was written to the extent ends here now. */
  private[buffer] final def advance(bytes: Long): Unit =
    place += bytes
    admit()

  /** Admits writes up to the end of the page. */
  private def admit(): Unit =
    if base == 0 then
      room = 0
      limit = 0
    else
      val end = extents.committed(index)
      room = base + end
      limit = room
      if at < end then
        Cage.storable(extents.origin(index), at): Unit
        limit = base + Math.min(end, (at | Cage.PageBytes - 1) + 1)

  /** Room for `count` more bytes on the heap, or else outside it. */
  private[buffer] final def grow(count: Long): Unit =
    checkOpen()
    val bytes = size + count
    if bytes > upTo || bytes < 0 then throw TooLargeException("the byte output", bytes, upTo)
    val onHeap = array
    if onHeap == null then
      if extents.grow(size, bytes) then
        copied += size
        select(0, size)
      else admit()
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
    select(0, at)
end OutputSpace

private[buffer] object OutputSpace:
  /** Bytes that are kept on the heap. */
  val HeapBytes = 16 << 10

  private val Empty = new Array[Byte](0)

  /** What an output of no bytes lies in. */
  private val Nowhere = MemorySegment.NULL.asReadOnly()

  /** The first array has 256 bytes; each next one four times as many. */
  private def arrayFor(bytes: Int): Int =
    Math.min(HeapBytes, Math.max(256, Integer.highestOneBit(bytes - 1) << 2))
end OutputSpace
