package undercroft.memory

import java.lang.foreign.ValueLayout
import java.lang.invoke.VarHandle
import java.util.concurrent.atomic.AtomicLong

/** What the table says of each page, and who owned it in its last generations.
  *
  * {{{
  *   entry                      the page is
  *   0                          fresh: never used, and zero
  *   generation                 live: references of exactly that generation are good
  *   01.. | lane << 8 | shift   slots of 2^shift bytes for Malloc, each with its own generation
  *   10.. | next generation     free and zero
  *   11.. | next generation     free, holding what was written last
  *   all ones                   retired: its generations are used up, or it is never given out
  * }}}
  *
  * Generations begin at 1 and no entry but a live one equals one, so the check of a reference is
  * one comparison.
  */
private[memory] object Generations:
  /** The last generation of a page. */
  val Last: Int = (1 << Settings.generationBits) - 1

  /** How many earlier owners of a page are remembered, for the words of errors. */
  inline val HistorySlots = 4

  inline val Fresh = 0
  inline val Retired = -1
  private inline val Free = 0x80000000
  private inline val Written = 0x40000000
  private inline val Slots = 0x40000000
  private inline val Kind = 0xc0000000
  private inline val Next = 0xfffff

  private val table = Cage.space.table
  private val history = Cage.space.history

  // Pages from here on are fresh: what reserves address space for a table that may grow to the size
  // of the machine has only the pages to look through that were ever used.
  private val usedUntil = AtomicLong()

  /** The end of the pages of a span that may have been used; those behind it are fresh. */
  def usedEnd(page: Long, pages: Long): Long = (page + pages).min(usedUntil.get)

  def entry(page: Long): Int = table.get(ValueLayout.JAVA_INT_UNALIGNED, page << 2)

  def setEntry(page: Long, entry: Int): Unit =
    table.set(ValueLayout.JAVA_INT_UNALIGNED, page << 2, entry)

  def isLive(entry: Int): Boolean = entry > 0 && entry <= Last
  def isFree(entry: Int): Boolean = entry == Fresh || (entry < 0 && entry != Retired)
  def isWritten(entry: Int): Boolean = entry != Retired && (entry & Kind) == Kind
  def isSlots(entry: Int): Boolean = (entry & Kind) == Slots
  def slots(lane: Int, shift: Int): Int = Slots | lane << 8 | shift
  def slotShift(entry: Int): Int = entry & 0xff
  def slotLane(entry: Int): Int = (entry >>> 8) & 0xfffff

  /** The same page after its memory went back to the system. */
  def returned(entry: Int): Int = if entry == Retired then entry else entry & ~Written

  /** The generation that a page takes up next; only of a free entry that is not fresh. */
  def next(entry: Int): Int = entry & Next

  /** Where the generations of a fresh page begin: pages differ, so that a reference whose offset
    * was damaged is refused. The upper half of the generations is left to every page for its lives.
    *
    * The mixing function is the finalizer of SplitMix64 (Steele, Lea, Flood, "Fast splittable
    * pseudorandom number generators", OOPSLA 2014).
    */
  def first(page: Long): Int =
    var z = page * 0x9e3779b97f4a7c15L
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL
    ((z ^ (z >>> 31)) & (Last >>> 1)).toInt.max(1)

  /** The generation for a span of free pages below `end`: above every generation that one of them
    * had. For spans of up to [[MostCompared]] pages, also none of a live page whose number differs
    * in one bit from one of theirs, so that a reference with that bit damaged is refused.
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

  /** Whether a page of this generation is one damaged bit away from a span. */
  private def meets(page: Long, pages: Long, end: Long, generation: Int): Boolean =
    var met = false
    var i = page
    while i < page + pages && !met do
      var bit = 1L
      while bit < end && !met do
        val other = i ^ bit
        met = other < end && (other < page || other >= page + pages) && entry(other) == generation
        bit <<= 1
      i += 1
    met

  /** Makes pages live. Whatever is written to them later is seen after this. */
  def open(page: Long, pages: Long, generation: Int, owner: Long): Unit =
    if page + pages > usedUntil.get then
      val _ = usedUntil.accumulateAndGet(page + pages, Math.max)
    val record = owner << Cage.GenerationBits | generation
    val slot = (generation & (HistorySlots - 1)).toLong
    var i = page
    while i < page + pages do
      history.set(ValueLayout.JAVA_LONG_UNALIGNED, (i * HistorySlots + slot) << 3, record)
      setEntry(i, generation)
      i += 1
    VarHandle.storeStoreFence()

  /** Notes who had a page in a generation and those just before it. */
  def remember(page: Long, generation: Int, owner: Long): Unit =
    var g = (generation - HistorySlots + 1).max(1)
    while g <= generation do
      val slot = (g & (HistorySlots - 1)).toLong
      val record = owner << Cage.GenerationBits | g
      history.set(ValueLayout.JAVA_LONG_UNALIGNED, (page * HistorySlots + slot) << 3, record)
      g += 1

  /** Ends the life of pages. A reader that finds anything written afterwards also finds this.
    *
    * The pages of a span part into different next generations. Otherwise those that its next owners
    * get would all have the same, and a reference with one damaged bit would be good elsewhere.
    * That is likelihood, not certainty: pages that live on at different speeds may meet again.
    */
  def close(page: Long, pages: Long, generation: Int): Unit =
    val last = isLast(generation, pages)
    var i = page
    while i < page + pages do
      val more = if pages > 1 then first(i) & SpanStep else 0
      setEntry(i, if last then Retired else Free | Written | (generation + 1 + more))
      i += 1
    VarHandle.storeStoreFence()

  /** Whether pages have no generation left after this one. */
  def isLast(generation: Int, pages: Long): Boolean =
    generation + 1 + (if pages > 1 then SpanStep else 0) > Last

  /** A number that differs for any two that differ in one bit: the syndrome of a Hamming code (R.
    * W. Hamming, "Error detecting and error correcting codes", 1950). Below 32 for pages.
    */
  def syndrome(number: Long): Int =
    var syndrome = 0
    var rest = number
    while rest != 0 do
      syndrome ^= java.lang.Long.numberOfTrailingZeros(rest) + 1
      rest &= rest - 1
    syndrome

  // With the few generations of a test, spans would not live twice.
  private val SpanStep = if Settings.generationBits >= 10 then 63 else 0
  private val MostCompared = if Settings.generationBits >= 10 then 64 else 0

  /** Who owned a page in a generation, or 0 when that is no longer known. */
  def owner(page: Long, generation: Int): Long =
    val slot = (generation & (HistorySlots - 1)).toLong
    val record = history.get(ValueLayout.JAVA_LONG_UNALIGNED, (page * HistorySlots + slot) << 3)
    val sameGeneration = (record & Cage.GenerationMask) == generation.toLong
    if sameGeneration then record >>> Cage.GenerationBits else 0L
end Generations
