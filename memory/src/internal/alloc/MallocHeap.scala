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
  * Only the cache's thread accesses pages and slots. Another thread that frees a block (a remote
  * free) marks its header and adds the slot to [[elsewhere]], from which the owner takes it when
  * its own slots run out. (Page-local free lists with a separate list for other threads are
  * mimalloc's: Leijen, Zorn, de Moura, "Mimalloc: free list sharding in action", APLAS 2019.)
  */
private[memory] final class MallocHeap(index: Int, cache: ThreadCache | Null):
  // By shift: the current page, and a list of other pages with free slots. 0 means none.
  private val current = new Array[Long](Malloc.LargestShift + 1)
  private val partial = new Array[Long](Malloc.LargestShift + 1)
  private var elsewhere = new Array[Long](16)
  @volatile private var elsewhereCount = 0

  /** Blocks allocated and freed since the process started; other threads may see them late. */
  var givenOut = 0L
  var freed = 0L

  /** Double frees by two threads at the same moment, detected late. */
  var lateFrees = 0L

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

  /** Frees a live block whose header was checked. */
  def free(slot: Long, shift: Int, header: Long): Unit =
    val page = slot & -Cage.PageBytes
    val generation = BlockHeader.generation(header) + SlabPage.Step
    freed += 1
    val wasFull = SlabPage.release(page, slot, shift, generation)
    if page != current(shift) then
      if SlabPage.live(page) == 0 then
        if !wasFull then unlink(shift, page)
        returnPage(page, shift)
      else if wasFull && SlabPage.hasFree(page, shift) then link(shift, page)

  /** Leaves a slot, already marked, for the owner. Thread-safe.
    *
    * The entry contains the generation of the freed block. If the owner frees the same block at the
    * same moment, the slot may be allocated again, or its page may be reused, before the entry is
    * collected: the generation then differs, and the entry is dropped.
    */
  def leave(slot: Long, generation: Int): Unit = synchronized:
    if elsewhereCount == elsewhere.length then
      elsewhere = java.util.Arrays.copyOf(elsewhere, elsewhere.length * 2)
    elsewhere(elsewhereCount) = Cage.bitsOf(slot, generation)
    elsewhereCount += 1

  /** Collects remote frees. */
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
          free(slot, PageTable.slotShift(entry), BlockHeader.header(slot))
        else lateFrees += 1
        i += 1

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
        returnPage(page, shift)
      shift += 1

  private def nextPage(shift: Int): Long =
    collect()
    val page = current(shift)
    val stillFull = page == 0 || !SlabPage.hasFree(page, shift)
    if !stillFull then page
    else
      val candidate = partial(shift)
      val next =
        if candidate == 0 then newPage(shift)
        else
          unlink(shift, candidate)
          candidate
      // A reclaimer may have freed blocks, or even allocated some, while memory was short.
      val previous = current(shift)
      current(shift) = next
      if previous != 0 then
        // All slots may have used up their generations: no later free would return the page.
        if SlabPage.live(previous) == 0 then returnPage(previous, shift)
        else if SlabPage.hasFree(previous, shift) then link(shift, previous)
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

  private def returnPage(page: Long, shift: Int): Unit =
    Malloc.budget.release(Cage.PageBytes)
    val number = page >>> Cage.PageShift
    val last = SlabPage.highest(page, shift)
    PageTable.remember(number, last, OwnerNames.Malloc)
    PagePool.releasePage(cache, number, last)

  private def link(shift: Int, page: Long): Unit =
    val first = partial(shift)
    SlabPage.setNext(page, first)
    SlabPage.setPrevious(page, 0)
    if first != 0 then SlabPage.setPrevious(first, page)
    partial(shift) = page

  /** The page that a page's header refers to; 0 if it is not of this list, because the header was
    * overwritten: see [[SlabPage]]. The pages after it are then lost.
    */
  private def linked(shift: Int, page: Long): Long =
    val isPage = page > 0 && page < Cage.FullRange && (page & (Cage.PageBytes - 1)) == 0
    val isOfList = isPage && Cage.holds(page) &&
      PageTable.entry(page >>> Cage.PageShift) == PageTable.slots(index, shift)
    if isOfList then page else 0L

  private def unlink(shift: Int, page: Long): Unit =
    val before = linked(shift, SlabPage.previous(page))
    val after = linked(shift, SlabPage.next(page))
    if before == 0 then partial(shift) = after else SlabPage.setNext(before, after)
    if after != 0 then SlabPage.setPrevious(after, before)
end MallocHeap
