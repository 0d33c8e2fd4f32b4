package undercroft.memory

import java.lang.foreign.{Arena, MemorySegment}

/** What a region allocates from: spans of pages, and a pointer that moves through the last one.
  *
  * {{{
  *   one span:   blocks given out | zero, ready | still to be zeroed |
  *                               top          zeroed               limit
  * }}}
  *
  * Pages that were used before are zeroed in steps a little ahead of the pointer, so that a small
  * block costs a bump and memory is in the cache when it is handed out.
  *
  * The region's own copy of the pointer moves on through the zeroed part without a call; `from` is
  * where it stands. A lane uses its bumps for one region after the other. A [[Region]] therefore
  * brings its number along, and a bump that serves another number by now refuses it.
  *
  * Confined to `thread`; where that is null, to whoever holds the bump's lock.
  */
private[memory] final class Bump(var thread: Thread | Null, lane: Lane | Null):
  private var owner = 0L

  /** Where the next block may begin, up to where memory is zero, and the generation of both. */
  var top = 0L
  var zeroed = 0L
  var generation = 0
  private var limit = 0L
  private var zeroStep = 0L
  private var spans = new Array[Long](4)
  private var sizes = new Array[Long](4)
  private var spanCount = 0
  private var windows: Array[MemorySegment | Null] = Bump.NoWindows
  private var arena: Arena | Null = null
  private var reservations: List[Reservation] = Nil
  private var budget: Budget | Null = null
  private var pages: Pages = Pages.Small
  private var nextSpanPages = 1L
  private var event: RegionEvent | Null = null

  /** The region that it serves now. */
  def number: Long = owner

  def isOpen(number: Long): Boolean = owner == number

  def open(number: Long, budget: Budget | Null, pages: Pages): Unit =
    this.budget = budget
    this.pages = pages
    nextSpanPages = 1
    zeroStep = Bump.SmallestZeroStep
    owner = number
    if Leaks.recording then Leaks.opened(Leaks.keyOf(number), 0, Owners.name(number))
    if Flight.wantsRegions then event = Flight.regionOpened()
    if budget != null then budget.enter()
    else if lane != null then
      lane.scopedLive += 1
      lane.scopedTotal += 1

  /** The address bits of a block, when the region's own pointer does not suffice.
    *
    * @param from
    *   where that pointer stands; it moves on to [[top]]
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
          giveSpansFrom(count)
          throw e
    whole.asSlice(offset - Cage.offsetOf(spans(i)), byteSize)

  def reserve(number: Long, from: Long, upToBytes: Long): Reservation =
    guarded(number, from):
      val reservation = Reservation.open(upToBytes, owner, budget, pages, thread)
      reservations = reservation :: reservations
      reservation

  /** Frees everything. FFM refuses it while native code still uses a segment; the region stays open
    * then, with that segment.
    */
  def close(number: Long, from: Long): Unit =
    guarded(number, from):
      val reserved = closeReservations()
      if arena != null then closeArena(arena.nn)
      if Leaks.recorded then Leaks.closed(Leaks.keyOf(number))
      val held = giveSpans(0)
      if event != null then record(event.nn, number, held + reserved)
      if budget != null then
        budget.nn.release(held)
        budget.nn.leave()
      else if lane != null then
        lane.scopedBytes -= held
        lane.scopedLive -= 1
      reset()
    if lane != null then lane.giveBump(this)

  /** Bytes that they held. */
  private def closeReservations(): Long =
    var held = 0L
    while reservations.nonEmpty do
      held += reservations.head.committedBytes
      reservations.head.closeWithOwner(): Unit
      reservations = reservations.tail
    held

  private def record(event: RegionEvent, number: Long, held: Long): Unit =
    val row = if budget != null then budget.nn.name else Ledger.ScopedRegions
    Flight.regionClosed(event, number, row, held, shared = thread == null)
    this.event = null

  private def reset(): Unit =
    owner = 0
    top = 0
    zeroed = 0
    limit = 0
    spanCount = 0
    budget = null
    if spans.length > Bump.SpansKept then
      spans = new Array[Long](4)
      sizes = new Array[Long](4)

  private def closeArena(arena: Arena): Unit =
    arena.close()
    var i = 0
    while i < windows.length do
      val window = windows(i)
      if window != null then Cage.space.forget(window)
      i += 1
    windows = Bump.NoWindows
    this.arena = null

  /** Runs with the right to use the bump, or refuses in words. */
  private inline def guarded[A](number: Long, from: Long)(inline body: A): A =
    val confined = thread
    if confined != null then
      if owner != number then throw RegionClosedException(Owners.name(number))
      if confined ne Thread.currentThread then
        throw RegionThreadException(
          Owners.name(number),
          confined.toString,
          Thread.currentThread.toString
        )
      top = from
      body
    else
      synchronized:
        if owner != number then throw RegionClosedException(Owners.name(number))
        body

  private def place(byteSize: Long, byteAlignment: Long, zero: Boolean): Long =
    Sizes.check(byteSize, byteAlignment)
    val bytes = byteSize.max(1)
    if aligned(byteAlignment) + bytes > limit then
      val whole = Sizes.pages(bytes)
      if byteAlignment > Cage.PageBytes then alone(bytes, byteAlignment, zero)
      else if bytes > Bump.LargestShared && whole * 4 > nextSpanPages then
        alone(bytes, byteAlignment, zero)
      else
        addSpan(nextSpanPages.max(whole))
        nextSpanPages = (nextSpanPages * 2).min(Bump.LargestSpanPages)
        bump(bytes, byteAlignment, zero)
    else bump(bytes, byteAlignment, zero)

  private def aligned(byteAlignment: Long): Long = (top + byteAlignment - 1) & -byteAlignment

  private def bump(bytes: Long, byteAlignment: Long, zero: Boolean): Long =
    val start = aligned(byteAlignment)
    val end = start + bytes
    if zero && end > zeroed then
      val until = end.max(zeroed + zeroStep).min(limit)
      zeroStep = (zeroStep * 2).min(Bump.LargestZeroStep)
      val from = zeroed.max(top)
      Zeros.write(from, until - from)
      zeroed = until
    top = end
    Cage.bitsOf(start, generation)

  /** A span for one large block; the pointer stays where it is. */
  private def alone(bytes: Long, byteAlignment: Long, zero: Boolean): Long =
    val extra = if byteAlignment > Cage.PageBytes then byteAlignment - Cage.PageBytes else 0L
    val count = Sizes.pages(bytes + extra)
    charge(count * Cage.PageBytes)
    val wantsHuge = isHuge(count)
    val bits =
      try PagePool.take(count, wantsHuge, owner, zero) & ~PagePool.AllZero
      catch case e: MemoryException => throw uncharged(count * Cage.PageBytes, e)
    record(bits, count)
    PagePool.aligned(bits, byteAlignment)

  private def addSpan(count: Long): Unit =
    charge(count * Cage.PageBytes)
    val bits =
      try
        if count == 1 then PagePool.takePage(lane, owner)
        else PagePool.take(count, isHuge(count), owner, zero = false)
      catch case e: MemoryException => throw uncharged(count * Cage.PageBytes, e)
    record(bits & ~PagePool.AllZero, count)
    top = Cage.offsetOf(bits & ~PagePool.AllZero)
    limit = top + count * Cage.PageBytes
    zeroed = if (bits & PagePool.AllZero) != 0 then limit else top
    generation = Cage.generationOf(bits)

  private def isHuge(count: Long): Boolean =
    pages == Pages.Huge && count >= Cage.ChunkPages

  private def charge(bytes: Long): Unit =
    if budget != null then budget.nn.charge(bytes)
    else if lane != null then lane.addScoped(bytes)

  private def uncharged(bytes: Long, cause: MemoryException): MemoryException =
    if budget != null then budget.nn.release(bytes)
    else if lane != null then lane.scopedBytes -= bytes
    cause

  private def record(bits: Long, count: Long): Unit =
    if spanCount == spans.length then
      spans = java.util.Arrays.copyOf(spans, spanCount * 2)
      sizes = java.util.Arrays.copyOf(sizes, spanCount * 2)
    if Leaks.recorded then Leaks.grown(Leaks.keyOf(owner), count * Cage.PageBytes)
    spans(spanCount) = bits
    sizes(spanCount) = count
    spanCount += 1

  /** Gives back what was taken for a block of which there is no segment. */
  private def giveSpansFrom(count: Int): Unit =
    val held = giveSpans(count)
    spanCount = count
    if Leaks.recorded then Leaks.grown(Leaks.keyOf(owner), -held)
    if budget != null then budget.nn.release(held)
    else if lane != null then lane.scopedBytes -= held

  private def giveSpans(from: Int): Long =
    var held = 0L
    var i = from
    while i < spanCount do
      val count = sizes(i)
      held += count * Cage.PageBytes
      if count == 1 then
        PagePool.givePage(lane, PagePool.page(spans(i)), Cage.generationOf(spans(i)))
      else PagePool.give(spans(i), count, count, isHuge(count))
      i += 1
    held

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
      val made = if thread != null then Arena.ofConfined() else Arena.ofShared()
      arena = made
      made

  private def window(i: Int): MemorySegment =
    if windows.length < spans.length then windows = java.util.Arrays.copyOf(windows, spans.length)
    val known = windows(i)
    if known != null then known
    else
      val made =
        Cage.space.window(Cage.offsetOf(spans(i)), sizes(i) * Cage.PageBytes, openArena())
      windows(i) = made
      made
end Bump

private[memory] object Bump:
  private val NoWindows = new Array[MemorySegment | Null](0)

  /** Blocks above a quarter page get a span of their own where the next span is small. */
  private val LargestShared = Cage.PageBytes / 4

  /** Zeroed ahead at first, doubling up to 4 KiB: a small region pays little, and the memory is
    * still in the first cache when it is handed out.
    */
  private val SmallestZeroStep = 512L
  private val LargestZeroStep = 4096L

  /** Spans of a region grow up to a chunk. */
  private val LargestSpanPages = Cage.ChunkPages.toLong

  /** The books of regions with more spans than this are not kept for the next region. */
  private val SpansKept = 1024
end Bump
