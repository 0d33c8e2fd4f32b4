package undercroft.memory
package internal.alloc

import internal.cage.{BlockHeader, Cage, OwnerNames, PageTable, ZeroFill}

/** The Malloc blocks of one thread cache: pages of equal slots with free lists inside the pages.
  *
  * {{{
  *   slot 0:  header of the page (SlabPage)
  *   slot n:  header (BlockHeader) | block
  * }}}
  *
  * {{{
  *                own free, or the owner                      last slot is freed
  *                needs a page                                by another thread
  *   attached <--------------------------- shared -------------------------------> returned
  *      |  ------------------------------->   |                                       ^
  *      |      full, and the heap grows                                               |
  *      +------------------- last slot is freed by the owner -------------------------+
  * }}}
  *
  * Only the cache's thread, the owner, accesses attached pages: current pages, pages with free
  * slots, and pages that reused slots have filled. Another thread that frees a block there (a
  * remote free) marks its header and adds the slot to [[elsewhere]], from which the owner takes it
  * when its own slots run out. A page that is full when the heap grows is shared: the lock of this
  * object guards it, so that remote frees return it even if the owner runs no longer. A heap that
  * only reuses slots shares no page, so it needs no lock. Only the owner shares and attaches pages,
  * so it needs no lock to know that a page is attached. (Page-local free lists with a separate list
  * for other threads are mimalloc's: Leijen, Zorn, de Moura, "Mimalloc: free list sharding in
  * action", APLAS 2019.)
  */
