package undercroft.memory

import java.lang.foreign.{Arena, MemorySegment}

/** Address space that becomes memory from its beginning as it is used, and never moves.
  *
  * It grows without copying, up to the bytes it was made for, and only what was used counts against
  * budgets. It is freed by [[close]], or with the region that reserved it.
  *
  * Growing is for one thread at a time; what has been grown may be used as its segment allows.
  */
final class Reservation private (
    bits: Long,
    val upToBytes: Long,
    owner: Long,
    budget: Budget | Null,
    pages: Pages,
    private[undercroft] val thread: Thread | Null,
    byHand: Boolean
) extends AutoCloseable:
  private val spanPages = Sizes.pages(upToBytes).max(1)
  private val wantsHuge = pages == Pages.Huge && spanPages >= Cage.ChunkPages
  private var live = 0L
  private var open = true
  private var closing: Runnable | Null = null

  // Its own, not the region's: the reservation may be closed earlier, and with it every segment.
  private val arena = if thread != null then Arena.ofConfined() else Arena.ofShared()

  /** The whole of it, whether it is memory yet or not. Only bytes below [[committedBytes]] may be
    * used.
    */
  private[undercroft] val whole: MemorySegment =
    Cage.space.window(Cage.offsetOf(bits), spanPages * Cage.PageBytes, arena)
      .asSlice(0, upToBytes)

  /** Whether it still holds its address space. */
  def isOpen: Boolean = open

  /** The address of the first byte. */
  def address: Address = Address.ofBits(bits)

  /** Bytes from the beginning that are memory. */
  def committedBytes: Long = (live * Cage.PageBytes).min(upToBytes)

  /** The first `bytes` bytes, which are zero where they were not used before. */
  def segment(bytes: Long): MemorySegment =
    grow(bytes, zero = true)
    whole.asSlice(0, bytes)

  /** Makes the first `bytes` bytes memory, holding whatever it held before. */
  private[undercroft] def ensureUninit(bytes: Long): Unit = grow(bytes, zero = false)

  /** Where several threads may use it, growing and closing wait for each other: pages that were
    * given back must not become memory again.
    */
  private def grow(bytes: Long, zero: Boolean): Unit =
    if thread != null then growAlone(bytes, zero) else synchronized(growAlone(bytes, zero))

  private def growAlone(bytes: Long, zero: Boolean): Unit =
    if !open then throw RegionClosedException(s"reservation of ${Owners.name(owner)}")
    if bytes < 0 || bytes > upToBytes then throw InvalidSizeException(bytes, upToBytes)
    val wanted = Sizes.pages(bytes)
    if wanted > live then
      // Ahead in steps, so that growing by small amounts stays cheap. The first steps are small, so
      // that the JIT sees them before it compiles the code around, and does not have to do it again.
      val step = live.max(1).min(Reservation.StepPages)
      val target = wanted.max(live + step).min(spanPages)
      val more = target - live
      if budget != null then budget.charge(more * Cage.PageBytes)
      try
        val next = PagePool.page(bits) + live
        val fresh = !Generations.isWritten(Generations.entry(next))
        val _ = PagePool.commit(next, more, Cage.generationOf(bits), owner, zero)
        if fresh && more <= Reservation.StepPages then
          Cage.space.populate(next << Cage.PageShift, more << Cage.PageShift)
      catch
        case e: MemoryException =>
          if budget != null then budget.release(more * Cage.PageBytes)
          throw e
      if byHand && Leaks.recorded then Leaks.grown(Leaks.keyOf(owner), more * Cage.PageBytes)
      live = target
  end growAlone

  /** Refuses a thread that it is not confined to; where it is for several threads, refuses when it
    * is closed. A thread that it is confined to sees a close by itself.
    */
  private[undercroft] def admit(): Unit =
    val confined = thread
    if confined == null then
      val _ = Cage.storable(bits, 0)
    else if confined ne Thread.currentThread then
      throw RegionThreadException(
        Owners.name(owner),
        confined.toString,
        Thread.currentThread.toString
      )

  /** What is run before the memory is given back. */
  private[undercroft] def onClose(action: Runnable): Unit = closing = action

  /** Frees it: from then on every access, through segments and references alike, is an error. A
    * second close, and one after the region's, does nothing.
    */
  def close(): Unit =
    if closeWithOwner() && byHand then
      if budget != null then budget.leave()
      if Leaks.recorded then Leaks.closed(Leaks.keyOf(owner))

  /** Whether it was open: of all threads that close it, one finds it so. */
  private[memory] def closeWithOwner(): Boolean =
    if thread != null then closeAlone() else synchronized(closeAlone())

  private def closeAlone(): Boolean =
    val wasOpen = open
    if wasOpen then
      arena.close()
      open = false
      if closing != null then closing.nn.run()
      Cage.space.forget(whole)
      if budget != null then budget.release(live * Cage.PageBytes)
      PagePool.give(bits, live, spanPages, wantsHuge)
      live = 0
    wasOpen
end Reservation

object Reservation:
  /** Memory is taken 2 MiB at a time at the most. */
  private val StepPages = Cage.ChunkPages.toLong

  /** A reservation for several threads that is closed by hand. */
  def apply(upTo: Long, pages: Pages = Pages.default): Reservation =
    within(Ledger.reservations, upTo, pages)

  /** As `apply`, within a budget that others may share. */
  def within(budget: Budget, upTo: Long, pages: Pages = Pages.default): Reservation =
    val owner = Lane.nextOwner()
    val reservation = open(upTo, owner, budget, pages, null, byHand = true)
    budget.enter()
    if Leaks.recording then Leaks.opened(Leaks.keyOf(owner), 0, budget.name)
    reservation

  private[memory] def open(
      upToBytes: Long,
      owner: Long,
      budget: Budget | Null,
      pages: Pages,
      thread: Thread | Null,
      byHand: Boolean = false
  ): Reservation =
    Sizes.check(upToBytes, 1)
    val count = Sizes.pages(upToBytes).max(1)
    val huge = pages == Pages.Huge && count >= Cage.ChunkPages
    val bits = PagePool.reserve(count, huge)
    try new Reservation(bits, upToBytes, owner, budget, pages, thread, byHand)
    catch
      case e: MemoryException =>
        PagePool.unreserve(PagePool.page(bits), count, huge)
        throw e
end Reservation
