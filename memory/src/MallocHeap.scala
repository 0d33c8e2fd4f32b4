package undercroft.memory

/** The slots that one lane gives out: pages of equal slots, with their free lists inside.
  *
  * {{{
  *   slot 0:  books of the page (SlotPage)
  *   slot n:  header (Slot) | block
  * }}}
  *
  * Only the lane's thread touches pages and slots. Another thread that frees a block marks its
  * header and leaves the slot in [[elsewhere]], from where the owner takes it when its own slots
  * run out. (The idea of page-local free lists with a separate list for other threads is
  * mimalloc's: Leijen, Zorn, de Moura, "Mimalloc: free list sharding in action", APLAS 2019.)
  */
private[memory] final class MallocHeap(index: Int, lane: Lane | Null):
  // By shift: the page that is allocated from, and a list of others with free slots. 0 is none.
  private val current = new Array[Long](Malloc.LargestShift + 1)
  private val partial = new Array[Long](Malloc.LargestShift + 1)
  private var elsewhere = new Array[Long](16)
  @volatile private var elsewhereCount = 0

  /** Blocks given out and freed since the process began: read by others a little late. */
  var givenOut = 0L
  var freed = 0L

  /** Frees that came twice, at the same time, from two threads, and were noticed late. */
  var lateFrees = 0L

  /** The address bits of a block in a slot of 2^shift bytes. */
  def allocate(shift: Int, begin: Long, byteSize: Long, zero: Boolean): Long =
    val page = current(shift)
    val first = if page == 0 then 0L else SlotPage.first(page)
    val slot = if first != 0 then first else takeElsewhere(page, shift)
    val header = Slot.header(slot)
    if first != 0 then SlotPage.takeFirst(page, header)
    val generation = Slot.generation(header)
    Slot.setHeader(slot, Slot.header(generation, Slot.Live, begin, byteSize))
    if zero then Zeros.write(slot + begin, byteSize)
    givenOut += 1
    Cage.bitsOf(slot + begin, generation)

  /** A slot that was never used, or one of another page. */
  private def takeElsewhere(page: Long, shift: Int): Long =
    val unused = if page == 0 then 0L else SlotPage.takeUnused(page, shift)
    if unused != 0 then unused
    else
      val next = nextPage(shift)
      val slot = SlotPage.first(next)
      if slot == 0 then SlotPage.takeUnused(next, shift)
      else
        SlotPage.takeFirst(next, Slot.header(slot))
        slot

  /** Frees a live block whose header was checked. */
  def free(slot: Long, shift: Int, header: Long): Unit =
    val page = slot & -Cage.PageBytes
    val generation = Slot.generation(header) + SlotPage.Step
    freed += 1
    val wasFull = SlotPage.give(page, slot, shift, generation)
    if page != current(shift) then
      if SlotPage.live(page) == 0 then
        if !wasFull then unlink(shift, page)
        returnPage(page, shift)
      else if wasFull && SlotPage.hasFree(page, shift) then link(shift, page)

  /** Leaves a slot, already marked, for the owner. Any thread. */
  def leave(slot: Long): Unit = synchronized:
    if elsewhereCount == elsewhere.length then
      elsewhere = java.util.Arrays.copyOf(elsewhere, elsewhere.length * 2)
    elsewhere(elsewhereCount) = slot
    elsewhereCount += 1

  /** Takes back what others freed. */
  def collect(): Unit =
    if elsewhereCount > 0 then
      val slots = synchronized:
        val taken = java.util.Arrays.copyOf(elsewhere, elsewhereCount)
        elsewhereCount = 0
        taken
      var i = 0
      while i < slots.length do
        val slot = slots(i)
        val header = Slot.header(slot)
        val entry = Generations.entry(slot >>> Cage.PageShift)
        if Generations.isSlots(entry) && Slot.state(header) == Slot.FreedElsewhere then
          free(slot, Generations.slotShift(entry), header)
        else lateFrees += 1
        i += 1

  private def nextPage(shift: Int): Long =
    collect()
    val page = current(shift)
    val stillFull = page == 0 || !SlotPage.hasFree(page, shift)
    if !stillFull then page
    else
      val known = partial(shift)
      val next =
        if known == 0 then newPage(shift)
        else
          unlink(shift, known)
          known
      // Full of slots whose generations are used up: nobody will ever free one of them.
      if page != 0 && SlotPage.live(page) == 0 then returnPage(page, shift)
      current(shift) = next
      next

  private def newPage(shift: Int): Long =
    Malloc.budget.charge(Cage.PageBytes)
    val bits =
      try PagePool.takePage(lane, Owners.Malloc)
      catch
        case e: MemoryException =>
          Malloc.budget.release(Cage.PageBytes)
          throw e
    val page = Cage.offsetOf(bits & ~PagePool.AllZero)
    val generation = Cage.generationOf(bits)
    if SlotPage.isUsable(generation) then
      SlotPage.format(page, generation)
      Generations.setEntry(page >>> Cage.PageShift, Generations.slots(index, shift))
      page
    else
      // Too old for slots, which use several generations at a time: another page serves.
      Malloc.budget.release(Cage.PageBytes)
      PagePool.givePage(lane, page >>> Cage.PageShift, Generations.Last)
      newPage(shift)

  private def returnPage(page: Long, shift: Int): Unit =
    Malloc.budget.release(Cage.PageBytes)
    val number = page >>> Cage.PageShift
    val last = SlotPage.highest(page, shift)
    Generations.remember(number, last, Owners.Malloc)
    PagePool.givePage(lane, number, last)

  private def link(shift: Int, page: Long): Unit =
    val first = partial(shift)
    SlotPage.setNext(page, first)
    SlotPage.setPrevious(page, 0)
    if first != 0 then SlotPage.setPrevious(first, page)
    partial(shift) = page

  private def unlink(shift: Int, page: Long): Unit =
    val before = SlotPage.previous(page)
    val after = SlotPage.next(page)
    if before == 0 then partial(shift) = after else SlotPage.setNext(before, after)
    if after != 0 then SlotPage.setPrevious(after, before)
end MallocHeap
