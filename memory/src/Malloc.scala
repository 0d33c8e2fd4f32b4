package undercroft.memory

import internal.alloc.{MallocHeap, PagePool, Pins, ThreadCache}
import internal.cage.{BlockHeader, Cage, OwnerNames, PageTable}
import internal.observe.Leaks
import internal.platform.Settings
import java.lang.foreign.{Arena, MemorySegment, ValueLayout}
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

/** Allocates and frees single blocks, from any thread.
  *
  * A block up to 16 KiB is in a slot whose size is a power of two, with its own generation, so that
  * a use-after-free throws a [[StaleReferenceException]] even if the slot was allocated again.
  * Larger blocks have their own pages. Allocating and freeing a small block on one thread costs a
  * few nanoseconds and no heap allocation; a free by another thread costs a lock and an atomic
  * exchange.
  *
  * Memory is returned by pages of 64 KiB, whichever thread frees the last block of one. But if the
  * allocating thread has freed a block of the page before, and another thread frees the last one,
  * the page returns when the first thread next needs a page for blocks of that size; after its end,
  * when memory is short or another thread takes its place.
  *
  * Segments ([[allocate]]) each have a shared arena, so that a use after [[free]] throws FFM's
  * exact error. That costs microseconds: use a [[Region]] for segments.
  *
  * Every free is checked. A double free, the free of memory that Malloc did not allocate or of an
  * address inside a block, or a size that differs from the allocation throws an
  * [[InvalidFreeException]]. If two threads free the same block at the same moment, both calls may
  * return; the block is freed once, and [[doubleFreeRaces]] counts the other.
  *
  * {{{
  * val address = Malloc.allocateBlock(64, 8)
  * val larger = Malloc.reallocate(address, 128, 8)
  * Malloc.free(larger)
  * }}}
  */
