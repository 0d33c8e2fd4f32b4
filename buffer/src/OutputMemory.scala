package undercroft.buffer

import internal.codec.Bounds
import internal.output.{Extents, OutputCleaner}
import undercroft.memory.internal.cage.Cage
import undercroft.memory.internal.platform.LoaderLifetime
import java.io.OutputStream
import java.lang.Long.compareUnsigned
import java.lang.foreign.{MemorySegment, ValueLayout}
import java.lang.invoke.{MethodHandles, VarHandle}
import java.util.ConcurrentModificationException
import java.util.concurrent.locks.LockSupport
import undercroft.memory.{Budget, Pages}

/** The memory of a [[ByteOutput]]: a heap array while it is small, then off-heap extents. Moves the
  * bytes between them and frees them.
  *
  * ==Memory safety==
  *
  * An output is for one thread at a time, but cannot rely on that: a stream is easily shared.
  *
  * ```text
  *   extent   [ base ............................. committed | reserved ]
  *   window                 [ 64 KiB ]
  *   place                       ^
  * ```
  *
  * A small write stores at `place` without an FFM check, only if all of it is inside the window.
  * The window is one field, so a write reads a consistent copy of it, and every value the window
  * ever had was 64 KiB of committed memory of this output. Without a window (on the heap, in a
  * batch, lent, closed) no place is inside. Every other store goes to the committed part of an
  * extent through its own segment, which FFM checks.
  *
  * Every operation that moves, frees or selects memory first claims [[user]] by CAS, so a second
  * thread gets an error and never sees half of a change; it then removes the window. Closing an
  * extent closes its shared arena, for which every thread has to reach a safepoint; the window is
  * read with opaque order, and that read stays in the loop, so compiled code sees the change before
  * the memory is reused. A place that was corrupted by a data race is outside the window and
  * outside the extent: this throws a ConcurrentModificationException.
  */
