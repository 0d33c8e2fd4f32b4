package undercroft.memory

import internal.alloc.{BumpAllocator, ThreadCache}
import internal.cage.{Cage, OwnerNames}
import java.lang.foreign.MemorySegment
import scala.annotation.implicitNotFound
import language.experimental.captureChecking

/** Memory that is allocated by a pointer bump and freed all at once.
  *
  * `Region.scoped` opens a region for the current thread and closes it at the end of the block;
  * `Region.shared` opens one for several threads, closed by the caller. A small block costs about a
  * nanosecond in a scoped region, and a lock in a shared one. Closing costs a step per page and,
  * for a shared region that allocated segments, a handshake with all threads (100 µs): batch such
  * closes.
  *
  * After the close every use fails: a use of the region with a [[RegionClosedException]], a use of
  * an address with a [[StaleReferenceException]], both with the region's name, and a use of a
  * segment with FFM's `IllegalStateException`. A stale reference reports the region as long as its
  * page has the record of it: each later owner replaces one of the page's four records, not always
  * the oldest, and [[Malloc]] replaces all of them.
  *
  * If another thread is inside an access when a shared region is closed, the JVM ends that access
  * with an exception in that thread and sets its interrupt flag. Code that catches the error clears
  * the flag with `Thread.interrupted()` if it waits afterwards and no other code interrupts it.
  *
  * {{{
  * Region.scoped:
  *   val block = Region.allocate(64) // an FFM segment, zeroed
  *   println(block.byteSize)
  *
  * val orders = Region.shared("orders") // for several threads
  * println(orders.allocate(64, 8).byteSize)
  * orders.close()
  * }}}
  */
@implicitNotFound(
  "no region is open here: wrap the code in Region.scoped { ... }, or take one as a parameter, (using Region)"
)
final class Region private[memory] (allocator: BumpAllocator)
    extends Allocator,
      AutoCloseable,
      caps.SharedCapability:

  val number: Long = allocator.number
  private val thread = allocator.thread

  // A copy of the allocator's pointer that the JIT can keep in registers. It is zero for shared
  // regions and after the close, so every call goes to the allocator. No method may pass `this` on:
  // the region would escape and be allocated.
  private var top = 0L
  private var zeroed = 0L
  private var generation = 0

  def name: String = OwnerNames.name(number)

  /** The thread that a scoped region is confined to; null if the region is shared. */
  private[undercroft] def owner: Thread | Null = thread

  /** Whether the region is open.
    *
    * {{{
    * val orders = Region.shared("orders")
    * println(orders.isOpen) // true
    * orders.close()
    * println(orders.isOpen) // false
    * }}}
    */
  def isOpen: Boolean = allocator.isOpen(number)

  /** Allocates a zeroed block and returns its checked address.
    *
    * {{{
    * Region.scoped:
    *   val address = Region.current.allocateBlock(64, 8)
    *   println(address.isNull) // false
    * }}}
    */
  def allocateBlock(byteSize: Long, byteAlignment: Long): Address =
    val start = (top + byteAlignment - 1) & -byteAlignment
    val end = start + byteSize
    if end <= zeroed && start >= top && byteSize > 0 && byteSize <= Region.LargestFast
      && ((byteAlignment - 1) & -Region.LargestFastAlignment) == 0
      && (byteAlignment & (byteAlignment - 1)) == 0
      && (thread eq Thread.currentThread)
    then
      top = end
      Address.ofBits(Cage.bitsOf(start, generation))
    else
      val bits = allocator.block(number, top, byteSize, byteAlignment, zero = true)
      if thread != null then
        top = allocator.top
        zeroed = allocator.zeroed
        generation = allocator.generation
      Address.ofBits(bits)

  private[undercroft] def blockUninit(byteSize: Long, byteAlignment: Long): Address =
    val bits = allocator.block(number, top, byteSize, byteAlignment, zero = false)
    reload()
    Address.ofBits(bits)

  def allocate(byteSize: Long, byteAlignment: Long): MemorySegment =
    val segment = allocator.segment(number, top, byteSize, byteAlignment, zero = true)
    reload()
    segment

  private[undercroft] def allocateUninit(byteSize: Long, byteAlignment: Long): MemorySegment =
    val segment = allocator.segment(number, top, byteSize, byteAlignment, zero = false)
    reload()
    segment

  /** Reserves address space that is freed with the region.
    *
    * {{{
    * Region.scoped:
    *   val reservation = Region.current.reserve(1.GiB)
    *   println(reservation.committedBytes) // 0
    * }}}
    */
  def reserve(maxBytes: Long): Reservation = allocator.reserve(number, top, maxBytes)

  /** Memory that the region does not own, as a segment of `byteSize` bytes that is valid until the
    * region's close, which calls `free` once.
    */
  private[undercroft] def attach(
      memory: MemorySegment,
      byteSize: Long,
      free: MemorySegment => Unit
  ): MemorySegment =
    val segment = allocator.attach(number, top, memory, byteSize, free)
    reload()
    segment

  /** Frees all memory of the region. A second close throws a [[RegionClosedException]].
    *
    * A close while native code, a channel or a call uses the memory throws IllegalStateException:
    * the region then stays open, and a later close frees it. If a segment or a block of the region
    * is in use, nothing is freed. If a reservation of the region, for example that of a growing
    * table, is in use, the region's segments and some of its other reservations are closed already;
    * its blocks stay valid.
    *
    * {{{
    * val orders = Region.shared("orders")
    * orders.close()
    * try orders.allocate(64, 8)
    * catch case error: RegionClosedException => println(error.getMessage)
    * // region "orders" is closed
    * }}}
    */
  def close(): Unit =
    // Before the close: if an error ends it, the fast path must not use a released page.
    zeroed = 0
    val error = allocator.close(number, top)
    top = 0
    if error != null then throw error

  // The close at the end of the scope; an earlier explicit close is allowed.
  private[memory] def closeAtEnd(): Unit = if isOpen then close()

  private def reload(): Unit =
    if thread != null then
      top = allocator.top
      zeroed = allocator.zeroed
      generation = allocator.generation

  override def toString: String = if isOpen then name else s"$name, closed"