object Malloc extends Allocator:
  /** Largest slot: 16 KiB, four per page, the first of which is the page's header. A constant, so
    * that the heaps of the thread caches, which are created before this object, do not need it.
    */
  private[memory] inline val LargestShift = 14

  /** Smallest slot: large enough for the header of a page. */
  private val SmallestShift = 6

  private final class Window(val bits: Long, val segment: MemorySegment, val arena: Arena)
  private final class Large(val bits: Long, val span: Long, val pages: Long, val bytes: Long)

  private[memory] val budget: Budget = Budget("Malloc", Settings.mallocBytes)

  // The heap of threads without a thread cache, guarded by its own lock.
  private val common = MallocHeap(ThreadCache.count, null)
  private val large = ConcurrentHashMap[Long, Large]()
  private val largeGiven = AtomicLong()
  private val windows = ConcurrentHashMap[Long, Window]()
  private val headers = ValueLayout.JAVA_LONG.varHandle()

  def name: String = OwnerNames.name(OwnerNames.Malloc)

  /** Number of double frees by two threads at the same moment. */
  def doubleFreeRaces: Long = heaps.map(_.lateFrees).sum

  /** Allocates a zeroed block, which the program frees by its address.
    *
    * {{{
    * val address = Malloc.allocateBlock(64, 8)
    * Malloc.free(address)
    * }}}
    */
  def allocateBlock(byteSize: Long, byteAlignment: Long): Address =
    Address.ofBits(place(byteSize, byteAlignment, zero = true))

  private[undercroft] def blockUninit(byteSize: Long, byteAlignment: Long): Address =
    Address.ofBits(place(byteSize, byteAlignment, zero = false))

  /** Allocates a zeroed segment, which the program frees.
    *
    * {{{
    * import java.lang.foreign.ValueLayout.JAVA_LONG
    * val segment = Malloc.allocate(64, 8)
    * println(segment.get(JAVA_LONG, 0)) // 0
    * Malloc.free(segment)
    * }}}
    */
  def allocate(byteSize: Long, byteAlignment: Long): MemorySegment =
    segment(place(byteSize, byteAlignment, zero = true), byteSize)

  private[undercroft] def allocateUninit(byteSize: Long, byteAlignment: Long): MemorySegment =
    segment(place(byteSize, byteAlignment, zero = false), byteSize)

  /** Reserves address space that the caller must close.
    *
    * {{{
    * val reservation = Malloc.reserve(1.GiB)
    * println(reservation.segment(100).byteSize) // 100
    * reservation.close()
    * }}}
    */
  def reserve(maxBytes: Long): Reservation = Reservation(maxBytes)

  /** Frees a block, and closes the segment over it if [[allocate]] created one. While native code
    * uses the segment, or a call a pointer to the block, this throws IllegalStateException, and the
    * block is not freed.
    *
    * {{{
    * val address = Malloc.allocateBlock(64, 8)
    * Malloc.free(address)
    * try Malloc.free(address)
    * catch case _: InvalidFreeException => println("freed twice") // freed twice
    * }}}
    */
  def free(address: Address): Unit = release(address.bits, -1)

  /** Frees a block after checking that its size is `byteSize` bytes.
    *
    * {{{
    * val address = Malloc.allocateBlock(64, 8)
    * try Malloc.free(address, 32)
    * catch case _: InvalidFreeException => println("not 32 bytes") // not 32 bytes
    * Malloc.free(address, 64)
    * }}}
    */
  def free(address: Address, byteSize: Long): Unit =
    if byteSize < 0 then throw negative(address, byteSize)
    release(address.bits, byteSize)

  /** Copies a block that [[allocateBlock]] allocated to a new block of another size and frees the
    * old one. A larger block is filled with zeros, a smaller one truncates. The old address is
    * stale afterwards. If this fails, the old block is unchanged.
    *
    * {{{
    * val block = Malloc.allocateBlock(64, 8)
    * val larger = Malloc.reallocate(block, 128, 8) // `block` is stale from now on
    * Malloc.free(larger, 128)
    * }}}
    */
  def reallocate(address: Address, byteSize: Long, byteAlignment: Long): Address =
    val blockBytes = heldBytes(address.bits)
    val block = allocateBlock(byteSize, byteAlignment)
    try
      MemorySegment.copy(
        Cage.segment,
        address.offset,
        Cage.segment,
        block.offset,
        Math.min(blockBytes, byteSize)
      )
      free(address)
      block
    catch
      case error: (MemoryException | IllegalStateException) =>
        free(block)
        throw error

  /** Frees a segment that [[allocate]] returned, but no slice of it.
    *
    * {{{
    * val segment = Malloc.allocate(64, 8)
    * Malloc.free(segment)
    * println(segment.scope.isAlive) // false
    * }}}
    */
  def free(segment: MemorySegment): Unit =
    val offset = Cage.space.offsetOf(segment)
    if offset < 0 || !windows.containsKey(offset) || !segment.scope.isAlive then
      throw InvalidFreeException(
        s"segment at ${segment.address} is not Malloc's, or is freed already"
      )
    free(Cage.addressOf(segment), segment.byteSize)

  private def segment(bits: Long, byteSize: Long): MemorySegment =
    val offset = Cage.offsetOf(bits)
    val arena = Arena.ofShared()
    val window =
      try Cage.space.window(offset, byteSize, arena)
      catch
        case e: MemoryException =>
          release(bits, -1)
          throw e
    val entry = PageTable.entry(offset >>> Cage.PageShift)
    if PageTable.isSlots(entry) then
      BlockHeader.setWindowed(BlockHeader.at(offset, PageTable.slotShift(entry)))
    val _ = windows.put(offset, Window(bits, window, arena))
    window

  /** Closes the segment over a block before it is freed; succeeds in exactly one of several
    * threads. If FFM rejects this because native code uses the segment, the block is unchanged. If
    * the block was freed meanwhile, a segment over a later block at its offset stays open.
    */
  private def end(bits: Long): Unit =
    val offset = Cage.offsetOf(bits)
    val window = windows.get(offset)
    if window == null || window.bits != bits then throw twice(offset)
    try window.arena.close()
    catch
      case e: IllegalStateException =>
        throw (if window.arena.scope.isAlive then e else twice(offset))
    if windows.remove(offset, window) then Cage.space.forget(window.segment)

  private def place(byteSize: Long, byteAlignment: Long, zero: Boolean): Long =
    Sizes.check(byteSize, byteAlignment)
    val begin = Math.max(byteAlignment, BlockHeader.HeaderBytes)
    val bytes = Math.max(byteSize, 1)
    val shift = 64 - java.lang.Long.numberOfLeadingZeros(begin + ((bytes + 7) & -8L) - 1)
    val bits =
      if shift > LargestShift then placeLarge(bytes, byteAlignment, zero)
      else
        val cache = ThreadCache.mine(Thread.currentThread)
        val fitting = Math.max(shift, SmallestShift)
        if cache != null then cache.heap.allocate(fitting, begin, bytes, zero)
        else common.synchronized(common.allocate(fitting, begin, bytes, zero))
    if Leaks.recording then Leaks.opened(Cage.offsetOf(bits), bytes, name)
    bits

  private def placeLarge(bytes: Long, byteAlignment: Long, zero: Boolean): Long =
    val extra = Math.max(byteAlignment - Cage.PageBytes, 0)
    val pages = Sizes.pages(bytes + extra)
    if budget.availableBytes < pages * Cage.PageBytes then collect()
    hold(pages * Cage.PageBytes)
    val wantsHuge = isHuge(pages)
    val span =
      try PagePool.take(pages, wantsHuge, OwnerNames.Malloc, zero) & ~PagePool.AllZero
      catch
        case e: MemoryException =>
          budget.release(pages * Cage.PageBytes)
          throw e
    budget.raisePeak()
    val bits = PagePool.aligned(span, byteAlignment)
    val _ = largeGiven.incrementAndGet()
    val _ = large.put(Cage.offsetOf(bits), Large(bits, span, pages, bytes))
    bits

  /** Collects the remote frees of this thread's blocks. */
  private def collect(): Unit =
    val cache = ThreadCache.mine(Thread.currentThread)
    if cache != null then cache.heap.collect() else common.synchronized(common.collect())

  /** Charges bytes of pages; if they do not fit, first returns idle pages of the heaps. */
  private[memory] def hold(bytes: Long): Unit =
    if !budget.tryHold(bytes) then
      ThreadCache.trimIdle()
      common.synchronized(common.trim())
      budget.hold(bytes)

  private def isHuge(pages: Long): Boolean =
    Pages.default == Pages.Huge && pages >= Cage.ChunkPages

  private def release(bits: Long, byteSize: Long): Unit =
    val offset = Cage.offsetOf(bits)
    if !Cage.holds(offset) then throw foreign(bits)
    // Before the free: after it, another thread may allocate and record a block at this offset.
    val site = if Leaks.recorded then Leaks.siteOf(offset) else null
    val entry = PageTable.entry(offset >>> Cage.PageShift)
    if PageTable.isSlots(entry) then releaseSlot(bits, byteSize, entry)
    else releaseLarge(bits, byteSize)
    if site != null then Leaks.closed(offset, site)

  /** Size in bytes of a live block that begins at the address. */
  private def heldBytes(bits: Long): Long =
    val offset = Cage.offsetOf(bits)
    if !Cage.holds(offset) then throw foreign(bits)
    val entry = PageTable.entry(offset >>> Cage.PageShift)
    if PageTable.isSlots(entry) then
      val slot = BlockHeader.at(offset, PageTable.slotShift(entry))
      val header = BlockHeader.header(slot)
      checkBegin(bits, slot, header)
      BlockHeader.size(header)
    else
      val block = large.get(offset)
      if block == null || block.bits != bits then throw foreign(bits)
      block.bytes

  private def checkBegin(bits: Long, slot: Long, header: Long): Unit =
    val offset = Cage.offsetOf(bits)
    if BlockHeader.state(header) != BlockHeader.Live || BlockHeader.generation(
        header
      ) != Cage.generationOf(bits)
    then
      throw twice(offset)
    if offset != slot + BlockHeader.begin(header) then throw inside(offset, slot, header)

  private def releaseSlot(bits: Long, byteSize: Long, entry: Int): Unit =
    val offset = Cage.offsetOf(bits)
    val shift = PageTable.slotShift(entry)
    val slot = BlockHeader.at(offset, shift)
    val header = BlockHeader.header(slot)
    checkBegin(bits, slot, header)
    checkSize(offset, byteSize, BlockHeader.size(header))
    if BlockHeader.isPinned(header) then throw Pins.inUse(name, offset, BlockHeader.size(header))
    if BlockHeader.isWindowed(header) then end(bits)
    val thread = Thread.currentThread
    val index = PageTable.slotLane(entry)
    if index == ThreadCache.count then
      common.synchronized:
        val isFreed = PageTable.entry(offset >>> Cage.PageShift) == entry &&
          common.free(slot, shift, header)
        if !isFreed then throw changed(slot, header, offset)
    else
      val cache = ThreadCache.at(index)
      if cache.isOwnedBy(thread) then releaseOwn(cache.heap, offset, slot, header, entry)
      else if cache.claimFree(thread) then
        // Not kept: a thread that frees the blocks of many dead threads would own all their caches.
        try releaseOwn(cache.heap, offset, slot, header, entry)
        finally cache.release()
      else if !cache.heap.freeRemotely(slot, shift, header) then
        throw changed(slot, header, offset)
  end releaseSlot

  /** Frees a block of a heap whose thread cache belongs to the current thread. */
  private def releaseOwn(
      heap: MallocHeap,
      offset: Long,
      slot: Long,
      header: Long,
      entry: Int
  ): Unit =
    // The thread cache's previous thread may have freed the block after the header was read, and
    // another thread the last block of a shared page.
    val now = PageTable.entry(offset >>> Cage.PageShift)
    if !PageTable.isSameSlots(entry, now) then throw twice(offset)
    val shift = PageTable.slotShift(now)
    val isFreed =
      if PageTable.isShared(now) then heap.freeShared(slot, shift, header)
      else heap.free(slot, shift, header)
    if !isFreed then throw changed(slot, header, offset)

  /** The error of a free whose block has changed since its header was read: another thread freed
    * it, or opened a pointer to it.
    */
  private def changed(slot: Long, header: Long, offset: Long): RuntimeException =
    val isLive = BlockHeader.unpinned(BlockHeader.header(slot)) == header
    if isLive then Pins.inUse(name, offset, BlockHeader.size(header)) else twice(offset)

  /** Runs `body` while the heap of threads without a cache cannot change. */
  private[memory] def lockingCommon[A](body: => A): A = common.synchronized(body)

  /** Replaces the header of a slot, if it is still `expected`. */
  private[memory] def replaceHeader(slot: Long, expected: Long, header: Long): Boolean =
    headers.compareAndSet(Cage.segment, slot, expected, header)

  private def twice(offset: Long): InvalidFreeException =
    InvalidFreeException(s"block at offset $offset was freed already")

  private def inside(offset: Long, slot: Long, header: Long): InvalidFreeException =
    val distance = offset - slot - BlockHeader.begin(header)
    InvalidFreeException(s"offset $offset is $distance bytes into a block")

  /** Marks a block of another thread as freed; succeeds in exactly one of several threads. */
  private[memory] def mark(slot: Long, header: Long): Boolean =
    val marked =
      BlockHeader.header(
        BlockHeader.generation(header),
        BlockHeader.FreedElsewhere,
        BlockHeader.begin(header),
        BlockHeader.size(header)
      )
    headers.compareAndSet(Cage.segment, slot, header, marked)

  private def releaseLarge(bits: Long, byteSize: Long): Unit =
    val offset = Cage.offsetOf(bits)
    val block = large.get(offset)
    if block == null || block.bits != bits then throw foreign(bits)
    checkSize(offset, byteSize, block.bytes)
    Pins.closingRange(OwnerNames.Malloc, offset, block.bytes): () =>
      if windows.containsKey(offset) then end(bits)
      if !large.remove(offset, block) then throw foreign(bits)
      budget.release(block.pages * Cage.PageBytes)
      PagePool.release(block.span, block.pages, block.pages, isHuge(block.pages))

  private def checkSize(offset: Long, byteSize: Long, blockBytes: Long): Unit =
    if byteSize >= 0 && Math.max(byteSize, 1) != blockBytes then
      throw wrongSize(offset, byteSize, blockBytes)

  private def negative(address: Address, byteSize: Long): InvalidFreeException =
    InvalidFreeException(
      s"block at offset ${address.offset} was freed as $byteSize bytes, but a size is at least 0"
    )

  private def wrongSize(offset: Long, byteSize: Long, blockBytes: Long): InvalidFreeException =
    InvalidFreeException(
      s"block at offset $offset has $blockBytes bytes, but was freed as $byteSize"
    )

  private def foreign(bits: Long): InvalidFreeException =
    val offset = Cage.offsetOf(bits)
    val generation = Cage.generationOf(bits)
    val owner =
      if Cage.holds(offset) then PageTable.owner(offset >>> Cage.PageShift, generation) else 0L
    val block = if owner == OwnerNames.Malloc then largeAround(bits) else null
    InvalidFreeException(
      if block != null then
        s"offset $offset is ${offset - Cage.offsetOf(block.bits)} bytes into a block"
      else if owner == OwnerNames.Malloc then s"block at offset $offset was freed already"
      else if owner == 0 then s"offset $offset of generation $generation is not a block of Malloc"
      else s"offset $offset belongs to ${OwnerNames.name(owner)}, not to Malloc"
    )

  /** The large block that contains an address; null if there is none. Compares all blocks. */
  private def largeAround(bits: Long): Large | Null =
    val blocks = large.values.iterator
    var result: Large | Null = null
    while result == null && blocks.hasNext do
      val block = blocks.next
      val distance = Cage.offsetOf(bits) - Cage.offsetOf(block.bits)
      val isInside = distance >= 0 && distance < block.bytes
      if isInside && Cage.generationOf(block.bits) == Cage.generationOf(bits) then result = block
    result

  private[memory] def heaps: List[MallocHeap] = common :: ThreadCache.all.map(_.heap).toList
  private[memory] def largeCount: Long = large.size
  private[memory] def largeTotal: Long = largeGiven.get
end Malloc