abstract class OutputMemory private[buffer] (
    /** Limit of its size in bytes. */
    val maxBytes: Long,
    budget: Budget,
    pages: Pages
) extends OutputStream,
      AutoCloseable:
  private val cleaner = OutputCleaner()
  private[buffer] final val extents = Extents(maxBytes, budget, pages, cleaner)
  private var cleanable: java.lang.ref.Cleaner.Cleanable | Null = null
  private[buffer] final var open = true

  // The bytes on the heap; null once they are off-heap.
  private[buffer] final var array: Array[Byte] | Null = OutputMemory.Empty

  // The current extent and the position of its first byte. Places are relative to Cage.open: `base`
  // is the place of the extent's first byte, `place` that of the next byte to write. While the
  // bytes are on the heap `base` is 0 and `place` is their count.
  private[buffer] final var index = 0
  private[buffer] final var before = 0L
  private[buffer] final var base = 0L
  private[buffer] final var place = 0L

  /** Start of the window, or [[OutputMemory.NoWindow]]. */
  private[buffer] final var window = OutputMemory.NoWindow

  /** Whether the `bytes` bytes at `at`, at most 64 KiB, are inside the window. */
  private[buffer] final inline def isInWindow(at: Long, bytes: Long): Boolean =
    val from: Long = OutputMemory.windows.getOpaque(this).asInstanceOf[Long]
    compareUnsigned(at - from, OutputMemory.WindowBytes - bytes) <= 0

  /** Number of bytes written.
    *
    * {{{
    * val out = ByteOutput()
    * try println(out.writeInt(1).writeUtf8("price").size) // 9
    * finally out.close()
    * }}}
    */
  final def size: Long =
    val bytes = before + place - base
    if (bytes | maxBytes - bytes) < 0 then throw torn()
    bytes

  private var copied = 0L

  /** Bytes that growth has copied since the output was created.
    *
    * {{{
    * val out = ByteOutput()
    * try
    *   for i <- 0 until 10_000_000 do out.writeLong(i)
    *   println(out.copiedBytes < 2_000_000) // true
    * finally out.close()
    * }}}
    */
  final def copiedBytes: Long = copied

  /** Whether all bytes are contiguous: always, unless the system runs out of address space. */
  final def isContiguous: Boolean = before == 0

  /** All current bytes as one off-heap segment, without a copy.
    *
    * The segment is valid until the output is closed, so keep a reference to the output; a segment
    * of an output of less than 1 MiB is also invalidated when the output grows beyond that. Throws
    * a [[NotContiguousException]] if the bytes are in several extents.
    *
    * {{{
    * import java.lang.foreign.ValueLayout.JAVA_BYTE
    * val out = ByteOutput()
    * try
    *   out.writeUtf8("price")
    *   println(out.segment.byteSize) // 5
    *   println(out.segment.get(JAVA_BYTE, 0).toChar) // p
    * finally out.close()
    * }}}
    */
  final def segment: MemorySegment =
    checkOpen()
    if !isContiguous then throw NotContiguousException(size, index + 1)
    if maxBytes == 0 then OutputMemory.Nowhere
    else
      if array != null then claimed(OutputMemory.Moves)(leaveHeap(size))
      wholePiece

  /** All current bytes, one segment per extent.
    *
    * {{{
    * val out = ByteOutput()
    * try println(out.writeUtf8("price").segments.map(_.byteSize)) // List(5)
    * finally out.close()
    * }}}
    */
  final def segments: List[MemorySegment] =
    if isContiguous then List(segment)
    else
      checkOpen()
      allPieces

  private def wholePiece: MemorySegment = extents.memory(0).asSlice(0, bytesIn(0)).asReadOnly()

  private def allPieces: List[MemorySegment] =
    List.tabulate(index + 1)(i => extents.memory(i).asSlice(0, bytesIn(i)).asReadOnly())

  /** Lends all bytes until [[free]], one segment per extent. */
  private[buffer] final def lendPieces(): List[MemorySegment] =
    claim(OutputMemory.Lent)
    try
      if array != null && maxBytes > 0 then leaveHeap(size)
      removeWindow()
      if maxBytes == 0 then List(OutputMemory.Nowhere) else allPieces
    catch
      case e: Throwable =>
        free()
        throw e

  /** Removes all bytes, for reuse. With `keepPages` the memory stays committed, and writing the
    * same amount again does not allocate; without it the memory is released. While native code
    * still uses the segment, FFM rejects the release and the output is unchanged; if the bytes are
    * in several extents and some were released, it is empty.
    *
    * {{{
    * val out = ByteOutput()
    * try
    *   for message <- List("first", "second") do
    *     out.reset()
    *     println(out.writeUtf8(message)) // the same memory for each message
    * finally out.close()
    * }}}
    */
  final def reset(keepPages: Boolean = true): Unit = claimed(OutputMemory.Resets):
    removeWindow()
    if keepPages then select(0, 0)
    else
      val pieces = extents.count
      try extents.close()
      finally
        if pieces == 0 || extents.count < pieces then
          array = OutputMemory.Empty
          select(0, 0)

  /** Frees the memory; idempotent. It waits for an operation in progress in another thread, for at
    * most a second; then it throws a ConcurrentModificationException and the output is unchanged.
    * While native code still uses the segment, FFM rejects the close and the output is unchanged.
    * If the bytes are in several extents, those before the one in use are freed then: the output
    * counts as closed, and another close frees the remaining ones.
    *
    * {{{
    * val out = ByteOutput()
    * out.close()
    * try out.writeInt(1)
    * catch case error: ClosedException => println(error.getMessage) // the byte output is closed
    * }}}
    */
  final override def close(): Unit =
    if open || extents.count > 0 then
      claimedForClose:
        removeWindow()
        val wasOpen = open
        val pieces = extents.count
        // Set first: an error that interrupts the rest, such as a StackOverflowError, then leaves a
        // closed output.
        open = false
        try extents.close()
        catch
          case e: IllegalStateException if wasOpen && extents.count == pieces =>
            open = true
            admit(place - base)
            throw e
        array = null
        index = 0
        before = 0
        base = 0
        place = 0
      if cleanable != null then cleanable.nn.clean()

  private[buffer] final def checkOpen(): Unit =
    if !open then throw ClosedException("the byte output")
    if user != null then throw busy()

  // The operation or borrower that has claimed the output, as the beginning of a message.
  private[buffer] final var user: String | Null = null

  /** Claims the output until [[free]]: no other operation and no other thread moves or frees its
    * memory. Throws if it is already claimed.
    */
  private def claim(operation: String): Unit =
    if !OutputMemory.users.compareAndSet(this, null, operation) then throw busy()
    if !open then
      user = null
      throw ClosedException("the byte output")

  private[buffer] final inline def claimed[A](operation: String)(inline body: A): A =
    claim(operation)
    try body
    finally user = null

  private inline def claimedForClose(inline body: Unit): Unit =
    claimForClose()
    try body
    finally user = null

  /** Claims an output that may already be closed. A claim by another thread's operation ends by
    * itself, so a close waits for it, for at most a second.
    */
  private def claimForClose(): Unit =
    if !OutputMemory.users.compareAndSet(this, null, OutputMemory.Closes) then
      val start = System.nanoTime
      var wasInterrupted = false
      try
        while !OutputMemory.users.compareAndSet(this, null, OutputMemory.Closes) do
          val operation = user
          if (operation eq OutputMemory.Writes) || (operation eq OutputMemory.Lent) ||
            System.nanoTime - start > OutputMemory.CloseWaitNanos
          then throw busy()
          LockSupport.parkNanos(OutputMemory.CloseParkNanos)
          // An interrupted thread does not park.
          wasInterrupted |= Thread.interrupted()
      finally if wasInterrupted then Thread.currentThread.interrupt()

  private def busy(): RuntimeException =
    val operation = user
    if (operation eq OutputMemory.Writes) || (operation eq OutputMemory.Lent) then
      IllegalStateException(s"$operation the byte output, after ${before + place - base} bytes")
    else
      ConcurrentModificationException(
        s"${if operation == null then "another thread uses" else operation} the byte output"
      )

  /** The error after a data race between two threads. */
  private[buffer] final def torn()
      : ConcurrentModificationException = ConcurrentModificationException(
    s"two threads wrote to the byte output at once: its position ${before + place - base} is not in" +
      s" [0, $maxBytes] or not in its memory; reset or close it"
  )

  /** Ends a batch or a loan. */
  private[buffer] final def free(): Unit =
    admit(place - base)
    user = null

  /** Reserves room for a batch, until [[endBatch]].
    *
    * @return
    *   the array that the batch writes to, from [[batchFirst]] on; null for the memory at the end
    *   of the output. If the room spans two extents, a temporary array.
    */
  private[buffer] final def beginBatch(maxBytes: Int): Array[Byte] | Null =
    if maxBytes < 0 then
      throw IllegalArgumentException(s"maxBytes must be at least 0, but is $maxBytes")
    claim(OutputMemory.Writes)
    try
      val first = place
      val onHeap = array
      if onHeap == null && maxBytes <= OutputMemory.WindowBytes && isInWindow(first, maxBytes) then
        removeWindow()
        batchFirst = first
        null
      else beginBatchSlowly(maxBytes)
    catch
      case e: Throwable =>
        user = null
        throw e

  private[buffer] final var batchFirst = 0L

  private def beginBatchSlowly(maxBytes: Int): Array[Byte] | Null =
    val onHeap = heapFor(maxBytes, claimedAlready = true)
    if onHeap != null then
      batchFirst = indexIn(onHeap, maxBytes)
      onHeap
    else
      val at = growMemory(maxBytes)
      removeWindow()
      if extents.committed(index) - at >= maxBytes then
        if maxBytes > 0 then Cage.storable(extents.origin(index), at): Unit
        batchFirst = base + at
        null
      else
        batchFirst = 0
        new Array[Byte](maxBytes)

  private[buffer] final def check(position: Long, bytes: Int): Unit =
    checkOpen()
    if position < 0 || position > size - bytes then
      throw Bounds.outside("position", position, bytes, size)

  private[buffer] final def bytesIn(i: Int): Long =
    if i != index then extents.capacity(i)
    else
      val at = place - base
      if at < 0 || at > extents.committed(i) then throw torn()
      at

  /** The contiguous bytes at a position: at least one, at most `count`. */
  private[buffer] final def piece(position: Long, count: Long): MemorySegment =
    val onHeap = array
    if onHeap != null then
      if position + count > onHeap.length then throw torn()
      MemorySegment.ofArray(onHeap).asSlice(position, count)
    else
      val i = extents.at(position)
      val from = position - extents.start(i)
      val pieceBytes = Math.min(count, bytesIn(i) - from)
      if from < 0 || pieceBytes < 0 then throw torn()
      extents.memory(i).asSlice(from, pieceBytes)

  /** Makes extent `i` the current one, with the next byte at `at`. Only for the holder of the
    * claim.
    */
  private[buffer] final def select(i: Int, at: Long): Unit =
    removeWindow()
    index = i
    before = extents.start(i)
    base = if extents.count > i && array == null then Cage.placeOf(extents.origin(i)) else 0
    place = base + at
    admit(at)

  private[buffer] final def removeWindow(): Unit =
    OutputMemory.windows.setOpaque(this, OutputMemory.NoWindow)

  /** Sets the window for bytes from `at` on, within committed memory. There is no window in an
    * extent of less than 64 KiB, nor if memory has to be committed first; each write then takes the
    * slow path. Only for the holder of the claim.
    */
  private def admit(at: Long): Unit =
    val end = if open && base != 0 then extents.committed(index) else 0
    val isWritable =
      at >= 0 && at < end && end >= OutputMemory.WindowBytes && extents.isAlive(index)
    if isWritable then
      Cage.storable(extents.origin(index), at): Unit
      OutputMemory.windows.setOpaque(this, base + Math.min(at, end - OutputMemory.WindowBytes))
    else removeWindow()

  /** Makes room for `count` more bytes.
    *
    * @return
    *   the array with the room; null if the bytes are off-heap
    */
  private[buffer] final def heapFor(
      count: Long,
      claimedAlready: Boolean = false
  ): Array[Byte] | Null =
    if !claimedAlready then checkOpen()
    val bytes = grownBy(count)
    val onHeap = array
    if onHeap == null then null
    else if bytes > OutputMemory.HeapBytes then
      if claimedAlready then leaveHeap(bytes) else claimed(OutputMemory.Moves)(leaveHeap(bytes))
      null
    else if bytes > onHeap.length then
      val larger = java.util.Arrays.copyOf(onHeap, OutputMemory.arrayFor(bytes.toInt)).nn
      copied += bytes - count
      array = larger
      larger
    else onHeap

  private def grownBy(count: Long): Long =
    val bytes = size + count
    if bytes > maxBytes || bytes < 0 then
      throw TooLargeException("the byte output", bytes, maxBytes)
    bytes

  /** Index of the next byte in the array. */
  private[buffer] final def indexIn(onHeap: Array[Byte], count: Int): Int =
    val at = place
    if at < 0 || at > onHeap.length - count then throw torn()
    at.toInt

  /** Makes room for `count` more bytes in off-heap memory. Only for the holder of the claim.
    *
    * @return
    *   offset of the next byte in the current extent: its capacity if that is full
    */
  private[buffer] final def growMemory(count: Long): Long =
    if array != null then throw torn()
    val bytes = grownBy(count)
    val used = bytes - count
    removeWindow()
    if extents.grow(used, bytes) then
      copied += used
      select(0, used)
    else select(index, used - before)
    place - base

  private def leaveHeap(bytes: Long): Unit =
    val onHeap = array
    if onHeap == null then throw torn()
    val used = indexIn(onHeap, 0)
    if cleanable == null then cleanable = LoaderLifetime.onUnreachable(this, cleaner)
    val _ = extents.grow(0, bytes.max(1))
    MemorySegment.copy(onHeap, 0, extents.memory(0), ValueLayout.JAVA_BYTE, 0, used)
    copied += used
    array = null
    select(0, used)
