package undercroft.memory

import java.lang.foreign.{Arena, MemorySegment, ValueLayout}
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

/** One block at a time, freed one at a time, by any thread.
  *
  * A block up to 16 KiB lies in a slot of a power of two with a generation of its own, so that a
  * use after its free is a [[StaleReferenceException]] even when the slot was given out again.
  * Larger blocks have pages of their own. Allocating and freeing a small block on one thread costs
  * a few nanoseconds and makes no object; a free by another thread costs an atomic exchange.
  *
  * Segments ([[allocate]]) each have an arena that any thread may use, so that a use after [[free]]
  * is FFM's exact error. That costs microseconds: a [[Region]] is for segments.
  *
  * Every free is checked: twice, of what Malloc did not give out, in the middle of a block, or with
  * another size than was asked for is an [[InvalidFreeException]]. Two threads that free the same
  * block at the very same moment may both return; the block is freed once, and [[lateFrees]] counts
  * the other.
  */
object Malloc extends Allocator:
  /** 16 KiB: four slots in a page, one of which holds the page's books. */
  private[memory] val LargestShift = 14

  /** The smallest slot holds the books of a page. */
  private val SmallestShift = 6

  private final class Window(val segment: MemorySegment, val arena: Arena)
  private final class Large(val bits: Long, val span: Long, val pages: Long, val bytes: Long)

  private[memory] val budget: Budget = Budget("Malloc", Settings.mallocBytes)

  // For threads without a lane, under its own lock.
  private val common = MallocHeap(Lane.count, null)
  private val large = ConcurrentHashMap[Long, Large]()
  private val largeGiven = AtomicLong()
  private val windows = ConcurrentHashMap[Long, Window]()
  private val headers = ValueLayout.JAVA_LONG.varHandle()

  def name: String = Owners.name(Owners.Malloc)

  /** Frees that came twice at the same moment from two threads. */
  def lateFrees: Long = heaps.map(_.lateFrees).sum

  def block(byteSize: Long, byteAlignment: Long): Address =
    Address.ofBits(place(byteSize, byteAlignment, zero = true))

  private[undercroft] def blockUninit(byteSize: Long, byteAlignment: Long): Address =
    Address.ofBits(place(byteSize, byteAlignment, zero = false))

  def allocate(byteSize: Long, byteAlignment: Long): MemorySegment =
    segment(place(byteSize, byteAlignment, zero = true), byteSize)

  private[undercroft] def allocateUninit(byteSize: Long, byteAlignment: Long): MemorySegment =
    segment(place(byteSize, byteAlignment, zero = false), byteSize)

  /** Address space that is closed by hand. */
  def reserve(upToBytes: Long): Reservation = Reservation(upToBytes)

  /** Frees a block, and ends the segment over it if [[allocate]] gave it out. */
  def free(address: Address): Unit = release(address.bits, -1)

  /** Frees a block, and checks that it was `byteSize` bytes. */
  def free(address: Address, byteSize: Long): Unit = release(address.bits, byteSize)

  /** A block of another size with the bytes of one that [[block]] gave out, which is freed: zeros
    * behind them where it is larger, and what it has room for where it is smaller. It is copied, so
    * the old address is refused from then on. Where this fails the old block stays as it was.
    */
  def reallocate(address: Address, byteSize: Long, byteAlignment: Long): Address =
    val held = heldBytes(address.bits)
    val made = block(byteSize, byteAlignment)
    try
      MemorySegment.copy(
        Cage.segment,
        address.offset,
        Cage.segment,
        made.offset,
        held.min(byteSize)
      )
      free(address)
      made
    catch
      case error: (MemoryException | IllegalStateException) =>
        free(made)
        throw error

  /** Frees a segment that [[allocate]] gave out. */
  def free(segment: MemorySegment): Unit =
    val offset = Cage.space.offsetOf(segment)
    if offset < 0 || !windows.containsKey(offset) || !segment.scope.isAlive then
      throw InvalidFreeException(
        s"segment at ${segment.address} is not Malloc's, or is freed already"
      )
    free(Cage.addressOf(segment))

  private def segment(bits: Long, byteSize: Long): MemorySegment =
    val offset = Cage.offsetOf(bits)
    val arena = Arena.ofShared()
    val window =
      try Cage.space.window(offset, byteSize, arena)
      catch
        case e: MemoryException =>
          release(bits, -1)
          throw e
    val entry = Generations.entry(offset >>> Cage.PageShift)
    if Generations.isSlots(entry) then
      Slot.setWindowed(Slot.at(offset, Generations.slotShift(entry)))
    val _ = windows.put(offset, Window(window, arena))
    window

  /** Ends the segment over a block that is about to be freed: of all threads that do, one. Where
    * FFM refuses it, because native code uses the segment, the block stays as it was.
    */
  private def end(offset: Long): Unit =
    val window = windows.get(offset)
    if window == null then throw twice(offset)
    try window.arena.close()
    catch
      case e: IllegalStateException =>
        throw (if window.arena.scope.isAlive then e else twice(offset))
    if windows.remove(offset, window) then Cage.space.forget(window.segment)

  private def place(byteSize: Long, byteAlignment: Long, zero: Boolean): Long =
    Sizes.check(byteSize, byteAlignment)
    val begin = byteAlignment.max(Slot.HeaderBytes)
    val bytes = byteSize.max(1)
    val shift = 64 - java.lang.Long.numberOfLeadingZeros(begin + ((bytes + 7) & -8L) - 1)
    val bits =
      if shift > LargestShift then placeLarge(bytes, byteAlignment, zero)
      else
        val lane = Lane.mine(Thread.currentThread)
        val fitting = shift.max(SmallestShift)
        if lane != null then lane.heap.allocate(fitting, begin, bytes, zero)
        else common.synchronized(common.allocate(fitting, begin, bytes, zero))
    if Leaks.recording then Leaks.opened(Cage.offsetOf(bits), bytes, name)
    bits

  private def placeLarge(bytes: Long, byteAlignment: Long, zero: Boolean): Long =
    val extra = (byteAlignment - Cage.PageBytes).max(0)
    val pages = Sizes.pages(bytes + extra)
    budget.charge(pages * Cage.PageBytes)
    val wantsHuge = isHuge(pages)
    val span =
      try PagePool.take(pages, wantsHuge, Owners.Malloc, zero) & ~PagePool.AllZero
      catch
        case e: MemoryException =>
          budget.release(pages * Cage.PageBytes)
          throw e
    val bits = PagePool.aligned(span, byteAlignment)
    val _ = largeGiven.incrementAndGet()
    val _ = large.put(Cage.offsetOf(bits), Large(bits, span, pages, bytes))
    bits

  private def isHuge(pages: Long): Boolean =
    Pages.default == Pages.Huge && pages >= Cage.ChunkPages

  private def release(bits: Long, byteSize: Long): Unit =
    val offset = Cage.offsetOf(bits)
    if !Cage.holds(offset) then throw foreign(bits)
    val entry = Generations.entry(offset >>> Cage.PageShift)
    if Generations.isSlots(entry) then releaseSlot(bits, byteSize, entry)
    else releaseLarge(bits, byteSize)
    if Leaks.recorded then Leaks.closed(Cage.offsetOf(bits))

  /** How many bytes a live block has, which has to begin there. */
  private def heldBytes(bits: Long): Long =
    val offset = Cage.offsetOf(bits)
    if !Cage.holds(offset) then throw foreign(bits)
    val entry = Generations.entry(offset >>> Cage.PageShift)
    if Generations.isSlots(entry) then
      val slot = Slot.at(offset, Generations.slotShift(entry))
      val header = Slot.header(slot)
      checkBegin(bits, slot, header)
      Slot.size(header)
    else
      val block = large.get(offset)
      if block == null || block.bits != bits then throw foreign(bits)
      block.bytes

  private def checkBegin(bits: Long, slot: Long, header: Long): Unit =
    val offset = Cage.offsetOf(bits)
    if Slot.state(header) != Slot.Live || Slot.generation(header) != Cage.generationOf(bits) then
      throw twice(offset)
    if offset != slot + Slot.begin(header) then throw inside(offset, slot, header)

  private def releaseSlot(bits: Long, byteSize: Long, entry: Int): Unit =
    val offset = Cage.offsetOf(bits)
    val shift = Generations.slotShift(entry)
    val slot = Slot.at(offset, shift)
    val header = Slot.header(slot)
    checkBegin(bits, slot, header)
    checkSize(offset, byteSize, Slot.size(header))
    if Slot.isWindowed(header) then end(offset)
    val thread = Thread.currentThread
    val index = Generations.slotLane(entry)
    if index == Lane.count then common.synchronized(common.free(slot, shift, header))
    else
      val lane = Lane.at(index)
      if lane.isOwnedBy(thread) || lane.claimFree(thread) then
        lane.heap.free(slot, shift, header)
      else if mark(slot, header) then lane.heap.leave(slot)
      else throw twice(offset)
  end releaseSlot

  private def twice(offset: Long): InvalidFreeException =
    InvalidFreeException(s"block at offset $offset was freed already")

  private def inside(offset: Long, slot: Long, header: Long): InvalidFreeException =
    val distance = offset - slot - Slot.begin(header)
    InvalidFreeException(s"offset $offset is $distance bytes into a block")

  /** Of all threads that free a block they do not own, one wins. */
  private def mark(slot: Long, header: Long): Boolean =
    val marked =
      Slot.header(
        Slot.generation(header),
        Slot.FreedElsewhere,
        Slot.begin(header),
        Slot.size(header)
      )
    headers.compareAndSet(Cage.segment, slot, header, marked)

  private def releaseLarge(bits: Long, byteSize: Long): Unit =
    val offset = Cage.offsetOf(bits)
    val block = large.get(offset)
    if block == null || block.bits != bits then throw foreign(bits)
    checkSize(offset, byteSize, block.bytes)
    if windows.containsKey(offset) then end(offset)
    if !large.remove(offset, block) then throw foreign(bits)
    budget.release(block.pages * Cage.PageBytes)
    PagePool.give(block.span, block.pages, block.pages, isHuge(block.pages))

  private def checkSize(offset: Long, byteSize: Long, held: Long): Unit =
    if byteSize >= 0 && byteSize.max(1) != held then throw wrongSize(offset, byteSize, held)

  private def wrongSize(offset: Long, byteSize: Long, held: Long): InvalidFreeException =
    InvalidFreeException(s"block at offset $offset has $held bytes, but was freed as $byteSize")

  private def foreign(bits: Long): InvalidFreeException =
    val offset = Cage.offsetOf(bits)
    val generation = Cage.generationOf(bits)
    val owner =
      if Cage.holds(offset) then Generations.owner(offset >>> Cage.PageShift, generation) else 0L
    InvalidFreeException(
      if owner == Owners.Malloc then s"block at offset $offset was freed already"
      else if owner == 0 then s"offset $offset of generation $generation is no block of Malloc"
      else s"offset $offset belongs to ${Owners.name(owner)}, not to Malloc"
    )

  private[memory] def heaps: List[MallocHeap] = common :: Lane.all.map(_.heap).toList
  private[memory] def largeCount: Long = large.size
  private[memory] def largeTotal: Long = largeGiven.get
end Malloc
