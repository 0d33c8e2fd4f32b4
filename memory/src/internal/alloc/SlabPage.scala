package undercroft.memory
package internal.alloc

import internal.cage.{BlockHeader, Cage, PageTable}
import internal.platform.Settings
import java.lang.foreign.ValueLayout

/** The header of a page of slots, stored in the page's first slot. An offset of 0 means none.
  *
  * {{{
  *    0  first free slot     24, 32  previous, next page of the list
  *    8  live slots          40  generation of its slots at first use
  *   16  slots ever used
  * }}}
  *
  * A free slot's header contains the offset of the next free slot in the page.
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

  def format(page: Long, generation: Int): Unit =
    long(page, 0)
    long(page + 8, 0)
    int(page + 16, 1)
    long(page + 24, 0)
    long(page + 32, 0)
    int(page + 40, firstBase(generation))

  def hasFree(page: Long, shift: Int): Boolean =
    long(page) != 0 || int(page + 16) < (Cage.PageBytes >>> shift).toInt

  /** The first slot of the free list; 0 if the list is empty. */
  def first(page: Long): Long = long(page)

  /** Takes the slot that [[first]] returned. */
  def takeFirst(page: Long, header: Long): Unit =
    val following = BlockHeader.begin(header)
    long(page, if following == 0 then 0 else page + following)
    long(page + 8, live(page) + 1)

  /** Takes an unused slot and sets its generation in its header; 0 if all were used. */
  def takeUnused(page: Long, shift: Int): Long =
    val used = int(page + 16)
    if used >= (Cage.PageBytes >>> shift).toInt then 0L
    else
      int(page + 16, used + 1)
      long(page + 8, live(page) + 1)
      val slot = page + (used.toLong << shift)
      val generation = int(page + 40) + spread(used)
      BlockHeader.setHeader(slot, BlockHeader.header(generation, BlockHeader.Free, 0, 0))
      slot

  /** Increment of a slot's generation at each free.
    *
    * Slots whose numbers differ in one bit always have different generations modulo this step, so
    * that a reference with one damaged bit is rejected. With the few generations that tests use no
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
    while i < int(page + 16) do
      highest = highest.max(BlockHeader.generation(BlockHeader.header(page + (i.toLong << shift))))
      i += 1
    highest

  /** Frees a slot, unless its generations are used up; returns whether the page was full. */
  def give(page: Long, slot: Long, shift: Int, generation: Int): Boolean =
    val first = long(page)
    val wasFull = first == 0 && int(page + 16) >= (Cage.PageBytes >>> shift).toInt
    if generation > PageTable.Last then
      BlockHeader.setHeader(
        slot,
        BlockHeader.header(PageTable.Last, BlockHeader.FreedElsewhere, 0, 0)
      )
    else
      val following = if first == 0 then 0L else first - page
      BlockHeader.setHeader(slot, BlockHeader.header(generation, BlockHeader.Free, following, 0))
      long(page, slot)
    long(page + 8, live(page) - 1)
    wasFull
end SlabPage
