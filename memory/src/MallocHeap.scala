package undercroft.memory

import java.lang.foreign.ValueLayout

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

  /** Bytes and number of live blocks, and how many there ever were: read by others a little late.
    */
  var liveBytes = 0L
  var liveCount = 0L
  var totalCount = 0L

  /** Frees that came twice, at the same time, from two threads, and were noticed late. */
  var lateFrees = 0L

  /** The address bits of a block in a slot of 2^shift bytes. */
  def allocate(shift: Int, begin: Long, byteSize: Long, zero: Boolean): Long =
    var page = current(shift)
    var slot = if page == 0 then 0L else SlotPage.take(page, shift)
    if slot == 0 then
      page = nextPage(shift)
      slot = SlotPage.take(page, shift)
    val generation = Slot.generation(Slot.header(slot))
    Slot.setHeader(slot, Slot.header(generation, Slot.Live, begin, byteSize))
    if zero then clear(slot + begin, byteSize)
    liveBytes += byteSize
    liveCount += 1
    totalCount += 1
    (slot + begin) | generation.toLong << Cage.OffsetBits

  /** Frees a live block whose header was checked. */
  def free(slot: Long, shift: Int, header: Long): Unit =
    val page = slot & -Cage.PageBytes
    val generation = Slot.generation(header) + SlotPage.Step
    liveBytes -= Slot.size(header)
    liveCount -= 1
    val wasFull = SlotPage.give(page, slot, shift, generation)
    if page != current(shift) then
      if SlotPage.live(page) == 0 then
        if !wasFull then unlink(shift, page)
        returnPage(page)
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
      if page != 0 && SlotPage.live(page) == 0 then returnPage(page)
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
    val page = bits & Cage.OffsetMask & ~PagePool.AllZero
    val generation = PagePool.generation(bits)
    if SlotPage.isUsable(generation) then
      SlotPage.format(page, generation)
      Generations.setEntry(page >>> Cage.PageShift, Generations.slots(index, shift))
      page
    else
      // Too old for slots, which use several generations at a time: another page serves.
      Malloc.budget.release(Cage.PageBytes)
      PagePool.givePage(lane, page >>> Cage.PageShift, Generations.Last)
      newPage(shift)

  private def returnPage(page: Long): Unit =
    Malloc.budget.release(Cage.PageBytes)
    val number = page >>> Cage.PageShift
    val last = (SlotPage.highest(page) - 1).max(0)
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

  private def clear(offset: Long, bytes: Long): Unit =
    if bytes > MallocHeap.ClearedByWords then Cage.segment.asSlice(offset, bytes).fill(0): Unit
    else
      val words = ((bytes + 7) >>> 3).toInt
      var i = 0
      while i < words do
        Cage.segment.set(ValueLayout.JAVA_LONG_UNALIGNED, offset + i * 8L, 0L)
        i += 1
end MallocHeap

private[memory] object MallocHeap:
  /** Up to here a loop over words is cheaper than a call. */
  private val ClearedByWords = 256L
