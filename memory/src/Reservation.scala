package undercroft.memory

import internal.alloc.{PagePool, Pins, ThreadCache}
import internal.cage.{Cage, OwnerNames, PageTable}
import internal.observe.Leaks
import java.lang.foreign.{Arena, MemorySegment}
import java.util.concurrent.atomic.AtomicLong

/** A reserved range of address space that is committed from its start as it is used, and never
  * moves.
  *
  * It grows without copying, up to its reserved size, and only committed pages count against
  * budgets. It is freed by [[close]], or with the region that reserved it.
  *
  * The reservation of a scoped region is grown and closed by the region's thread only; any other
  * reservation by several threads. Committed memory may be used as its segment allows.
  *
  * {{{
  * val reservation = Reservation(maxBytes = 1.GiB) // address space only
  * try println(reservation.segment(100).byteSize) // commits the first page
  * finally reservation.close()
  * }}}
  */
final class Reservation private (
    bits: Long,
    val maxBytes: Long,
    owner: Long,
    budget: Budget | Null,
    pages: Pages,
    private[undercroft] val thread: Thread | Null,
    byHand: Boolean
) extends AutoCloseable:
  private val spanPages = Math.max(Sizes.pages(maxBytes), 1)
  private val wantsHuge = pages == Pages.Huge && spanPages >= Cage.ChunkPages
  private val end = PagePool.page(bits) + spanPages
  private var live = 0L
  private var open = true
  private var closing: Runnable | Null = null

  // Its counters include the bytes of a scoped region without a budget.
  private val cache = if budget == null then ThreadCache.ofOwner(owner) else null

  // A separate arena, because the reservation, with all its segments, may be closed before the
  // region.
  private val arena = if thread != null then Arena.ofConfined() else Arena.ofShared()

  /** The whole range, committed or not. Only bytes below [[committedBytes]] may be used. */
  private[undercroft] val whole: MemorySegment =
    Cage.space.window(Cage.offsetOf(bits), spanPages * Cage.PageBytes, arena)
      .asSlice(0, maxBytes)

  /** Whether it has not been closed. */
  def isOpen: Boolean = open

  /** The address of the first byte. */
  def address: Address = Address.ofBits(bits)

  /** Number of committed bytes.
    *
    * {{{
    * val reservation = Reservation(maxBytes = 1.GiB)
    * println(reservation.committedBytes) // 0
    * reservation.segment(100)
    * println(reservation.committedBytes >= 100) // true
    * reservation.close()
    * }}}
    */
  def committedBytes: Long = Math.min(live * Cage.PageBytes, maxBytes)

  /** Commits and returns the first `bytes` bytes; memory not used before is zeroed. If the region
    * that reserved it is confined to another thread, this throws a [[RegionThreadException]].
    *
    * {{{
    * import java.lang.foreign.ValueLayout.JAVA_BYTE
    * val reservation = Reservation(maxBytes = 1.GiB)
    * reservation.segment(100).set(JAVA_BYTE, 0, 7.toByte)
    * println(reservation.segment(1.MiB).get(JAVA_BYTE, 0)) // 7
    * reservation.close()
    * }}}
    */
  def segment(bytes: Long): MemorySegment =
    grow(bytes, zero = true)
    whole.asSlice(0, bytes)

  /** Commits the first `bytes` bytes without zeroing them. */
  private[undercroft] def ensureUninit(bytes: Long): Unit = grow(bytes, zero = false)

  /** Commits the first `bytes` bytes without zeroing them, and returns the whole range; if that
    * fails, it is closed. For new reservations.
    */
  private[undercroft] def committed(bytes: Long): MemorySegment =
    try
      ensureUninit(bytes)
      whole
    catch
      case error: RuntimeException =>
        close()
        throw error

  /** If several threads may use it, growing and closing exclude each other: released pages must not
    * be committed again.
    */
  private def grow(bytes: Long, zero: Boolean): Unit =
    val confined = thread
    if confined == null then synchronized(growAlone(bytes, zero))
    else
      checkThread(confined)
      growAlone(bytes, zero)

  private def checkThread(confined: Thread): Unit =
    if confined ne Thread.currentThread then
      throw RegionThreadException(
        OwnerNames.name(owner),
        confined.toString,
        Thread.currentThread.toString
      )

  private def growAlone(bytes: Long, zero: Boolean): Unit =
    if !open then
      throw RegionClosedException(
        if budget eq Ledger.reservations then "the reservation"
        else if byHand then s"reservation in the budget of ${OwnerNames.name(owner)}"
        else s"reservation of ${OwnerNames.name(owner)}"
      )
    if bytes < 0 || bytes > maxBytes then throw InvalidSizeException(bytes, maxBytes)
    val requiredPages = Sizes.pages(bytes)
    if requiredPages > live then
      // Commits ahead in steps, so that growing by small amounts stays cheap. The first steps are
      // small, so that the JIT sees this path before it compiles the caller, and need not recompile
      // it.
      val step = Math.min(Math.max(live, 1), Reservation.StepPages)
      val target = Math.min(Math.max(requiredPages, live + step), spanPages)
      try growBy(target - live, zero, isOptional = target > requiredPages)
      catch
        // A budget may have room for the pages needed, but not for the pages ahead.
        case _: MemoryLimitException if target > requiredPages =>
          growBy(requiredPages - live, zero, isOptional = false)
  end growAlone

  private def growBy(pageCount: Long, zero: Boolean, isOptional: Boolean): Unit =
    if budget != null then budget.hold(pageCount * Cage.PageBytes, isOptional)
    try
      val next = PagePool.page(bits) + live
      val fresh = !PageTable.isWritten(PageTable.entry(next))
      val generation = Cage.generationOf(bits)
      val _ = PagePool.commitReserved(next, pageCount, end, generation, owner, zero, isOptional)
      if fresh && pageCount > 1 && pageCount <= Reservation.StepPages then
        Cage.space.populate(next << Cage.PageShift, pageCount << Cage.PageShift)
    catch
      case e: MemoryException =>
        if budget != null then budget.release(pageCount * Cage.PageBytes)
        throw e
    if budget != null then budget.raisePeak()
    else if cache != null then
      cache.scopedBytes += pageCount * Cage.PageBytes
      cache.raiseScopedPeak()
    if Leaks.recorded then Leaks.grown(Leaks.keyOf(owner), pageCount * Cage.PageBytes)
    live += pageCount
  end growBy

  /** Throws if the caller is not the owner thread or, if the reservation is shared, if it is
    * closed. In a confined reservation the owner thread detects a close by itself.
    */
  private[undercroft] def admit(): Unit =
    val confined = thread
    if confined == null then
      val _ = Cage.storable(bits, 0)
    else checkThread(confined)

  /** Sets an action that runs before the memory is released. */
  private[undercroft] def onClose(action: Runnable): Unit = closing = action

  /** Frees it: every later access through segments and references is an error. Idempotent, also
    * after the region's close. While native code uses a segment, or a call a pointer to the memory,
    * this throws IllegalStateException, and nothing is freed.
    *
    * {{{
    * val reservation = Reservation(maxBytes = 1.GiB)
    * reservation.close()
    * println(reservation.isOpen) // false
    * }}}
    */
  def close(): Unit =
    if closeWithOwner() && byHand then
      if budget != null then budget.leave()
      OwnerNames.closedReservation(owner)
      if Leaks.recorded then Leaks.closed(Leaks.keyOf(owner))

  /** Closes it; returns true to exactly one of several closing threads. */
  private[memory] def closeWithOwner(): Boolean =
    if thread != null then closeAlone() else synchronized(closeAlone())

  private def closeAlone(): Boolean =
    val wasOpen = open
    if wasOpen then
      Pins.closingRange(owner, Cage.offsetOf(bits), live * Cage.PageBytes)(() => release())
    wasOpen

  private def release(): Unit =
    arena.close()
    open = false
    val _ = Reservation.opened.decrementAndGet()
    if closing != null then closing.nn.run()
    Cage.space.forget(whole)
    if budget != null then budget.release(live * Cage.PageBytes)
    else if cache != null then cache.scopedBytes -= live * Cage.PageBytes
    if Leaks.recorded then Leaks.grown(Leaks.keyOf(owner), -live * Cage.PageBytes)
    PagePool.releaseReserved(bits, live, spanPages, wantsHuge)
    live = 0
