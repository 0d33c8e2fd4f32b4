package undercroft.memory
package internal.alloc

import internal.cage.{BlockHeader, Cage, PageTable}
import internal.platform.Settings
import java.lang.foreign.ValueLayout

/** The header of a page of slots, stored in the page's first slot. 0 means none.
  *
  * {{{
  *    0  first free slot     24, 32  previous, next page of the list
  *    8  live slots          40  generation of its slots at first use
  *   16  slots ever used     48  slots of a shared page that were freed since it was full
  * }}}
  *
  * Free slots form a list: the page's header and the header of each free slot contain the distance
  * of the next free slot from the page's start.
  *
  * A store that raced with the close of the page's previous owner may overwrite these headers. So
  * every distance is masked when it is read: whatever it contains, it leads to a slot of the page.
  */
private[memory] object SlabPage:
  private val segment = Cage.segment

  private def long(at: Long): Long = segment.get(ValueLayout.JAVA_LONG_UNALIGNED, at)
  private def long(at: Long, value: Long): Unit =
    segment.set(ValueLayout.JAVA_LONG_UNALIGNED, at, value)
  private def int(at: Long): Int = segment.get(ValueLayout.JAVA_INT_UNALIGNED, at)
  private def int(at: Long, value: Int): Unit =
    segment.set(ValueLayout.JAVA_INT_UNALIGNED, at, value)

  def live(page: Long): Long = long(page + 8)
  def previous(page: Long): Long = long(page + 24)
  def next(page: Long): Long = long(page + 32)
  def setPrevious(page: Long, linkedPage: Long): Unit = long(page + 24, linkedPage)
  def setNext(page: Long, linkedPage: Long): Unit = long(page + 32, linkedPage)
  def freedWhenShared(page: Long): Long = long(page + 48)
  def setFreedWhenShared(page: Long, count: Long): Unit = long(page + 48, count)

  def format(page: Long, generation: Int): Unit =
    long(page, 0)
    long(page + 8, 0)
    int(page + 16, 1)
    long(page + 24, 0)
    long(page + 32, 0)
    int(page + 40, firstBase(generation))

  def hasFree(page: Long, shift: Int): Boolean =
    first(page, shift) != 0 || used(page, shift) < slots(shift)

  private def slots(shift: Int): Int = (Cage.PageBytes >>> shift).toInt

  private def used(page: Long, shift: Int): Int =
    Math.min(Math.max(int(page + 16), 1), slots(shift))

  /** The first slot of the free list; 0 if the list is empty. */
  def first(page: Long, shift: Int): Long =
    val distance = long(page) & (Cage.PageBytes - 1) & -(1L << shift)
    if distance == 0 then 0L else page + distance

  /** Takes the slot that [[first]] returned. */
  def takeFirst(page: Long, header: Long): Unit =
    long(page, BlockHeader.begin(header))
    long(page + 8, live(page) + 1)

  /** Takes an unused slot and sets its generation in its header; 0 if all were used. */
  def takeUnused(page: Long, shift: Int): Long =
    val number = used(page, shift)
    if number == slots(shift) then 0L
    else
      int(page + 16, number + 1)
      long(page + 8, live(page) + 1)
      val slot = page + (number.toLong << shift)
      val generation = int(page + 40) + spread(number)
      BlockHeader.setHeader(slot, BlockHeader.header(generation, BlockHeader.Free, 0, 0))
      slot

  /** Increment of a slot's generation at each free.
    *
    * Slots whose numbers differ in one bit always have different generations modulo this step, so
    * that a reference with one flipped bit is rejected. With the few generations that tests use no
    * slot could be reused, so the step is one then.
    */
  val Step: Int = if Settings.generationBits >= 10 then 16 else 1

  /** Whether the slots of a page that begins with this generation have a generation to use. */
  def isUsable(generation: Int): Boolean = firstBase(generation) + Step - 1 <= PageTable.Last

  private def firstBase(generation: Int): Int = (generation + Step - 1) & -Step

  private def spread(number: Int): Int = PageTable.syndrome(number) & (Step - 1)

  /** The highest generation of a page's slots; free slots contain their next one. */
  def highest(page: Long, shift: Int): Int =
    var highest = int(page + 40)
    var i = 1
    while i < used(page, shift) do
      highest =
        Math.max(highest, BlockHeader.generation(BlockHeader.header(page + (i.toLong << shift))))
      i += 1
    highest

  /** Releases the `count` slots that other threads have marked as freed. */
  def releaseMarked(page: Long, shift: Int, count: Long): Unit =
    val slots = used(page, shift)
    var remaining = count
    var i = 1
    while remaining > 0 && i < slots do
      val slot = page + (i.toLong << shift)
      val header = BlockHeader.header(slot)
      if BlockHeader.state(header) == BlockHeader.FreedElsewhere then
        val _ = release(page, slot, shift, BlockHeader.generation(header) + Step)
        remaining -= 1
      i += 1

  /** Frees a slot, unless its generations are used up; returns whether the page was full. */
  def release(page: Long, slot: Long, shift: Int, generation: Int): Boolean =
    val wasFull = !hasFree(page, shift)
    if generation > PageTable.Last then
      BlockHeader.setHeader(slot, BlockHeader.header(PageTable.Last, BlockHeader.Retired, 0, 0))
    else
      val following = long(page) & (Cage.PageBytes - 1)
      BlockHeader.setHeader(slot, BlockHeader.header(generation, BlockHeader.Free, following, 0))
      long(page, slot - page)
    long(page + 8, live(page) - 1)
    wasFull
end SlabPage
