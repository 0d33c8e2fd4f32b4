package undercroft.memory
package internal.cage

import internal.platform.{AtomicMaximum, Settings}
import java.lang.foreign.ValueLayout
import java.lang.invoke.VarHandle
import java.util.concurrent.atomic.AtomicLong

/** The page table: the state of each page, and its owners in its last generations.
  *
  * {{{
  *   entry                      the page is
  *   0                          fresh: never used, and zero
  *   generation                 live: references of exactly that generation are valid
  *   01.. | cache << 8 | shift  slots of 2^shift bytes for Malloc, each with its own generation;
  *                              plus 0x80 if any thread may free them under the heap's lock
  *   10.. | next generation     free and zero
  *   11.. | next generation     free, not zeroed
  *   all ones                   retired: its generations are used up, or it is never allocated
  * }}}
  *
  * Generations begin at 1 and only the entry of a live page equals a generation, so checking a
  * reference takes one comparison.
  */
private[memory] object PageTable:
  /** The last generation of a page. */
  val Last: Int = (1 << Settings.generationBits) - 1

  /** Number of owners remembered per page, for error messages. */
  inline val HistorySlots = 4

  inline val Fresh = 0
  inline val Retired = -1
  private inline val Free = 0x80000000
  private inline val Written = 0x40000000
  private inline val Slots = 0x40000000
  private inline val Kind = 0xc0000000
  private inline val Next = 0xfffff
  private inline val Shared = 0x80
  private inline val Shift = 0x3f

  private val table = Cage.space.table
  private val history = Cage.space.history

  // Pages from here on are fresh: reserving address space for a table that may grow to the size of
  // the machine scans only the pages below.
  private val usedUntil = AtomicLong()

  /** The end of the possibly used pages of a span; the pages after it are fresh. */
  def usedEnd(page: Long, pages: Long): Long = Math.min(page + pages, usedUntil.get)

  def entry(page: Long): Int = table.get(ValueLayout.JAVA_INT_UNALIGNED, page << 2)

  def setEntry(page: Long, entry: Int): Unit =
    table.set(ValueLayout.JAVA_INT_UNALIGNED, page << 2, entry)

  def isLive(entry: Int): Boolean = entry > 0 && entry <= Last
  def isFree(entry: Int): Boolean = entry == Fresh || (entry < 0 && entry != Retired)
  def isWritten(entry: Int): Boolean = entry != Retired && (entry & Kind) == Kind
  def isSlots(entry: Int): Boolean = (entry & Kind) == Slots
  def slots(cache: Int, shift: Int): Int = Slots | cache << 8 | shift
  def slotShift(entry: Int): Int = entry & Shift

  /** Whether the slots belong to a page that its heap's lock guards: see
    * [[internal.alloc.MallocHeap]].
    */
  def isShared(entry: Int): Boolean = (entry & Shared) != 0
  def shared(slots: Int): Int = slots | Shared

  /** Whether two entries are slots of one heap and one size, shared or not. */
  def isSameSlots(slots: Int, other: Int): Boolean = ((slots ^ other) & ~Shared) == 0
  def slotLane(entry: Int): Int = (entry >>> 8) & 0xfffff

  /** The entry of the same page after its memory was returned to the system. */
  def returned(entry: Int): Int = if entry == Retired then entry else entry & ~Written

  /** The next generation of a page; the entry must be free and not fresh. */
  def next(entry: Int): Int = entry & Next

  /** The first generation of a fresh page. It differs between pages, so that a reference with a
    * offset with a flipped bit is rejected. It is in the lower half, so each page can use at least
    * the upper half.
    *
    * The mixing function is the finalizer of SplitMix64 (Steele, Lea, Flood, "Fast splittable
    * pseudorandom number generators", OOPSLA 2014).
    */
  def first(page: Long): Int =
    var z = page * 0x9e3779b97f4a7c15L
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL
    Math.max(((z ^ (z >>> 31)) & (Last >>> 1)).toInt, 1)

  /** The generation for a span of free pages below `end`: above every earlier generation of its
    * pages. For spans of up to [[MostCompared]] pages it also differs from the generation of every
    * live page whose number differs in one bit from a page of the span, so that a reference with
    * that bit flipped is rejected.
    */
  def forSpan(page: Long, pages: Long, end: Long): Int =
    var highest = -1
    val used = usedEnd(page, pages)
    var i = page
    while i < used do
      val e = entry(i)
      if e != Fresh && next(e) > highest then highest = next(e)
      i += 1
    val lowest = if highest < 0 then first(page) else highest
    var generation = lowest
    while generation < Last && pages <= MostCompared && meets(page, pages, end, generation) do
      generation += 1
    if generation == Last then lowest else generation

  /** Whether a page of this generation is one flipped bit away from a span. */
  private def meets(page: Long, pages: Long, end: Long, generation: Int): Boolean =
    var collides = false
    var i = page
    while i < page + pages && !collides do
      var bit = 1L
      while bit < end && !collides do
        val partner = i ^ bit
        val isOutside = partner < end && (partner < page || partner >= page + pages)
        collides = isOutside && entry(partner) == generation
        bit <<= 1
      i += 1
    collides

  /** Makes pages live. Later writes to them become visible after this. */
  def open(page: Long, pages: Long, generation: Int, owner: Long): Unit =
    AtomicMaximum.raise(usedUntil, page + pages)
    val record = owner << Cage.GenerationBits | generation
    val slot = (generation & (HistorySlots - 1)).toLong
    var i = page
    while i < page + pages do
      history.set(ValueLayout.JAVA_LONG_UNALIGNED, (i * HistorySlots + slot) << 3, record)
      setEntry(i, generation)
      i += 1
    VarHandle.storeStoreFence()

  /** Records the owner of a page in a generation and in the generations just before it. */
  def remember(page: Long, generation: Int, owner: Long): Unit =
    var g = Math.max(generation - HistorySlots + 1, 1)
    while g <= generation do
      val slot = (g & (HistorySlots - 1)).toLong
      val record = owner << Cage.GenerationBits | g
      history.set(ValueLayout.JAVA_LONG_UNALIGNED, (page * HistorySlots + slot) << 3, record)
      g += 1

  /** Ends a generation of pages. A reader that sees any later write also sees this.
    *
    * The pages of a span get different next generations. Otherwise the next owners of these pages
    * would all have the same generation, and a reference with one flipped bit would be valid
    * elsewhere. This is probabilistic: pages that are reused at different rates may reach equal
    * generations again.
    */
  def close(page: Long, pages: Long, generation: Int): Unit =
    val last = isLast(generation, pages)
    var i = page
    while i < page + pages do
      val increment = if pages > 1 then first(i) & SpanStep else 0
      setEntry(i, if last then Retired else Free | Written | (generation + 1 + increment))
      i += 1
    VarHandle.storeStoreFence()

  /** Whether pages have no generation left after this one. */
  def isLast(generation: Int, pages: Long): Boolean =
    generation + 1 + (if pages > 1 then SpanStep else 0) > Last

  /** A number that differs for any two numbers that differ in one bit: the syndrome of a Hamming
    * code (R. W. Hamming, "Error detecting and error correcting codes", 1950). Below 32 for pages.
    */
  def syndrome(number: Long): Int =
    var syndrome = 0
    var rest = number
    while rest != 0 do
      syndrome ^= java.lang.Long.numberOfTrailingZeros(rest) + 1
      rest &= rest - 1
    syndrome

  // Zero with the few generations that tests use: spans could not be reused otherwise.
  private val SpanStep = if Settings.generationBits >= 10 then 63 else 0
  private val MostCompared = if Settings.generationBits >= 10 then 64 else 0

  /** The owner of a page in a generation, or 0 if it is no longer recorded. */
  def owner(page: Long, generation: Int): Long =
    val slot = (generation & (HistorySlots - 1)).toLong
    val record = history.get(ValueLayout.JAVA_LONG_UNALIGNED, (page * HistorySlots + slot) << 3)
    val sameGeneration = (record & Cage.GenerationMask) == generation.toLong
    if sameGeneration then record >>> Cage.GenerationBits else 0L
end PageTable
