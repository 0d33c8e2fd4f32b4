package undercroft.memory
package internal.cage

import java.lang.foreign.MemorySegment

/** Slow-path checks of [[Cage]], and its error messages. */
private[memory] object CageSlowPath:

  /** Accepts a block of Malloc; throws for everything else. */
  def slow(bits: Long, offset: Long, width: Int): Unit =
    val page = offset >>> Cage.PageShift
    if isNull(bits) then throw NullReferenceException(offset)
    if offset >= Cage.space.readableEnd then throw stale(bits, offset)
    val entry = PageTable.entry(page)
    // A page that became live since the comparison is rejected too: the value was read before.
    if PageTable.isSlots(entry) then
      BlockHeader.check(bits, offset, width, PageTable.slotShift(entry))
    else throw stale(bits, offset)

  /** Checks a range of bytes, page by page. */
  def span(bits: Long, from: Long, bytes: Long): Unit =
    val start = Cage.offsetOf(bits) + from
    val end = Cage.space.readableEnd
    if isNull(bits) then throw NullReferenceException(Cage.offsetOf(bits) + from)
    if bytes < 0 || from < 0 || start < 0 || start >= end || bytes > end - start then
      throw BlockBoundsException(from, bytes, Math.max(end - start, 0))
    var page = start >>> Cage.PageShift
    val last = (start + Math.max(bytes - 1, 0)) >>> Cage.PageShift
    val entry = PageTable.entry(page)
    if PageTable.isSlots(entry) then
      BlockHeader.check(bits, start, bytes, PageTable.slotShift(entry))
    else
      while page <= last do
        if !Cage.owned(bits, page << Cage.PageShift) then
          throw stale(bits, Math.max(page << Cage.PageShift, start))
        page += 1
  end span

  /** Whether bits are the null reference, or a field of it. */
  private def isNull(bits: Long): Boolean =
    Cage.generationOf(bits) == 0 && Cage.offsetOf(bits) < Cage.ChunkBytes

  def addressOf(segment: MemorySegment): Address =
    val offset = Cage.space.offsetOf(segment)
    if offset < 0 then
      throw InvalidFreeException(s"segment at ${segment.address} is not in the cage")
    if !segment.scope.isAlive then
      throw InvalidFreeException(s"segment at offset $offset is closed")
    val entry = PageTable.entry(offset >>> Cage.PageShift)
    if PageTable.isLive(entry) then Address.ofBits(Cage.bitsOf(offset, entry))
    else if PageTable.isSlots(entry) then BlockHeader.addressOf(offset, PageTable.slotShift(entry))
    else throw stale(offset, offset)

  /** The error for a stale reference, with its owner if that is still recorded. */
  def stale(bits: Long, offset: Long): StaleReferenceException =
    val generation = Cage.generationOf(bits)
    val page = offset >>> Cage.PageShift
    val end = Cage.space.readableEnd
    if offset >= end then
      StaleReferenceException(None, offset, generation, s"allocated memory ends at offset $end")
    else
      val owner = PageTable.owner(page, generation)
      val name = if owner == 0 then None else Some(OwnerNames.name(owner))
      val entry = PageTable.entry(page)
      val condition =
        if PageTable.isLive(entry) && entry == generation then "its owner is being closed"
        else if PageTable.isLive(entry) then s"the page is in generation $entry"
        else if entry == PageTable.Fresh then "the page was never allocated"
        else if entry == PageTable.Retired then "the page is retired"
        else if PageTable.isSlots(entry) then "the page holds other blocks"
        else s"the page is free, its next generation is ${PageTable.next(entry)}"
      StaleReferenceException(name, offset, generation, condition)
end CageSlowPath