end Region

object Region:
  /** Largest block of the fast path in bytes: the sum of pointer and size cannot overflow. */
  private inline val LargestFast = 0x40000000L

  /** Largest alignment of the fast path in bytes: every address space has it. */
  private inline val LargestFastAlignment = 4096L

  /** Runs `body` with a region that is confined to this thread and closed at the end.
    *
    * In hot code the region is not allocated if escape analysis sees all its uses; otherwise it is
    * an object of 48 bytes. In a file that imports `language.experimental.captureChecking`, a
    * region that leaves its scope does not compile.
    *
    * {{{
    * import java.lang.foreign.ValueLayout.JAVA_INT
    * val sum = Region.scoped:
    *   val numbers = Region.allocate(8 * 4)
    *   for i <- 0 until 8 do numbers.setAtIndex(JAVA_INT, i, i)
    *   numbers.toArray(JAVA_INT).sum
    * println(sum) // 28
    * }}}
    */
  // Not inline, although that would always avoid the allocation: the capture checker would not see
  // the scope.
  def scoped[A](body: Region ?=> A): A = run(open(null, Pages.default), body)

  /** The same as `scoped`, with a name for error messages and the [[Ledger]].
    *
    * {{{
    * try Region.named("import", limitBytes = 1.MiB)(Region.allocate(2.MiB).byteSize)
    * catch case error: MemoryLimitException => println(error.budget) // import
    * }}}
    */
  def named[A](name: String, limitBytes: Long = Long.MaxValue, pages: Pages = Pages.default)(
      body: Region ?=> A
  ): A =
    if name == null then throw NullPointerException("the name of a scoped region is null")
    if pages == null then throw NullPointerException(s"the pages of the region $name are null")
    val allocator = open(Budget.of(name, limitBytes), pages)
    OwnerNames.remember(allocator.number, name)
    run(allocator, body)

  /** The same as `scoped`, charged to a budget that other owners may share.
    *
    * {{{
    * val budget = Budget("requests", limitBytes = 10.MiB)
    * Region.within(budget):
    *   Region.allocate(1.MiB)
    *   println(budget.liveBytes >= 1.MiB) // true
    * println(budget.liveBytes) // 0
    * }}}
    */
  def within[A](budget: Budget, pages: Pages = Pages.default)(body: Region ?=> A): A =
    if budget == null then throw NullPointerException("the budget of a scoped region is null")
    if pages == null then
      throw NullPointerException(s"the pages of the region ${budget.name} are null")
    val allocator = open(budget, pages)
    OwnerNames.remember(allocator.number, budget.name)
    run(allocator, body)

  /** Runs `body` with a scoped region whose large spans use the given kind of pages.
    *
    * {{{
    * Region.withPages(Pages.huge)(println(Region.allocate(64.MiB).byteSize)) // 67108864
    * }}}
    */
  def withPages[A](pages: Pages)(body: Region ?=> A): A =
    if pages == null then throw NullPointerException("the pages of a scoped region are null")
    run(open(null, pages), body)

  /** A region for several threads, closed by the caller.
    *
    * {{{
    * val region = Region.shared()
    * val address = region.allocateBlock(64, 8)
    * println(address.isNull) // false
    * region.close()
    * }}}
    */
  def shared(): Region = openShared(Ledger.sharedRegions, Pages.default)

  /** A region for several threads, with a name for error messages and the [[Ledger]].
    *
    * {{{
    * val cache = Region.shared("cache", limitBytes = 100.MiB)
    * val thread = Thread.startVirtualThread(() => cache.allocate(1000, 8))
    * thread.join()
    * cache.close()
    * }}}
    */
  def shared(name: String, limitBytes: Long = Long.MaxValue, pages: Pages = Pages.default): Region =
    if name == null then throw NullPointerException("the name of a shared region is null")
    if pages == null then throw NullPointerException(s"the pages of the region $name are null")
    val region = openShared(Budget.of(name, limitBytes), pages)
    OwnerNames.remember(region.number, name)
    region

  /** A region for several threads, charged to a budget that other owners may share.
    *
    * {{{
    * val budget = Budget("caches", limitBytes = 100.MiB)
    * val (users, orders) = (Region.shared(budget), Region.shared(budget))
    * println(budget.liveCount) // 2
    * users.close()
    * orders.close()
    * }}}
    */
  def shared(budget: Budget): Region =
    if budget == null then throw NullPointerException("the budget of a shared region is null")
    val region = openShared(budget, Pages.default)
    OwnerNames.remember(region.number, budget.name)
    region

  /** The region of the enclosing scope.
    *
    * {{{
    * def header()(using Region): Address = Region.current.allocateBlock(32, 8)
    * Region.scoped(println(header().isNull)) // false
    * }}}
    */
  def current(using region: Region): Region = region

  /** Allocates a zeroed segment in the region of the enclosing scope.
    *
    * {{{
    * Region.scoped(println(Region.allocate(100, byteAlignment = 64).byteSize)) // 100
    * }}}
    */
  def allocate(byteSize: Long, byteAlignment: Long = 8)(using region: Region): MemorySegment =
    region.allocate(byteSize, byteAlignment)

  // The region is created here and passed only to the body, so that escape analysis does not depend
  // on the opening and the closing being inlined; a rare close is not.
  private def run[A](allocator: BumpAllocator, body: Region ?=> A): A =
    val region = Region(allocator)
    val result =
      try body(using region)
      catch
        case e: Throwable =>
          region.top = 0
          region.zeroed = 0
          if allocator.isOpen(region.number) then
            val error = allocator.close(region.number, 0)
            if error != null && (error ne e) then e.addSuppressed(error)
          throw e
    region.closeAtEnd()
    result

  /** The state of a new region that is confined to this thread. */
  private[memory] def open(budget: Budget | Null, pages: Pages): BumpAllocator =
    val thread = Thread.currentThread
    val cache = ThreadCache.mine(thread)
    if cache != null then
      val allocator = cache.takeAllocator(thread)
      allocator.open(cache.nextOwner(), budget, pages)
      allocator
    else
      val allocator = BumpAllocator(thread, null)
      val charged = if budget != null then budget else Ledger.uncachedRegions
      allocator.open(ThreadCache.nextConfined(thread), charged, pages)
      allocator

  private def openShared(budget: Budget, pages: Pages): Region =
    val allocator = BumpAllocator(null, null)
    allocator.open(ThreadCache.nextOwner(), budget, pages)
    Region(allocator)
end Region
