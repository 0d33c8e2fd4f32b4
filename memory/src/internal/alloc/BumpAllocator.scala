package undercroft.memory
package internal.alloc

import internal.cage.{Cage, OwnerNames, ZeroFill}
import internal.observe.{Leaks, MemoryJfr, NamedBudgets, RegionEvent}
import internal.platform.Native
import java.lang.foreign.{Arena, MemorySegment}
import java.util.ArrayDeque

/** The bump allocator of a region: spans of pages, and a pointer that moves through the last span.
  *
  * {{{
  *   one span:   allocated blocks | zero, ready | not yet zeroed |
  *                               top          zeroed           limit
  * }}}
  *
  * Reused pages are zeroed in steps a little ahead of the pointer, so that a small block costs one
  * addition and its memory is in the CPU's cache.
  *
  * The region advances its own copy of the pointer through the zeroed part without a call; `from`
  * is that copy. A thread cache reuses its bump allocators for one region after the other, so a
  * [[Region]] passes its number, and a bump allocator that serves another number rejects the call.
  *
  * Confined to `thread`; if that is null, to the holder of its lock.
  */
private[memory] final class BumpAllocator(var thread: Thread | Null, cache: ThreadCache | Null):
  private var owner = 0L

  /** The next free byte, the end of the zeroed part, and the generation of both. */
  var top = 0L
  var zeroed = 0L
  var generation = 0
  private var limit = 0L
  private var zeroStep = 0L
  private var spans = new Array[Long](4)
  private var sizes = new Array[Long](4)
  private var spanCount = 0
  private var windows: Array[MemorySegment | Null] = BumpAllocator.NoWindows
  private var arena: Arena | Null = null
  private val reservations = ArrayDeque[Reservation](1)
  private var reservationCount = 0
  private var maxReservations = BumpAllocator.LeastRemoved
  private var budget: Budget | Null = null
  private var pages: Pages = Pages.Small
  private var nextSpanPages = 1L
  private var event: RegionEvent | Null = null
  private var errors: Throwable | Null = null

  /** The number of the region that it currently serves. */
  def number: Long = owner

  def isOpen(number: Long): Boolean = owner == number

  def open(number: Long, budget: Budget | Null, pages: Pages): Unit =
    this.budget = budget
    this.pages = pages
    nextSpanPages = 1
    zeroStep = BumpAllocator.SmallestZeroStep
    owner = number
    if Leaks.recording then Leaks.opened(Leaks.keyOf(number), 0, OwnerNames.name(number))
    if MemoryJfr.wantsRegions then event = MemoryJfr.regionOpened()
    if budget != null then budget.enter()
    else if cache != null then
      cache.scopedLive += 1
      cache.scopedTotal += 1

  /** Allocates a block if the region's own pointer does not suffice; returns its address bits.
    *
    * @param from
    *   the region's pointer; its new value is [[top]]
    */
  def block(number: Long, from: Long, byteSize: Long, byteAlignment: Long, zero: Boolean): Long =
    guarded(number, from)(place(byteSize, byteAlignment, zero))

  def segment(
      number: Long,
      from: Long,
      byteSize: Long,
      byteAlignment: Long,
      zero: Boolean
  ): MemorySegment =
    guarded(number, from):
      cut(byteSize, byteAlignment, zero)

  private def cut(byteSize: Long, byteAlignment: Long, zero: Boolean): MemorySegment =
    val (begin, ready, end) = (top, zeroed, limit)
    val (current, count) = (generation, spanCount)
    val offset = Cage.offsetOf(place(byteSize, byteAlignment, zero))
    val i = spanOf(offset)
    val whole =
      try window(i)
      catch
        case e: MemoryException =>
          top = begin
          zeroed = ready
          limit = end
          generation = current
          releaseSpansFrom(count)
          throw e
    whole.asSlice(offset - Cage.offsetOf(spans(i)), byteSize)

  def reserve(number: Long, from: Long, maxBytes: Long): Reservation =
    guarded(number, from):
      val reservation = Reservation.open(maxBytes, owner, budget, pages, thread)
      if reservationCount >= maxReservations then removeClosedReservations()
      reservations.push(reservation)
      reservationCount += 1
      reservation

  private def removeClosedReservations(): Unit =
    val _ = reservations.removeIf(!_.isOpen)
    reservationCount = reservations.size
    maxReservations = Math.max(2 * reservationCount, BumpAllocator.LeastRemoved)

  /** Frees all memory. FFM rejects this while native code uses a segment, and [[Pins]] while a call
    * uses a pointer; the region then stays open, and another close frees the rest. Segments and
    * reservations have arenas of their own, which cannot be closed together: a segment in use keeps
    * everything open; a reservation in use keeps itself, the later ones and all blocks.
    *
    * @return
    *   the errors of the functions that [[attach]] was given, the first with the others suppressed
    */
  def close(number: Long, from: Long): Throwable | Null =
    val errors = guarded(number, from):
      if cache == null then Pins.closingOwner(number)(() => release(number))
      else
        if cache.pins != null then Pins.rejectOwner(number, cache)
        release(number)
      takeErrors()
    if cache != null then cache.returnAllocator(this)
    errors

  /** Memory of another owner, as a segment that is valid until the close, which calls `free` once.
    */
  def attach(
      number: Long,
      from: Long,
      memory: MemorySegment,
      bytes: Long,
      free: MemorySegment => Unit
  ): MemorySegment =
    guarded(number, from):
      Native.attached(
        memory,
        bytes,
        openArena(),
        attached =>
          // An error must not end the close before the pages are released.
          try free(attached)
          catch case error: Throwable => addError(error)
      )

  private def addError(error: Throwable): Unit =
    val first = errors
    if first == null then errors = error
    else if first ne error then first.addSuppressed(error)

  private def takeErrors(): Throwable | Null =
    val all = errors
    errors = null
    all

  private def release(number: Long): Unit =
    // The arena first: if it cannot be closed, no reservation may be.
    if arena != null then closeArena(arena.nn)
    val reserved = closeReservations()
    if Leaks.recorded then Leaks.closed(Leaks.keyOf(number))
    // If an error ends the release, a later allocation takes a new span, and not a released one.
    top = 0
    zeroed = 0
    limit = 0
    val spanBytes = releaseSpans(0)
    if event != null then record(event.nn, number, spanBytes + reserved)
    if cache == null && thread != null then ThreadCache.forget(number)
    if budget != null then
      OwnerNames.closed(number)
      budget.nn.leave()
    else if cache != null then cache.scopedLive -= 1
    reset()

  /** Closes the reservations and returns the bytes they held. */
  private def closeReservations(): Long =
    var bytes = 0L
    while !reservations.isEmpty do
      val youngest = reservations.peek.nn
      bytes += youngest.committedBytes
      youngest.closeWithOwner(): Unit
      val _ = reservations.pop()
      reservationCount -= 1
    bytes

  private def record(event: RegionEvent, number: Long, bytes: Long): Unit =
    val row = if budget != null then budget.nn.name else NamedBudgets.ScopedRegions
    MemoryJfr.regionClosed(event, number, row, bytes, shared = thread == null)
    this.event = null

  private def reset(): Unit =
    owner = 0
    top = 0
    zeroed = 0
    limit = 0
    spanCount = 0
    maxReservations = BumpAllocator.LeastRemoved
    budget = null
    if spans.length > BumpAllocator.SpansKept then
      spans = new Array[Long](4)
      sizes = new Array[Long](4)

  private def closeArena(arena: Arena): Unit =
    arena.close()
    // At once: an error below must not make the next close fail, which would close it again.
    this.arena = null
    val closedWindows = windows
    windows = BumpAllocator.NoWindows
    var i = 0
    while i < closedWindows.length do
      val window = closedWindows(i)
      if window != null then Cage.space.forget(window)
      i += 1

  /** Runs `body` if the region is open and, if confined, the caller is the owner thread; otherwise
    * throws.
    */
  private inline def guarded[A](number: Long, from: Long)(inline body: A): A =
    val confined = thread
    if confined != null then
      if owner != number then throw RegionClosedException(OwnerNames.name(number))
      if confined ne Thread.currentThread then
        throw RegionThreadException(
          OwnerNames.name(number),
          confined.toString,
          Thread.currentThread.toString
        )
      top = from
      body
    else
      synchronized:
        if owner != number then throw RegionClosedException(OwnerNames.name(number))
        body

  private def place(byteSize: Long, byteAlignment: Long, zero: Boolean): Long =
    Sizes.check(byteSize, byteAlignment)
    val bytes = Math.max(byteSize, 1)
    if aligned(byteAlignment) + bytes > limit then
      val whole = Sizes.pages(bytes)
      if byteAlignment > Cage.PageBytes then alone(bytes, byteAlignment, zero)
      else if bytes > BumpAllocator.LargestShared && whole * 4 > nextSpanPages then
        alone(bytes, byteAlignment, zero)
      else
        addRegularSpan(whole)
        bump(bytes, byteAlignment, zero)
    else bump(bytes, byteAlignment, zero)

  private def aligned(byteAlignment: Long): Long = (top + byteAlignment - 1) & -byteAlignment

  private def bump(bytes: Long, byteAlignment: Long, zero: Boolean): Long =
    val start = aligned(byteAlignment)
    val end = start + bytes
    if zero && end > zeroed then
      val until = Math.min(Math.max(end, zeroed + zeroStep), limit)
      zeroStep = Math.min(zeroStep * 2, BumpAllocator.LargestZeroStep)
      val from = Math.max(zeroed, top)
      ZeroFill.write(from, until - from)
      zeroed = until
    top = end
    Cage.bitsOf(start, generation)

  /** Allocates a span for one large block; the pointer is unchanged. */
  private def alone(bytes: Long, byteAlignment: Long, zero: Boolean): Long =
    val extra = if byteAlignment > Cage.PageBytes then byteAlignment - Cage.PageBytes else 0L
    val count = Sizes.pages(bytes + extra)
    makeRoom()
    charge(count * Cage.PageBytes, isOptional = false)
    val wantsHuge = isHuge(count)
    val bits =
      try PagePool.take(count, wantsHuge, owner, zero) & ~PagePool.AllZero
      catch case e: MemoryException => throw uncharged(count * Cage.PageBytes, e)
    record(bits, count)
    raisePeak()
    // Several blocks of one page with a span each would waste most of it: soon they share spans.
    if count == 1 && spanCount > 1 then nextSpanPages *= 2
    PagePool.aligned(bits, byteAlignment)

  /** Adds a span for a block of `least` pages and for later blocks. A limit may have room for the
    * block, but not for the later ones: then the spans begin to double again.
    */
  private def addRegularSpan(least: Long): Unit =
    val count = Math.max(nextSpanPages, least)
    try addSpan(count, isOptional = count > least)
    catch
      case _: MemoryLimitException if count > least =>
        addSpan(least, isOptional = false)
        nextSpanPages = least
    nextSpanPages = Math.min(nextSpanPages * 2, BumpAllocator.LargestSpanPages)

  private def addSpan(count: Long, isOptional: Boolean): Unit =
    makeRoom()
    charge(count * Cage.PageBytes, isOptional)
    val bits =
      try
        if count == 1 then PagePool.takePage(cache, owner)
        else PagePool.take(count, isHuge(count), owner, zero = false, isOptional)
      catch case e: MemoryException => throw uncharged(count * Cage.PageBytes, e)
    record(bits & ~PagePool.AllZero, count)
    raisePeak()
    top = Cage.offsetOf(bits & ~PagePool.AllZero)
    limit = top + count * Cage.PageBytes
    zeroed = if (bits & PagePool.AllZero) != 0 then limit else top
    generation = Cage.generationOf(bits)

  private def isHuge(count: Long): Boolean =
    pages == Pages.Huge && count >= Cage.ChunkPages

  private def charge(bytes: Long, isOptional: Boolean): Unit =
    if budget != null then budget.nn.hold(bytes, isOptional)
    else if cache != null then cache.scopedBytes += bytes

  /** Updates the peak after the charged pages were allocated. */
  private def raisePeak(): Unit =
    if budget != null then budget.nn.raisePeak()
    else if cache != null then cache.raiseScopedPeak()

  private def discharge(bytes: Long): Unit =
    if budget != null then budget.nn.release(bytes)
    else if cache != null then cache.scopedBytes -= bytes

  private def uncharged(bytes: Long, cause: MemoryException): MemoryException =
    discharge(bytes)
    cause

  /** Makes room for the record of one more span, before it is charged: this may fail. */
  private def makeRoom(): Unit =
    if spanCount == spans.length then
      val largerSizes = java.util.Arrays.copyOf(sizes, spanCount * 2)
      spans = java.util.Arrays.copyOf(spans, spanCount * 2)
      sizes = largerSizes

  private def record(bits: Long, count: Long): Unit =
    spans(spanCount) = bits
    sizes(spanCount) = count
    spanCount += 1
    if Leaks.recorded then Leaks.grown(Leaks.keyOf(owner), count * Cage.PageBytes)

  /** Releases the spans from index `count` on, after the creation of a segment failed. */
  private def releaseSpansFrom(count: Int): Unit =
    val bytes = releaseSpans(count)
    if Leaks.recorded then Leaks.grown(Leaks.keyOf(owner), -bytes)

  /** Releases the spans from index `from` on, the last one first, and returns their bytes. A span
    * is removed before its release: if an error such as a StackOverflowError ends this, a repeated
    * close must not release it again, because it may have another owner by then.
    */
  private def releaseSpans(from: Int): Long =
    var bytes = 0L
    while spanCount > from do
      spanCount -= 1
      val bits = spans(spanCount)
      val count = sizes(spanCount)
      bytes += count * Cage.PageBytes
      discharge(count * Cage.PageBytes)
      if count == 1 then
        PagePool.releasePage(cache, PagePool.page(bits), Cage.generationOf(bits))
      else PagePool.release(bits, count, count, isHuge(count))
    bytes

  private def spanOf(offset: Long): Int =
    var i = spanCount - 1
    while offset - Cage.offsetOf(spans(i)) < 0
      || offset - Cage.offsetOf(spans(i)) >= sizes(i) * Cage.PageBytes
    do i -= 1
    i

  private def openArena(): Arena =
    val open = arena
    if open != null then open
    else
      val newArena = if thread != null then Arena.ofConfined() else Arena.ofShared()
      arena = newArena
      newArena

  private def window(i: Int): MemorySegment =
    if windows.length < spans.length then windows = java.util.Arrays.copyOf(windows, spans.length)
    val segment = windows(i)
    if segment != null then segment
    else
      val newSegment =
        Cage.space.window(Cage.offsetOf(spans(i)), sizes(i) * Cage.PageBytes, openArena())
      windows(i) = newSegment
      newSegment
end BumpAllocator

private[memory] object BumpAllocator:
  private val NoWindows = new Array[MemorySegment | Null](0)

  /** A larger block gets its own span if the next regular span is small: a quarter page. */
  private val LargestShared = Cage.PageBytes / 4

  /** Bytes zeroed ahead: initially 512, doubling to 4 KiB. A small region zeroes little, and the
    * memory is still in L1 when it is allocated.
    */
  private val SmallestZeroStep = 512L
  private val LargestZeroStep = 4096L

  /** Largest regular span of a region: a chunk. */
  private val LargestSpanPages = Cage.ChunkPages.toLong

  /** Smallest number of reservations that are searched for closed ones. */
  private val LeastRemoved = 16

  /** Largest capacity of the span arrays that the next region reuses. */
  private val SpansKept = 1024
end BumpAllocator
