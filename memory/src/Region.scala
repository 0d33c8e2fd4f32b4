package undercroft.memory

import java.lang.foreign.MemorySegment
import language.experimental.captureChecking

/** Memory that is allocated by moving a pointer and freed all at once.
  *
  * `Region.scoped` opens one for the current thread and closes it at the end of the block;
  * `Region.shared` makes one for several threads, closed by hand. A small block costs about a
  * nanosecond in a scoped region and a lock in a shared one. Closing costs a step for each page,
  * and for a shared region that gave out segments a handshake with all threads (100 µs): batch
  * closes.
  *
  * After the close every use is an error: of the region a [[RegionClosedException]], of an address
  * a [[StaleReferenceException]], both with the region's name, of a segment FFM's own
  * `IllegalStateException`.
  */
final class Region private[memory] (bump: Bump)
    extends Allocator,
      AutoCloseable,
      caps.SharedCapability:

  val number: Long = bump.number
  private val thread = bump.thread

  // A copy of the bump's pointer, so that the compiler can keep it in registers. It is at zero for
  // shared regions and after the close, which sends every call to the bump. No method here may pass
  // `this` on: the region would have to be an object then.
  private var top = 0L
  private var zeroed = 0L
  private var generation = 0

  def name: String = Owners.name(number)

  /** Whether the region still holds its memory. */
  def isOpen: Boolean = bump.isOpen(number)

  def block(byteSize: Long, byteAlignment: Long): Address =
    val start = (top + byteAlignment - 1) & -byteAlignment
    val end = start + byteSize
    if end <= zeroed && start >= top && byteSize > 0 && byteSize <= Region.LargestFast
      && byteAlignment > 0 && (byteAlignment & (byteAlignment - 1)) == 0
      && (thread eq Thread.currentThread)
    then
      top = end
      Address.ofBits(Cage.bitsOf(start, generation))
    else
      val bits = bump.block(number, top, byteSize, byteAlignment, zero = true)
      if thread != null then
        top = bump.top
        zeroed = bump.zeroed
        generation = bump.generation
      Address.ofBits(bits)

  private[undercroft] def blockUninit(byteSize: Long, byteAlignment: Long): Address =
    val bits = bump.block(number, top, byteSize, byteAlignment, zero = false)
    reload()
    Address.ofBits(bits)

  def allocate(byteSize: Long, byteAlignment: Long): MemorySegment =
    val segment = bump.segment(number, top, byteSize, byteAlignment, zero = true)
    reload()
    segment

  private[undercroft] def allocateUninit(byteSize: Long, byteAlignment: Long): MemorySegment =
    val segment = bump.segment(number, top, byteSize, byteAlignment, zero = false)
    reload()
    segment

  def reserve(upToBytes: Long): Reservation = bump.reserve(number, top, upToBytes)

  /** Frees all of the region's memory. Twice is a [[RegionClosedException]]. */
  def close(): Unit =
    bump.close(number, top)
    top = 0
    zeroed = 0

  // The scope's own close, after which a close by hand before it is no error.
  private[memory] def closeAtEnd(): Unit = if isOpen then close()

  private def reload(): Unit =
    if thread != null then
      top = bump.top
      zeroed = bump.zeroed
      generation = bump.generation

  override def toString: String = if isOpen then name else s"$name, closed"
end Region

object Region:
  /** Bytes of a block beyond which the fast path would have to think of overflow. */
  private inline val LargestFast = 0x40000000L

  /** Runs `body` with a region that is confined to this thread and closed at the end.
    *
    * In hot code the region is no object where the JVM's compiler sees all uses of it, and
    * otherwise one of 48 bytes. In a file that imports `language.experimental.captureChecking`, a
    * region that leaves its scope does not compile.
    */
  // Not inline, though that would always be no object: the capture check would not see the scope.
  def scoped[A](body: Region ?=> A): A = run(open(null, Pages.default), body)

  /** As `scoped`, with a name for error messages and the [[Ledger]]. */
  def named[A](name: String, limitBytes: Long = Long.MaxValue, pages: Pages = Pages.default)(
      body: Region ?=> A
  ): A =
    val bump = open(Budget.of(name, limitBytes), pages)
    Owners.remember(bump.number, name)
    run(bump, body)

  /** As `scoped`, within a budget that others may share. */
  def within[A](budget: Budget, pages: Pages = Pages.default)(body: Region ?=> A): A =
    val bump = open(budget, pages)
    Owners.remember(bump.number, budget.name)
    run(bump, body)

  /** Runs `body` with a scoped region whose large spans lie on pages of the given kind. */
  def on[A](pages: Pages)(body: Region ?=> A): A = run(open(null, pages), body)

  /** A region for several threads, closed by hand. */
  def shared(): Region = openShared(Ledger.sharedRegions, Pages.default)

  /** A region for several threads, with a name for error messages and the [[Ledger]]. */
  def shared(name: String, limitBytes: Long = Long.MaxValue, pages: Pages = Pages.default): Region =
    val region = openShared(Budget.of(name, limitBytes), pages)
    Owners.remember(region.number, name)
    region

  /** A region for several threads, within a budget that others may share. */
  def shared(budget: Budget): Region =
    val region = openShared(budget, Pages.default)
    Owners.remember(region.number, budget.name)
    region

  /** The region of the scope around the call. */
  def current(using region: Region): Region = region

  /** A zeroed segment from the region of the scope around the call. */
  def allocate(byteSize: Long, byteAlignment: Long = 8)(using region: Region): MemorySegment =
    region.allocate(byteSize, byteAlignment)

  // The region is made here and given to nobody but the body, so that escape analysis needs neither
  // the opening nor the closing, of which the latter is not inlined where it is rare.
  private def run[A](bump: Bump, body: Region ?=> A): A =
    val region = Region(bump)
    val result =
      try body(using region)
      catch
        case e: Throwable =>
          region.top = 0
          region.zeroed = 0
          if bump.isOpen(region.number) then bump.close(region.number, 0)
          throw e
    region.closeAtEnd()
    result

  /** The state of a new region that is confined to this thread. */
  private[memory] def open(budget: Budget | Null, pages: Pages): Bump =
    val thread = Thread.currentThread
    val lane = Lane.mine(thread)
    val number = if lane != null then lane.nextOwner() else Lane.nextOwner()
    val bump = if lane != null then lane.takeBump(thread) else Bump(thread, null)
    bump.open(number, budget, pages)
    bump

  private def openShared(budget: Budget, pages: Pages): Region =
    val bump = Bump(null, null)
    bump.open(Lane.nextOwner(), budget, pages)
    Region(bump)
end Region