end Reservation

object Reservation:
  /** Most pages committed ahead at a time: 2 MiB. */
  private val StepPages = Cage.ChunkPages.toLong

  private val opened = AtomicLong()

  /** Bytes of address space for a reservation that may grow to `mostBytes`. */
  private[undercroft] def share(mostBytes: Long): Long = PagePool.share(opened.get, mostBytes)

  /** A shared reservation, closed by the caller.
    *
    * {{{
    * val log = Reservation(maxBytes = 100.GiB) // more than the machine's memory
    * println(log.segment(1.MiB).byteSize) // 1048576
    * log.close()
    * }}}
    */
  def apply(maxBytes: Long, pages: Pages = Pages.default): Reservation =
    within(Ledger.reservations, maxBytes, pages)

  /** The same as `apply`, charged to a budget that other owners may share.
    *
    * {{{
    * val budget = Budget("logs", limitBytes = 1.MiB)
    * val log = Reservation.within(budget, maxBytes = 1.GiB)
    * try println(log.segment(2.MiB).byteSize)
    * catch case error: MemoryLimitException => println(error.budget) // logs
    * finally log.close()
    * }}}
    */
  def within(budget: Budget, maxBytes: Long, pages: Pages = Pages.default): Reservation =
    if budget == null then throw NullPointerException("the budget of a reservation is null")
    if pages == null then throw NullPointerException("the pages of a reservation are null")
    val owner = ThreadCache.nextOwner()
    val reservation = open(maxBytes, owner, budget, pages, null, byHand = true)
    budget.enter()
    OwnerNames.rememberReservation(owner, budget.name)
    if Leaks.recording then Leaks.opened(Leaks.keyOf(owner), 0, budget.name)
    reservation

  private[memory] def open(
      maxBytes: Long,
      owner: Long,
      budget: Budget | Null,
      pages: Pages,
      thread: Thread | Null,
      byHand: Boolean = false
  ): Reservation =
    Sizes.check(maxBytes, 1)
    val count = Math.max(Sizes.pages(maxBytes), 1)
    val huge = pages == Pages.Huge && count >= Cage.ChunkPages
    val bits = PagePool.reserve(count, huge)
    try
      val reservation = new Reservation(bits, maxBytes, owner, budget, pages, thread, byHand)
      val _ = opened.incrementAndGet()
      reservation
    catch
      case e: MemoryException =>
        PagePool.releaseReserved(bits, live = 0, count, huge)
        throw e
  end open
end Reservation
