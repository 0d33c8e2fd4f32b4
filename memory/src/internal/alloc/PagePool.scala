package undercroft.memory
package internal.alloc

import internal.cage.{Cage, PageTable, ZeroFill}
import internal.observe.MemoryJfr
import internal.platform.{Limits, Settings}
import java.util.ArrayDeque
import java.util.concurrent.locks.LockSupport

/** Allocates spans of pages and keeps released ones for reuse.
  *
  * {{{
  *   of a thread cache       single pages, no lock: ThreadCache
  *   recent                  spans just released: only for the thread that released them
  *   small, huge             free spans for all threads, neighbours coalesced
  *   reserved                the parts of reservations that are not committed yet
  *   frontier                pages that were never used
  * }}}
  *
  * A released span is available at once to the thread that released it, and to others, or to the
  * system, only after [[DelayNanos]] (quarantine): by then a store that raced with the close has
  * completed. Idle memory, in free spans and in reserved ones, counts against the limit of the
  * process. It is returned to the system, in chunks, when it exceeds [[idleLimitBytes]] after the
  * quarantine, or when the limit is reached: a request then waits for the quarantine.
  *
  * Thread-safe: one lock, held for O(log n) in the number of spans plus one pass over the page
  * table entries of used pages.
  */
private[memory] object PagePool:
  /** Flag in the address bits of a page, whose lowest offset bits are zero: the memory is zeroed.
    */
  inline val AllZero = 0x100000L

  /** 1 ms: thousands of times the duration of a store that has already passed its check. */
  private val DelayNanos = 1_000_000L

  /** Recent spans searched for one of the current thread. */
  private val RecentSearched = 64

  /** Most ranges with huge pages; each may cost a kernel mapping, and a process is limited to 65
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
  private val reserved = ReservedSpans()
  private val retired = java.util.HashMap[Long, Int]()
  private var frontier: Long = Cage.ChunkPages
  private val end: Long = Cage.space.range / Cage.PageBytes - Cage.ChunkPages
  private var idle = 0L
  private var retiredPages = 0L
  private var hugePieces = 0
  private var hugeEnd = 0L

  /** The budget of the process: all live or idle memory. */
  val whole: Budget = Budget("the whole process", limit(), isShown = false)

  /** Limit of idle memory in bytes before it is returned to the system. */
  val idleLimitBytes: Long =
    val bytes = Settings.idleBytes
    if bytes >= 0 then bytes else whole.limitBytes / 2

  if Settings.mxbean then Ledger.start()

  def idleBytes: Long = lock.synchronized(idle)
  def retiredBytes: Long = lock.synchronized(retiredPages * Cage.PageBytes)

  private def limit(): Long = Math.min(Cage.space.capacity, Limits.current)

  /** Takes a span whose pages the caller makes live later, with [[commit]]. Its generation is the
    * highest next generation of its pages; nothing is charged, and the pages are not zeroed. Its
    * written pages stay charged, and are no longer idle.
    *
    * @return
    *   the address bits of its beginning
    */
  def claim(pages: Long, wantsHuge: Boolean): Long = lock.synchronized:
    val bits = locate(pages, wantsHuge)
    idle -= writtenPages(page(bits), pages) * Cage.PageBytes
    bits

  /** Takes a span for a reservation, which makes its pages live from the beginning on, with
    * [[commitReserved]]. Its written pages stay idle until then: they may be returned to the system
    * meanwhile, so a reservation that is much larger than its use keeps no memory from others.
    *
    * @return
    *   the same as [[claim]]
    */
  def reserve(pages: Long, wantsHuge: Boolean): Long = lock.synchronized:
    val bits = locate(pages, wantsHuge)
    reserved.add(page(bits), page(bits) + pages)
    bits

  private def locate(pages: Long, wantsHuge: Boolean): Long =
    val start = find(pages, wantsHuge)
    Cage.bitsOf(start << Cage.PageShift, PageTable.forSpan(start, pages, frontier))

  /** Makes the next `pages` pages of a reserved span live, from `start` on; see [[commit]]. */
  def commitReserved(
      start: Long,
      pages: Long,
      end: Long,
      generation: Int,
      owner: Long,
      zero: Boolean,
      isOptional: Boolean
  ): Boolean =
    lock.synchronized:
      reserved.setStart(start + pages, end)
      idle -= writtenPages(start, pages) * Cage.PageBytes
    try commit(start, pages, generation, owner, zero, isOptional)
    catch
      case e: MemoryException =>
        lock.synchronized:
          reserved.setStart(start, end)
          idle += writtenPages(start, pages) * Cage.PageBytes
        throw e

  /** Releases a reserved span whose first `live` pages are live. */
  def releaseReserved(bits: Long, live: Long, pages: Long, isHuge: Boolean): Unit =
    val end = page(bits) + pages
    lock.synchronized:
      val start = reserved.remove(end)
      idle -= writtenPages(start, end - start) * Cage.PageBytes
    release(bits, live, pages, isHuge)

  /** Bytes of address space for one more reservation without a size of its own, while `open` others
    * exist: at first the limit of the process, and less the more there are, so that any number
    * fits.
    */
  def share(open: Long, mostBytes: Long): Long = lock.synchronized:
    val free = (end - frontier) * Cage.PageBytes
    val whole = Math.max(Cage.space.range / Math.max(this.whole.limitBytes, 1) / 4, 1)
    Math.min(
      Math.max(java.lang.Long.highestOneBit(free / (2 * (open + whole))), Cage.PageBytes),
      mostBytes
    )

  /** Makes pages of a claimed span live: charges them, and zeroes them if `zero` is set.
    *
    * @param isOptional
    *   the same as in [[Budget.hold]]
    * @return
    *   whether all of them are zero
    */
  private def commit(
      start: Long,
      pages: Long,
      generation: Int,
      owner: Long,
      zero: Boolean,
      isOptional: Boolean
  ): Boolean =
    val fresh = pages - writtenPages(start, pages)
    charge(fresh * Cage.PageBytes, isOptional)
    try prepare(start, pages, zero)
    catch
      case e: MemoryException =>
        whole.release(fresh * Cage.PageBytes)
        throw e
    if fresh > 0 then
      whole.raisePeak()
      MemoryJfr.poolChanged(fresh * Cage.PageBytes, whole.liveBytes)
    PageTable.open(start, pages, generation, owner)
    zero || fresh == pages
  end commit

  private def prepare(start: Long, pages: Long, zero: Boolean): Unit =
    var i = start
    while i < start + pages do
      val run = i
      val written = PageTable.isWritten(PageTable.entry(i))
      while i < start + pages && PageTable.isWritten(PageTable.entry(i)) == written do i += 1
      val offset = run << Cage.PageShift
      val bytes = (i - run) << Cage.PageShift
      if !written then Cage.space.commit(offset, bytes)
      else if zero then ZeroFill.write(offset, bytes)
  end prepare

  /** Allocates a live span; see [[claim]] and [[commit]]. If a limit rejects pages that are not
    * written, takes written ones, which are charged already.
    *
    * @param isOptional
    *   the same as in [[Budget.hold]]
    * @return
    *   the address bits of its beginning, plus [[AllZero]] if all of it is zero
    */
  def take(
      pages: Long,
      wantsHuge: Boolean,
      owner: Long,
      zero: Boolean,
      isOptional: Boolean = false
  ): Long =
    // Rejected before its claim: a file would keep the page table of the claimed pages.
    if pages * Cage.PageBytes > whole.limitBytes then whole.hold(pages * Cage.PageBytes, isOptional)
    try takeAny(pages, wantsHuge, owner, zero, isOptional = true)
    catch
      case e: MemoryLimitException =>
        val bits =
          if isOptional then claimSettled(pages, wantsHuge) else claimWritten(pages, wantsHuge)
        if bits >= 0 then openSpan(bits, pages, owner, zero, isOptional = true)
        else if isOptional then throw e
        else takeAny(pages, wantsHuge, owner, zero, isOptional = false)

  private def takeAny(
      pages: Long,
      wantsHuge: Boolean,
      owner: Long,
      zero: Boolean,
      isOptional: Boolean
  ): Long =
    val bits = claim(pages, wantsHuge)
    try openSpan(bits, pages, owner, zero, isOptional)
    catch
      case e: MemoryException =>
        unreserve(page(bits), pages, wantsHuge)
        throw e

  /** Makes a claimed span live; returns the same as [[take]]. */
  private def openSpan(
      bits: Long,
      pages: Long,
      owner: Long,
      zero: Boolean,
      isOptional: Boolean
  ): Long =
    val allZero = commit(page(bits), pages, Cage.generationOf(bits), owner, zero, isOptional)
    if allZero then bits | AllZero else bits

  /** Allocates a live page, preferably of the thread cache; returns the same as [[take]]. */
  def takePage(cache: ThreadCache | Null, owner: Long): Long =
    if cache == null then take(1, wantsHuge = false, owner, zero = false)
    else
      try takeCached(cache, owner, isOptional = true)
      catch
        case _: MemoryLimitException =>
          val bits = claimWritten(1, wantsHuge = false)
          if bits < 0 then takeCached(cache, owner, isOptional = false)
          else openSpan(bits, 1, owner, zero = false, isOptional = true)

  private def takeCached(cache: ThreadCache, owner: Long, isOptional: Boolean): Long =
    val page = cache.takePage()
    val entry = PageTable.entry(page)
    val generation =
      if entry == PageTable.Fresh then PageTable.first(page) else PageTable.next(entry)
    val bits = Cage.bitsOf(page << Cage.PageShift, generation)
    if PageTable.isWritten(entry) then
      PageTable.open(page, 1, generation, owner)
      bits
    else
      try
        val _ = commit(page, 1, generation, owner, zero = false, isOptional)
        bits | AllZero
      catch
        case e: MemoryException =>
          cache.releasePage(page)
          throw e

  /** Takes a free span whose pages are all written, if necessary after the quarantine of recent
    * spans; returns the same as [[claim]], or -1 if there is none.
    */
  private def claimWritten(pages: Long, wantsHuge: Boolean): Long =
    val bits = claimSettled(pages, wantsHuge)
    if bits >= 0 || !awaitDelay(pages * Cage.PageBytes - 1) then bits
    else claimSettled(pages, wantsHuge)

  private def claimSettled(pages: Long, wantsHuge: Boolean): Long = lock.synchronized:
    settle(System.nanoTime)
    val bytes = pages * Cage.PageBytes
    val spans = if wantsHuge then huge else small
    val start =
      if idle < bytes then -1L
      else spans.takePage((from, count) => firstWritten(from, count, pages), pages)
    if start < 0 then -1L
    else
      idle -= bytes
      Cage.bitsOf(start << Cage.PageShift, PageTable.forSpan(start, pages, frontier))

  /** Releases a single page whose last generation was `generation`. */
  def releasePage(cache: ThreadCache | Null, page: Long, generation: Int): Unit =
    PageTable.close(page, 1, generation)
    if PageTable.isLast(generation, 1) then retire(page, 1)
    else if cache == null then unreserve(page, 1, isHuge = false)
    else cache.releasePage(page)

  def page(bits: Long): Long = Cage.offsetOf(bits) >>> Cage.PageShift

  /** The first aligned address at or after these bits. */
  def aligned(bits: Long, byteAlignment: Long): Long =
    Cage.moved(bits, -Cage.offsetOf(bits) & (byteAlignment - 1))

  /** Releases a span whose first `live` pages are live. */
  def release(bits: Long, live: Long, pages: Long, isHuge: Boolean): Unit =
    val start = page(bits)
    PageTable.close(start, live, Cage.generationOf(bits))
    if live > 0 && PageTable.isLast(Cage.generationOf(bits), live) then
      retire(start, live)
      if pages > live then unreserve(start + live, pages - live, isHuge)
    else unreserve(start, pages, isHuge)

  /** Takes back pages that are already free, such as idle pages of a thread cache. */
  def unreserve(start: Long, pages: Long, isHuge: Boolean): Unit =
    val now = System.nanoTime
    val span = Recent(start, pages, isHuge, Thread.currentThread.threadId, now)
    lock.synchronized:
      val bytes = writtenPages(start, pages) * Cage.PageBytes
      recent.addLast(span)
      idle += bytes
      settle(now)

  /** Returns idle memory to the system until at most `keepBytes` remain, if necessary after the
    * quarantine of recent spans.
    */
  def trim(keepBytes: Long): Unit =
    val _ = Cage.space.returnsMemory && awaitDelay(keepBytes)
    lock.synchronized:
      settle(System.nanoTime)
      returnDownTo(keepBytes)

  /** Retires pages whose generations are used up: they are never reused, and whole chunks of them
    * are returned to the system.
    */
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
          Cage.space.decommit(chunk * Cage.ChunkBytes, Cage.ChunkBytes)
          whole.release(Cage.ChunkBytes)
          MemoryJfr.poolChanged(-Cage.ChunkBytes, whole.liveBytes)
          retiredPages -= Cage.ChunkPages
      i += 1

  // Calls reclaimers without the lock: they release pages, which takes it.
  private def charge(bytes: Long, isOptional: Boolean): Unit =
    // An optional request does not wait: it has an alternative, or a request that waits follows.
    def hold = if isOptional then holdSettled(bytes) else holdIdle(bytes)
    if bytes > 0 && !whole.tryHold(bytes) && !hold then
      ThreadCache.trimIdle()
      whole.holdOr(bytes, isOptional)(hold)

  /** Charges bytes after returning idle memory to the system, if that makes enough room. */
  private def holdIdle(bytes: Long): Boolean =
    holdSettled(bytes) ||
      (Cage.space.returnsMemory && awaitDelay(missing(bytes) - 1) && holdSettled(bytes))

  private def holdSettled(bytes: Long): Boolean = lock.synchronized:
    settle(System.nanoTime)
    val missingBytes = missing(bytes)
    if missingBytes <= idle then returnDownTo(idle - missingBytes)
    whole.tryHold(bytes)

  /** The bytes that the limit lacks for a charge. */
  private def missing(bytes: Long): Long = Math.max(whole.liveBytes + bytes - whole.limitBytes, 0)

  /** Waits for the delay of all recent spans, 1 ms, without the lock. Returns false at once if
    * there is none, or if no more than `leastBytes` bytes are idle.
    */
  private def awaitDelay(leastBytes: Long): Boolean =
    val isUseful = lock.synchronized(!recent.isEmpty && idle > leastBytes)
    val start = System.nanoTime
    // In an interrupted thread it spins: `parkNanos` returns at once.
    while isUseful && System.nanoTime - start < DelayNanos do LockSupport.parkNanos(DelayNanos)
    isUseful

  private def find(pages: Long, wantsHuge: Boolean): Long =
    val spans = if wantsHuge then huge else small
    val recentStart = ownRecent(pages, wantsHuge)
    if recentStart >= 0 then recentStart
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
    // First, because the system may reject it. All pages below the frontier are addressable.
    Cage.space.raise((start + whole) * Cage.PageBytes)
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
    val spans = recent.descendingIterator
    var best: Recent | Null = null
    var searched = 0
    while spans.hasNext && searched < RecentSearched do
      val span = spans.next
      searched += 1
      val fits = span.thread == thread && span.huge == wantsHuge && span.pages >= pages
      if fits && (best == null || span.pages < best.pages) then best = span
    if best == null then -1L
    else
      val _ = recent.remove(best)
      if best.pages > pages then
        recent.addLast(Recent(best.start + pages, best.pages - pages, wantsHuge, thread, best.at))
      best.start

  /** Makes spans whose delay has passed available to all threads, and returns idle memory above its
    * limit to the system.
    */
  private def settle(now: Long): Unit =
    if !recent.isEmpty && now - recent.peekFirst.at >= DelayNanos then
      while !recent.isEmpty && now - recent.peekFirst.at >= DelayNanos do
        val span = recent.pollFirst
        (if span.huge then huge else small).add(span.start, span.pages)
      returnDownTo(idleLimitBytes)

  private def writtenPages(start: Long, pages: Long): Long =
    val used = PageTable.usedEnd(start, pages)
    var count = 0L
    var i = start
    while i < used do
      if PageTable.isWritten(PageTable.entry(i)) then count += 1
      i += 1
    count

  /** The first of `count` adjacent written pages of a span; -1 if there are none. */
  private def firstWritten(start: Long, pages: Long, count: Long): Long =
    val used = PageTable.usedEnd(start, pages)
    var run = 0L
    var i = start
    while i < used && run < count do
      run = if PageTable.isWritten(PageTable.entry(i)) then run + 1 else 0L
      i += 1
    if run == count then i - count else -1L

  private def returnDownTo(keepBytes: Long): Unit =
    if Cage.space.returnsMemory && idle > keepBytes then
      val before = idle
      val visit = (start: Long, pages: Long) => returnChunks(start, pages, keepBytes)
      small.foreach(visit)
      huge.foreach(visit)
      reserved.foreach(visit)
      if idle < before then MemoryJfr.poolChanged(idle - before, whole.liveBytes)

  /** Returns the written chunks inside a free or reserved span, adjacent chunks in one call. */
  private def returnChunks(start: Long, pages: Long, keepBytes: Long): Unit =
    var chunk = (start + Cage.ChunkPages - 1) / Cage.ChunkPages
    val used = PageTable.usedEnd(start, pages)
    val last = Math.min((start + pages) / Cage.ChunkPages, (used - 1) / Cage.ChunkPages + 1)
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
        Cage.space.decommit(from * Cage.ChunkBytes, (chunk - from) * Cage.ChunkBytes)
        markReturned(from * Cage.ChunkPages, (chunk - from) * Cage.ChunkPages)
        idle -= bytes
        whole.release(bytes)
  end returnChunks

  private def writtenIn(chunk: Long): Long = writtenPages(chunk * Cage.ChunkPages, Cage.ChunkPages)

  private def markReturned(start: Long, pages: Long): Unit =
    var i = start
    while i < start + pages do
      val entry = PageTable.entry(i)
      if entry != PageTable.Fresh then PageTable.setEntry(i, PageTable.returned(entry))
      i += 1
end PagePool
