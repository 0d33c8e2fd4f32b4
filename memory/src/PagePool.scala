package undercroft.memory

import java.util.ArrayDeque

/** Gives out spans of pages, and keeps what comes back for reuse.
  *
  * {{{
  *   a lane's own pages      single pages, no lock: Lane
  *   recent                  spans given back a moment ago: only for the thread that gave them
  *   small, huge             free spans for everyone, neighbours grown together
  *   frontier                pages that never were used
  * }}}
  *
  * A span comes back to the thread that gave it at once, and to others only after [[DelayNanos]]:
  * by then a store that raced with the close has long happened. What is idle counts against the
  * limit of the whole process, and goes back to the system, in chunks, when it grows beyond
  * [[idleLimitBytes]] or when the limit is reached.
  *
  * Any thread: one lock, held for O(log n) of the spans plus one pass over the table's entries of
  * pages that were ever used.
  */
private[memory] object PagePool:
  /** Beside the address bits of a page, whose offset's lowest bits are zero: the memory is zero. */
  inline val AllZero = 0x100000L

  /** 1 ms: thousands of times what a store takes that has already passed its check. */
  private val DelayNanos = 1_000_000L

  /** Recent spans looked through for one of the own thread; more than these wait their delay. */
  private val RecentSearched = 64

  /** Pieces with huge pages of their own; each may cost the kernel a mapping, of which it has 65
    * 530.
    */
  private val HugePieces = 8192

  private final class Recent(
      val start: Long,
      val pages: Long,
      val huge: Boolean,
      val thread: Long,
      val at: Long
  )

  private val lock = Object()
  private val recent = ArrayDeque[Recent]()
  private val small = FreeSpans()
  private val huge = FreeSpans()
  private val retired = java.util.HashMap[Long, Int]()
  private var frontier: Long = Cage.ChunkPages
  private val end: Long = Cage.space.range / Cage.PageBytes - Cage.ChunkPages
  private var idle = 0L
  private var retiredPages = 0L
  private var hugePieces = 0
  private var hugeEnd = 0L

  /** All memory that is live or idle: the whole process's budget. */
  val whole: Budget = Budget("the whole process", limit(), shown = false)

  /** Bytes kept for reuse before they go back to the system. */
  val idleLimitBytes: Long = Settings.idleBytes.getOrElse(whole.limitBytes / 2)

  Ledger.start()

  def idleBytes: Long = lock.synchronized(idle)
  def retiredBytes: Long = lock.synchronized(retiredPages * Cage.PageBytes)

  private def limit(): Long = Cage.space.capacity.fold(Limits.current)(_.min(Limits.current))

  /** Takes a span whose pages become live as the caller opens them. Its generation is the highest
    * next one of its pages; nothing is charged, and what the pages hold is as it was left.
    *
    * @return
    *   the address bits of its beginning
    */
  def reserve(pages: Long, wantsHuge: Boolean): Long = lock.synchronized:
    val start = find(pages, wantsHuge)
    idle -= writtenPages(start, pages) * Cage.PageBytes
    try Cage.space.raise((start + pages) * Cage.PageBytes)
    catch
      case e: MemoryException =>
        unreserve(start, pages, wantsHuge)
        throw e
    Cage.bitsOf(start << Cage.PageShift, Generations.forSpan(start, pages, frontier))

  /** Makes pages of a reserved span live: charged, and zeroed if that is asked for.
    *
    * @return
    *   whether all of it is zero
    */
  def commit(start: Long, pages: Long, generation: Int, owner: Long, zero: Boolean): Boolean =
    val fresh = pages - writtenPages(start, pages)
    charge(fresh * Cage.PageBytes)
    try prepare(start, pages, zero)
    catch
      case e: MemoryException =>
        whole.release(fresh * Cage.PageBytes)
        throw e
    Generations.open(start, pages, generation, owner)
    zero || fresh == pages

  private def prepare(start: Long, pages: Long, zero: Boolean): Unit =
    var i = start
    while i < start + pages do
      val run = i
      val written = Generations.isWritten(Generations.entry(i))
      while i < start + pages && Generations.isWritten(Generations.entry(i)) == written do i += 1
      val offset = run << Cage.PageShift
      val bytes = (i - run) << Cage.PageShift
      if !written then Cage.space.commit(offset, bytes)
      else if zero then Zeros.write(offset, bytes)
  end prepare

  /** Takes a live span; see [[reserve]] and [[commit]].
    *
    * @return
    *   the address bits of its beginning, plus [[AllZero]] where all of it is zero
    */
  def take(pages: Long, wantsHuge: Boolean, owner: Long, zero: Boolean): Long =
    val bits = reserve(pages, wantsHuge)
    val start = page(bits)
    val allZero =
      try commit(start, pages, Cage.generationOf(bits), owner, zero)
      catch
        case e: MemoryException =>
          unreserve(start, pages, wantsHuge)
          throw e
    if allZero then bits | AllZero else bits

  /** Takes a live page, the lane's own first; as [[take]] tells, it may be zero. */
  def takePage(lane: Lane | Null, owner: Long): Long =
    if lane == null then take(1, wantsHuge = false, owner, zero = false)
    else
      val page = lane.takePage()
      val entry = Generations.entry(page)
      val generation =
        if entry == Generations.Fresh then Generations.first(page) else Generations.next(entry)
      val bits = Cage.bitsOf(page << Cage.PageShift, generation)
      if Generations.isWritten(entry) then
        Generations.open(page, 1, generation, owner)
        bits
      else
        try
          val _ = commit(page, 1, generation, owner, zero = false)
          bits | AllZero
        catch
          case e: MemoryException =>
            lane.givePage(page)
            throw e

  /** Ends the life of a single page whose last generation was `generation`. */
  def givePage(lane: Lane | Null, page: Long, generation: Int): Unit =
    Generations.close(page, 1, generation)
    if Generations.isLast(generation, 1) then retire(page, 1)
    else if lane == null then unreserve(page, 1, isHuge = false)
    else lane.givePage(page)

  def page(bits: Long): Long = Cage.offsetOf(bits) >>> Cage.PageShift

  /** The first address from these bits on that is aligned. */
  def aligned(bits: Long, byteAlignment: Long): Long =
    Cage.moved(bits, -Cage.offsetOf(bits) & (byteAlignment - 1))

  /** Ends the life of the first `live` pages of a span, and takes all of it back. */
  def give(bits: Long, live: Long, pages: Long, isHuge: Boolean): Unit =
    val start = page(bits)
    Generations.close(start, live, Cage.generationOf(bits))
    if live > 0 && Generations.isLast(Cage.generationOf(bits), live) then
      retire(start, live)
      if pages > live then unreserve(start + live, pages - live, isHuge)
    else unreserve(start, pages, isHuge)

  /** Takes back pages that are free already, such as those of a lane. */
  def unreserve(start: Long, pages: Long, isHuge: Boolean): Unit =
    val now = System.nanoTime
    val thread = Thread.currentThread.threadId
    lock.synchronized:
      idle += writtenPages(start, pages) * Cage.PageBytes
      recent.addLast(Recent(start, pages, isHuge, thread, now))
      settle(now)
      if idle > idleLimitBytes then
        settle(now + DelayNanos)
        returnDownTo(idleLimitBytes)

  /** Returns idle memory to the system, until at most `keepBytes` are left. */
  def trim(keepBytes: Long): Unit = lock.synchronized:
    settle(System.nanoTime + DelayNanos)
    returnDownTo(keepBytes)

  /** Pages whose generations are used up are never given out again; whole chunks of them return. */
  def retire(start: Long, pages: Long): Unit = lock.synchronized:
    retiredPages += pages
    var i = start
    while i < start + pages do
      val chunk = i / Cage.ChunkPages
      val bit = 1 << (i % Cage.ChunkPages).toInt
      val mask = retired.getOrDefault(chunk, 0) | bit
      if mask != -1 then
        val _ = retired.put(chunk, mask)
      else
        val _ = retired.remove(chunk)
        if Cage.space.returnsMemory then
          Cage.space.giveBack(chunk * Cage.ChunkBytes, Cage.ChunkBytes)
          whole.release(Cage.ChunkBytes)
          Flight.poolChanged(-Cage.ChunkBytes)
          retiredPages -= Cage.ChunkPages
      i += 1

  private def charge(bytes: Long): Unit =
    if bytes > 0 && !whole.tryCharge(bytes) then
      lock.synchronized:
        settle(System.nanoTime + DelayNanos)
        val missing = (whole.liveBytes + bytes - whole.limitBytes).max(0)
        if missing <= idle then returnDownTo(idle - missing)
        whole.charge(bytes)
    if bytes > 0 then Flight.poolChanged(bytes)

  private def find(pages: Long, wantsHuge: Boolean): Long =
    val spans = if wantsHuge then huge else small
    val own = ownRecent(pages, wantsHuge)
    if own >= 0 then own
    else
      settle(System.nanoTime)
      val free = spans.take(pages)
      if free >= 0 then free else fromFrontier(pages, spans, wantsHuge)

  private def fromFrontier(pages: Long, spans: FreeSpans, wantsHuge: Boolean): Long =
    val whole = (pages + Cage.ChunkPages - 1) / Cage.ChunkPages * Cage.ChunkPages
    if whole > end - frontier then
      throw MemoryLimitException(
        "the cage's address space",
        pages * Cage.PageBytes,
        (end - frontier) * Cage.PageBytes
      )
    val start = frontier
    frontier += whole
    if wantsHuge then advise(start, whole)
    if whole > pages then spans.add(start + pages, whole - pages)
    start

  private def advise(start: Long, pages: Long): Unit =
    if start != hugeEnd then hugePieces += 1
    if hugePieces <= HugePieces then
      val _ = Cage.space.adviseHuge(start * Cage.PageBytes, pages * Cage.PageBytes)
      hugeEnd = start + pages

  private def ownRecent(pages: Long, wantsHuge: Boolean): Long =
    val thread = Thread.currentThread.threadId
    val each = recent.descendingIterator
    var best: Recent | Null = null
    var searched = 0
    while each.hasNext && searched < RecentSearched do
      val span = each.next
      searched += 1
      val fits = span.thread == thread && span.huge == wantsHuge && span.pages >= pages
      if fits && (best == null || span.pages < best.pages) then best = span
    if best == null then -1L
    else
      val _ = recent.remove(best)
      if best.pages > pages then
        recent.addLast(Recent(best.start + pages, best.pages - pages, wantsHuge, thread, best.at))
      best.start

  /** Hands spans that waited for their delay to everyone. */
  private def settle(now: Long): Unit =
    while !recent.isEmpty && now - recent.peekFirst.at >= DelayNanos do
      val span = recent.pollFirst
      (if span.huge then huge else small).add(span.start, span.pages)

  private def writtenPages(start: Long, pages: Long): Long =
    val used = Generations.usedEnd(start, pages)
    var count = 0L
    var i = start
    while i < used do
      if Generations.isWritten(Generations.entry(i)) then count += 1
      i += 1
    count

  private def returnDownTo(keepBytes: Long): Unit =
    if Cage.space.returnsMemory && idle > keepBytes then
      val before = idle
      val visit = (start: Long, pages: Long) => returnChunks(start, pages, keepBytes)
      small.foreach(visit)
      huge.foreach(visit)
      if idle < before then Flight.poolChanged(idle - before)

  /** Returns the written chunks that lie wholly in a free span, neighbours in one call. */
  private def returnChunks(start: Long, pages: Long, keepBytes: Long): Unit =
    var chunk = (start + Cage.ChunkPages - 1) / Cage.ChunkPages
    val last = (start + pages) / Cage.ChunkPages
    while chunk < last && idle > keepBytes do
      val from = chunk
      var bytes = 0L
      var written = writtenIn(chunk)
      while chunk < last && written > 0 && idle - bytes > keepBytes do
        bytes += written * Cage.PageBytes
        chunk += 1
        if chunk < last then written = writtenIn(chunk)
      if chunk == from then chunk += 1
      else
        Cage.space.giveBack(from * Cage.ChunkBytes, (chunk - from) * Cage.ChunkBytes)
        markReturned(from * Cage.ChunkPages, (chunk - from) * Cage.ChunkPages)
        idle -= bytes
        whole.release(bytes)
  end returnChunks

  private def writtenIn(chunk: Long): Long = writtenPages(chunk * Cage.ChunkPages, Cage.ChunkPages)

  private def markReturned(start: Long, pages: Long): Unit =
    var i = start
    while i < start + pages do
      val entry = Generations.entry(i)
      if entry != Generations.Fresh then Generations.setEntry(i, Generations.returned(entry))
      i += 1
end PagePool
