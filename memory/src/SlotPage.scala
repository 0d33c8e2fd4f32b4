package undercroft.memory

import java.lang.foreign.ValueLayout

/** The books of a page of slots, in the page's own first slot. An offset of 0 is none.
  *
  * {{{
  *    0  first free slot     24, 32  previous, next page of the list
  *    8  live slots          40  generation of its slots at first use
  *   16  slots ever used
  * }}}
  *
  * A free slot's header holds where the next free one lies in the page.
  */
private[memory] object SlotPage:
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
  def setPrevious(page: Long, other: Long): Unit = long(page + 24, other)
  def setNext(page: Long, other: Long): Unit = long(page + 32, other)

  def format(page: Long, generation: Int): Unit =
    long(page, 0)
    long(page + 8, 0)
    int(page + 16, 1)
    long(page + 24, 0)
    long(page + 32, 0)
    int(page + 40, firstBase(generation))

  def hasFree(page: Long, shift: Int): Boolean =
    long(page) != 0 || int(page + 16) < (Cage.PageBytes >>> shift).toInt

  /** The slot that is taken next, if one was freed; 0 when none was. */
  def first(page: Long): Long = long(page)

  /** Takes the slot that [[first]] gave. */
  def takeFirst(page: Long, header: Long): Unit =
    val following = Slot.begin(header)
    long(page, if following == 0 then 0 else page + following)
    long(page + 8, live(page) + 1)

  /** Takes a slot that was never used, whose header then holds its generation; 0 when all were. */
  def takeUnused(page: Long, shift: Int): Long =
    val used = int(page + 16)
    if used >= (Cage.PageBytes >>> shift).toInt then 0L
    else
      int(page + 16, used + 1)
      long(page + 8, live(page) + 1)
      val slot = page + (used.toLong << shift)
      val generation = int(page + 40) + spread(used)
      Slot.setHeader(slot, Slot.header(generation, Slot.Free, 0, 0))
      slot

  /** By how much a slot's generation grows at each free.
    *
    * Slots whose numbers differ in one bit have different generations modulo this, for ever, so
    * that a reference with one damaged bit is refused. With the few generations of a test no slot
    * would live twice, and so the step is one.
    */
  val Step: Int = if Settings.generationBits >= 10 then 16 else 1

  /** Whether the slots of a page that begins with this generation have any to live through. */
  def isUsable(generation: Int): Boolean = firstBase(generation) + Step - 1 <= Generations.Last

  private def firstBase(generation: Int): Int = (generation + Step - 1) & -Step

  private def spread(number: Int): Int = Generations.syndrome(number) & (Step - 1)

  /** The highest generation of a page's slots; free slots hold their next one. */
  def highest(page: Long, shift: Int): Int =
    var highest = int(page + 40)
    var i = 1
    while i < int(page + 16) do
      highest = highest.max(Slot.generation(Slot.header(page + (i.toLong << shift))))
      i += 1
    highest

  /** Takes a slot back, unless its generations are used up; tells whether the page was full. */
  def give(page: Long, slot: Long, shift: Int, generation: Int): Boolean =
    val first = long(page)
    val wasFull = first == 0 && int(page + 16) >= (Cage.PageBytes >>> shift).toInt
    if generation > Generations.Last then
      Slot.setHeader(slot, Slot.header(Generations.Last, Slot.FreedElsewhere, 0, 0))
    else
      val following = if first == 0 then 0L else first - page
      Slot.setHeader(slot, Slot.header(generation, Slot.Free, following, 0))
      long(page, slot)
    long(page + 8, live(page) - 1)
    wasFull
end SlotPage