end OutputMemory

private[buffer] object OutputMemory:
  /** Largest output kept on the heap, in bytes. */
  val HeapBytes = 16 << 10

  /** Size of a window in bytes: one page, the smallest commit of an extent of at least that size.
    */
  final val WindowBytes = 65536L

  /** The window that contains no place. */
  final val NoWindow = Long.MinValue

  /** Nanoseconds that a close waits for another thread's operation at most, and between two tries.
    */
  private val CloseWaitNanos = 1_000_000_000L
  private val CloseParkNanos = 100_000L

  // Holders of a claim. The first two hold it deliberately, and other uses then throw an
  // IllegalStateException.
  val Writes = "a batch writes"
  val Lent = "native code reads"
  val Appends = "another thread writes to"
  val Moves = "another thread moves"
  val Resets = "another thread resets"
  val Closes = "another thread closes"

  private val lookup = MethodHandles.privateLookupIn(classOf[OutputMemory], MethodHandles.lookup())
  val windows: VarHandle =
    lookup.findVarHandle(classOf[OutputMemory], "window", classOf[Long])
  val users: VarHandle = lookup.findVarHandle(classOf[OutputMemory], "user", classOf[String])

  private val Empty = new Array[Byte](0)

  /** The memory of an output of no bytes. */
  private val Nowhere = MemorySegment.NULL.asReadOnly()

  /** The first array has 256 bytes; each next one four times as many. */
  private def arrayFor(bytes: Int): Int =
    Math.min(HeapBytes, Math.max(256, Integer.highestOneBit(bytes - 1) << 2))
end OutputMemory