private[memory] final class MallocHeap(index: Int, cache: ThreadCache | Null):
  // By shift: the current page, and a list of other pages with free slots. 0 means none.
  private val current = new Array[Long](Malloc.LargestShift + 1)
  private val partial = new Array[Long](Malloc.LargestShift + 1)

  // By shift: a list of the shared pages with freed slots. Guarded by the lock.
  private val refilled = new Array[Long](Malloc.LargestShift + 1)
  private var elsewhere = new Array[Long](16)
  @volatile private var elsewhereCount = 0

  /** Blocks allocated and freed by the owner since the process started; other threads may see them
    * late.
    */
  var givenOut = 0L
  private var freed = 0L

  /** Blocks freed by other threads. */
  @volatile private var freedRemotely = 0L

  /** Double frees by two threads at the same moment, detected late. */
  var lateFrees = 0L

  /** The number of blocks that are not freed; inexact while threads allocate and free. */
  def liveBlocks: Long = givenOut - freed - freedRemotely + lateFrees

  /** Allocates a block in a slot of 2^shift bytes and returns its address bits. */
  def allocate(shift: Int, begin: Long, byteSize: Long, zero: Boolean): Long =
    val page = current(shift)
    val first = if page == 0 then 0L else SlabPage.first(page, shift)
    val slot = if first != 0 then first else takeElsewhere(page, shift)
    val header = BlockHeader.header(slot)
    if first != 0 then SlabPage.takeFirst(page, header)
    val generation = BlockHeader.generation(header)
    BlockHeader.setHeader(slot, BlockHeader.header(generation, BlockHeader.Live, begin, byteSize))
    if zero then ZeroFill.write(slot + begin, byteSize)
    givenOut += 1
    Cage.bitsOf(slot + begin, generation)

  /** An unused slot of the page, or a slot of another page. */
  private def takeElsewhere(page: Long, shift: Int): Long =
    val unused = if page == 0 then 0L else SlabPage.takeUnused(page, shift)
    if unused != 0 then unused
    else
      val next = nextPage(shift)
      val slot = SlabPage.first(next, shift)
      if slot == 0 then SlabPage.takeUnused(next, shift)
      else
        SlabPage.takeFirst(next, BlockHeader.header(slot))
        slot

  /** Frees a block of an attached page by the owner, unless its header has changed. */
  def free(slot: Long, shift: Int, header: Long): Boolean =
    val isUnchanged = BlockHeader.header(slot) == header
    if isUnchanged then
      freed += 1
      release(slot, shift, header)
    isUnchanged

  private def release(slot: Long, shift: Int, header: Long): Unit =
    val page = slot & -Cage.PageBytes
    val generation = BlockHeader.generation(header) + SlabPage.Step
    val wasFull = SlabPage.release(page, slot, shift, generation)
    if page != current(shift) then
      if SlabPage.live(page) == 0 then
        if !wasFull then unlink(partial, shift, page, attached(shift))
        returnPage(page, shift, cache)
      else if wasFull && SlabPage.hasFree(page, shift) then
        link(partial, shift, page, attached(shift))

  /** Frees a block of a shared page by the owner, which attaches the page; false if the block's
    * header has changed, or another thread has freed all blocks of the page.
    */
  def freeShared(slot: Long, shift: Int, header: Long): Boolean = synchronized:
    val page = slot & -Cage.PageBytes
    val isUnchanged = PageTable.entry(page >>> Cage.PageShift) == shared(shift) &&
      BlockHeader.header(slot) == header
    if isUnchanged then
      if SlabPage.freedWhenShared(page) > 0 then unlink(refilled, shift, page, shared(shift))
      attach(page, shift)
      freed += 1
      val _ = SlabPage.release(page, slot, shift, BlockHeader.generation(header) + SlabPage.Step)
      settle(page, shift, isGrowing = false)
    isUnchanged

  /** Frees a block by another thread than the owner; false if its header has changed. */
  def freeRemotely(slot: Long, shift: Int, header: Long): Boolean =
    val page = slot & -Cage.PageBytes
    var isLast = false
    val isMarked = synchronized:
      val marked = Malloc.mark(slot, header)
      if marked then
        freedRemotely += 1
        // The owner may have freed the block at the same moment, and returned the page.
        if PageTable.entry(page >>> Cage.PageShift) == shared(shift) then
          isLast = countShared(page, shift, 1)
        else leave(slot, BlockHeader.generation(header))
      marked
    if isLast then returnPage(page, shift, null)
    isMarked

  /** Counts freed slots of a shared page; returns whether no live slot remains. Needs the lock. */
  private def countShared(page: Long, shift: Int, slots: Long): Boolean =
    val before = SlabPage.freedWhenShared(page)
    val isLast = before + slots >= SlabPage.live(page)
    if isLast && before > 0 then unlink(refilled, shift, page, shared(shift))
    else if !isLast && before == 0 then link(refilled, shift, page, shared(shift))
    SlabPage.setFreedWhenShared(page, before + slots)
    isLast

  /** Leaves a slot, already marked, for the owner. Needs the lock.
    *
    * The entry contains the generation of the freed block. If the owner frees the same block at the
    * same moment, the slot may be allocated again, or its page may be reused, before the entry is
    * collected: the generation then differs, and the entry is dropped.
    */
  private def leave(slot: Long, generation: Int): Unit =
    if elsewhereCount == elsewhere.length then
      elsewhere = java.util.Arrays.copyOf(elsewhere, elsewhere.length * 2)
    elsewhere(elsewhereCount) = Cage.bitsOf(slot, generation)
    elsewhereCount += 1

  /** Collects remote frees of attached pages. */
  def collect(): Unit =
    if elsewhereCount > 0 then
      val slots = synchronized:
        val copy = java.util.Arrays.copyOf(elsewhere, elsewhereCount)
        elsewhereCount = 0
        copy
      var i = 0
      while i < slots.length do
        val slot = Cage.offsetOf(slots(i))
        val entry = PageTable.entry(slot >>> Cage.PageShift)
        if isSlot(slot, entry) && isFreed(slot, Cage.generationOf(slots(i))) then
          release(slot, PageTable.slotShift(entry), BlockHeader.header(slot))
        else lateFrees += 1
        i += 1

  /** Shares a full page, with its slots that other threads have left for the owner. */
  private def share(page: Long, shift: Int): Unit =
    val isEmpty = synchronized:
      SlabPage.setFreedWhenShared(page, 0)
      PageTable.setEntry(page >>> Cage.PageShift, shared(shift))
      val left = takeLeft(page)
      left > 0 && countShared(page, shift, left)
    if isEmpty then returnPage(page, shift, cache)

  /** Removes the slots of a page from [[elsewhere]], and returns their number. */
  private def takeLeft(page: Long): Long =
    var (remaining, removed) = (0, 0L)
    var i = 0
    while i < elsewhereCount do
      val slot = Cage.offsetOf(elsewhere(i))
      if (slot & -Cage.PageBytes) == page && isFreed(slot, Cage.generationOf(elsewhere(i))) then
        removed += 1
      else
        elsewhere(remaining) = elsewhere(i)
        remaining += 1
      i += 1
    elsewhereCount = remaining
    removed

  /** Attaches a shared page that is not in [[refilled]], and releases its freed slots. Needs the
    * lock.
    */
  private def attach(page: Long, shift: Int): Unit =
    PageTable.setEntry(page >>> Cage.PageShift, attached(shift))
    SlabPage.releaseMarked(page, shift, SlabPage.freedWhenShared(page))

  /** Attaches a shared page with a free slot; 0 if the first page of the list has none, because all
    * its freed slots have used up their generations, or if the list is empty.
    */
  private def takeRefilled(shift: Int): Long = synchronized:
    val page = linked(refilled(shift), shared(shift))
    if page == 0 then
      refilled(shift) = 0
      0L
    else
      unlink(refilled, shift, page, shared(shift))
      attach(page, shift)
      val hasFree = SlabPage.hasFree(page, shift)
      if !hasFree then share(page, shift)
      if hasFree then page else 0L

  /** Puts an attached page that is not current, and is in no list, in its place. */
  private def settle(page: Long, shift: Int, isGrowing: Boolean): Unit =
    // All slots may have used up their generations: no later free would return the page.
    if SlabPage.live(page) == 0 then returnPage(page, shift, cache)
    else if SlabPage.hasFree(page, shift) then link(partial, shift, page, attached(shift))
    else if isGrowing && cache != null then share(page, shift)

  private def attached(shift: Int): Int = PageTable.slots(index, shift)
  private def shared(shift: Int): Int = PageTable.shared(attached(shift))

  /** Whether an offset is a slot of this heap now: its page may have been reused. */
  private def isSlot(slot: Long, entry: Int): Boolean =
    PageTable.isSlots(entry) && PageTable.slotLane(entry) == index &&
      BlockHeader.at(slot, PageTable.slotShift(entry)) == slot && (slot & (Cage.PageBytes - 1)) != 0

  private def isFreed(slot: Long, generation: Int): Boolean =
    val header = BlockHeader.header(slot)
    BlockHeader.state(header) == BlockHeader.FreedElsewhere && BlockHeader.generation(
      header
    ) == generation

  /** Returns current pages without live slots. A page whose generations are used up has no free
    * slot either: [[nextPage]] returns it.
    */
  def trim(): Unit =
    var shift = 0
    while shift < current.length do
      val page = current(shift)
      if page != 0 && SlabPage.live(page) == 0 && SlabPage.hasFree(page, shift) then
        current(shift) = 0
        returnPage(page, shift, cache)
      shift += 1

  private def nextPage(shift: Int): Long =
    collect()
    val page = current(shift)
    val stillFull = page == 0 || !SlabPage.hasFree(page, shift)
    if !stillFull then page
    else
      val candidate = partial(shift)
      val next =
        if candidate != 0 then
          unlink(partial, shift, candidate, attached(shift))
          candidate
        else
          val reused = takeRefilled(shift)
          if reused != 0 then reused else newPage(shift)
      // A reclaimer may have freed blocks, or even allocated some, while memory was short.
      val previous = current(shift)
      current(shift) = next
      if previous != 0 then settle(previous, shift, isGrowing = candidate == 0)
      next
  end nextPage

  private def newPage(shift: Int): Long =
    Malloc.hold(Cage.PageBytes)
    val bits =
      try PagePool.takePage(cache, OwnerNames.Malloc)
      catch
        case e: MemoryException =>
          Malloc.budget.release(Cage.PageBytes)
          throw e
    Malloc.budget.raisePeak()
    val page = Cage.offsetOf(bits & ~PagePool.AllZero)
    val generation = Cage.generationOf(bits)
    if SlabPage.isUsable(generation) then
      SlabPage.format(page, generation)
      PageTable.setEntry(page >>> Cage.PageShift, PageTable.slots(index, shift))
      page
    else
      // Too few generations left for slots, which use several at a time: takes another page.
      Malloc.budget.release(Cage.PageBytes)
      PagePool.releasePage(cache, page >>> Cage.PageShift, PageTable.Last)
      newPage(shift)
  end newPage

  /** Returns a page without live slots to the pool.
    *
    * @param ownCache
    *   the cache of the current thread, or null
    */
  private def returnPage(page: Long, shift: Int, ownCache: ThreadCache | Null): Unit =
    Malloc.budget.release(Cage.PageBytes)
    val number = page >>> Cage.PageShift
    val last = SlabPage.highest(page, shift)
    PageTable.remember(number, last, OwnerNames.Malloc)
    PagePool.releasePage(ownCache, number, last)

  private def link(list: Array[Long], shift: Int, page: Long, entry: Int): Unit =
    val first = linked(list(shift), entry)
    SlabPage.setNext(page, first)
    SlabPage.setPrevious(page, 0)
    if first != 0 then SlabPage.setPrevious(first, page)
    list(shift) = page

  /** The page that a page's header refers to; 0 if it is not of the list whose pages have `entry`,
    * because the header was overwritten: see [[SlabPage]]. The pages after it are then lost.
    */
  private def linked(page: Long, entry: Int): Long =
    val isPage = page > 0 && page < Cage.FullRange && (page & (Cage.PageBytes - 1)) == 0
    val isOfList =
      isPage && Cage.holds(page) && PageTable.entry(page >>> Cage.PageShift) == entry
    if isOfList then page else 0L

  private def unlink(list: Array[Long], shift: Int, page: Long, entry: Int): Unit =
    val before = linked(SlabPage.previous(page), entry)
    val after = linked(SlabPage.next(page), entry)
    if before == 0 then list(shift) = after else SlabPage.setNext(before, after)
    if after != 0 then SlabPage.setPrevious(after, before)
end MallocHeap
