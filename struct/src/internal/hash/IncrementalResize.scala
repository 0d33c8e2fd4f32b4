package undercroft.struct
package internal.hash

import java.util.BitSet

/** Incremental resize: the homes of a table grow in place, and its entries move to their new homes
  * a few at a time, from the last home to the first.
  *
  * ```text
  *  home 0              unmoved           2 unmoved                     2 older        slots
  *  +-- ... --------------+------ ... ------+---------- ... -------------+----------+
  *  | old homes           | free            | new homes                  | overflow |
  *  +-- ... --------------+------ ... ------+---------- ... -------------+----------+
  * ```
  *
  * Homes are in hash order at every size, so the moved entries are exactly the entries from one
  * hash on, and the moves access memory sequentially. Runs of old homes may extend into the free
  * slots; every search stops at a free slot, and every removal asks for the home of each entry, so
  * both are correct even if such a run meets the new homes.
  */
private[struct] object IncrementalResize:
  /** Homes that move at each new key: all have moved long before the table is full again. */
  inline val Step = 64L

  /** The most slots whose entries move in one operation; more do not occur by chance. */
  private inline val MaxRest = 0x10000L

  def larger(capacity: Long): Long = Math.addExact(capacity, capacity)

  /** The least new home of the entries at `home` or after it. */
  private def newHome(home: Long): Long = 2 * home

  /** Moves the entries of the last `homes` homes, and the run that these share with homes before
    * them. Returns false, and moves nothing, if the new slots might run out, which does not happen
    * by chance.
    */
  def move(slots: HashSlots, homes: Long): Boolean =
    val stride = slots.stride
    var until = slots.place(slots.unmoved)
    while !slots.isFree(until) do until += stride
    var home = (slots.unmoved - homes).max(0)
    while home > 0 && !slots.isFree(slots.place(home - 1)) do home -= 1
    val from = slots.place(home)
    if home == 0 || slots.place(newHome(home)) < until then moveRest(slots, until)
    else if !hasRoom(slots, from, until) then false
    else
      // From the last to the first, so that no entry is in the way of another one.
      var at = until - stride
      while at >= from do
        if !slots.isFree(at) then
          slots.copy(at, slots.newFree(slots.hashAt(at)))
          slots.clear(at)
        at -= stride
      slots.unmoved = home
      true
  end move

  /** Moves all entries before a place, whose new homes may be among their old slots. */
  private def moveRest(slots: HashSlots, until: Long): Boolean =
    val rest = (until - slots.first) / slots.stride
    if rest > MaxRest || !hasRoom(slots, slots.first, until) then false
    else
      val unmoved = BitSet(rest.toInt)
      var k = 0
      while k < rest do
        if !slots.isFree(slots.place(k)) then unmoved.set(k)
        k += 1
      slots.finish()
      k = unmoved.nextSetBit(0)
      while k >= 0 do
        moveChain(slots, k, unmoved)
        k = unmoved.nextSetBit(k)
      true

  /** Moves the entry of a slot to the first slot from its new home on that has no moved entry, then
    * the entry that was there, and so on up to a free slot. No slot of a moved entry becomes free,
    * so every search finds it.
    */
  private def moveChain(slots: HashSlots, first: Int, unmoved: BitSet): Unit =
    unmoved.clear(first)
    slots.copy(slots.place(first), slots.moved)
    slots.clear(slots.place(first))
    var isMoving = true
    while isMoving do
      var at = slots.homePlace(slots.hashAt(slots.moved))
      while !slots.isFree(at) && !isUnmoved(slots, at, unmoved) do at = slots.next(at)
      if slots.isFree(at) then
        slots.copy(slots.moved, at)
        isMoving = false
      else
        unmoved.clear(slotOf(slots, at).toInt)
        slots.exchange(at)

  private def isUnmoved(slots: HashSlots, at: Long, unmoved: BitSet): Boolean =
    val slot = slotOf(slots, at)
    slot < unmoved.size && unmoved.get(slot.toInt)

  private def slotOf(slots: HashSlots, at: Long): Long = (at - slots.first) / slots.stride

  /** Whether the entries between two places fit in the free slots after their new homes. Entries
    * overflow the homes without a gap, so one free slot shows that all slots after it are free.
    */
  private def hasRoom(slots: HashSlots, from: Long, until: Long): Boolean =
    val last = slots.end - (until - from)
    last >= slots.place(slots.capacity) && slots.isFree(last) || countsRoom(slots, from, until)

  private def countsRoom(slots: HashSlots, from: Long, until: Long): Boolean =
    var missing = 0L
    var at = from
    while at < until do
      if !slots.isFree(at) then missing += 1
      at += slots.stride
    at = slots.place(newHome(slots.unmoved)).max(until)
    while missing > 0 && at < slots.end do
      if slots.isFree(at) then missing -= 1
      at += slots.stride
    missing == 0
end IncrementalResize
