package undercroft.memory

import java.lang.foreign.MemorySegment

/** The checks of [[Cage]] that are not on its fast path, and the words of its errors. */
private[memory] object CageCheck:

  /** Accepts a block of Malloc; throws for everything else. */
  def slow(bits: Long, offset: Long, width: Int): Unit =
    val page = offset >>> Cage.PageShift
    if isNull(bits) then throw NullReferenceException(offset)
    if offset >= Cage.space.readableEnd then throw stale(bits, offset)
    val entry = Generations.entry(page)
    // A page that became live since the comparison is refused too: the value was read before.
    if Generations.isSlots(entry) then Slot.check(bits, offset, width, Generations.slotShift(entry))
    else throw stale(bits, offset)

  /** Checks a span of bytes, page by page. */
  def span(bits: Long, from: Long, bytes: Long): Unit =
    val start = Cage.offsetOf(bits) + from
    val end = Cage.space.readableEnd
    if isNull(bits) then throw NullReferenceException(Cage.offsetOf(bits) + from)
    if bytes < 0 || from < 0 || start < 0 || start >= end || bytes > end - start then
      throw BlockBoundsException(from, bytes, (end - start).max(0))
    var page = start >>> Cage.PageShift
    val last = (start + (bytes - 1).max(0)) >>> Cage.PageShift
    val entry = Generations.entry(page)
    if Generations.isSlots(entry) then Slot.check(bits, start, bytes, Generations.slotShift(entry))
    else
      while page <= last do
        if !Cage.owned(bits, page << Cage.PageShift) then
          throw stale(bits, (page << Cage.PageShift).max(start))
        page += 1
  end span

  /** Whether bits are the null reference's, or of a field behind it. */
  private def isNull(bits: Long): Boolean =
    Cage.generationOf(bits) == 0 && Cage.offsetOf(bits) < Cage.ChunkBytes

  def addressOf(segment: MemorySegment): Address =
    val offset = Cage.space.offsetOf(segment)
    if offset < 0 then
      throw InvalidFreeException(s"segment at ${segment.address} is not in the cage")
    if !segment.scope.isAlive then
      throw InvalidFreeException(s"segment at offset $offset is closed")
    val entry = Generations.entry(offset >>> Cage.PageShift)
    if Generations.isLive(entry) then Address.ofBits(Cage.bitsOf(offset, entry))
    else if Generations.isSlots(entry) then Slot.addressOf(offset, Generations.slotShift(entry))
    else throw stale(offset, offset)

  /** The error for a reference that is not good, naming who owned it where that is still known. */
  def stale(bits: Long, offset: Long): StaleReferenceException =
    val generation = Cage.generationOf(bits)
    val page = offset >>> Cage.PageShift
    val end = Cage.space.readableEnd
    if offset >= end then
      StaleReferenceException(None, offset, generation, s"what was given out ends at offset $end")
    else
      val owner = Generations.owner(page, generation)
      val name = if owner == 0 then None else Some(Owners.name(owner))
      val entry = Generations.entry(page)
      val found =
        if Generations.isLive(entry) && entry == generation then "it is being closed"
        else if Generations.isLive(entry) then s"the page is in generation $entry"
        else if entry == Generations.Fresh then "the page was never given out"
        else if entry == Generations.Retired then "the page is retired"
        else if Generations.isSlots(entry) then "the page holds other blocks"
        else s"the page is free, its next generation is ${Generations.next(entry)}"
      StaleReferenceException(name, offset, generation, found)
end CageCheck
