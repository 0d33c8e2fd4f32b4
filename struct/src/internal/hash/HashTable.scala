package undercroft.struct
package internal.hash

import internal.bytes.{FixedText, TextBytes}
import internal.entries.{EntryMemory, EntryTable}
import undercroft.memory.internal.alloc.KeyScratch
import java.lang.foreign.MemorySegment
import java.util.ConcurrentModificationException
import scala.annotation.publicInBinary
import undercroft.memory.internal.platform.Limits
import undercroft.memory.{Allocator, MemoryException, MemoryLimitException, Reservation}

/** Hash table of keys and values as bytes: the implementation of [[StructMap]] and [[StructSet]].
  * Open addressing with linear probing, entries in hash order (O. Amble, D. Knuth, "Ordered hash
  * tables", 1974, keeps such an order within a run; here it holds for the homes).
  *
  * It doubles when four fifths are taken, in place, moving a few entries at each new key: see
  * [[IncrementalResize]]. Its memory is committed in steps before that. So no operation waits for a
  * complete resize, unless a reservation is full: that of a small table is once, at 1 MiB, and that
  * of a large one only if the address space is scarce.
  *
  * Places are places of [[HashSlots]]; below zero, a place means that a key is absent.
  */
private[struct] final class HashTable(
    keySize: Int,
    valueSize: Int,
    expected: Long,
    allocator: Allocator,
    private var hash: HashFunction,
    leastBytes: Long = HashTable.LeastBytes
) extends EntryTable:
  if expected < 0 then
    throw IllegalArgumentException(s"expected must be at least 0, but is $expected")

  private val keyBytes = HashTable.keyBytes(keySize)
  private val stride: Long = ((keyBytes + valueSize + 3) & -4).toLong

  private var current = opened(HashSlots.room(expected, stride, leastBytes), hash)
  private var hasZero = false

  /** The number of entries at which a new key first prepares or continues a growth. */
  private var threshold = 0L
  startAt(current)
  begin()

  protected def memory: EntryMemory = current

  /** Creates slots and commits their memory; closes them if that fails. */
  private def opened(capacity: Long, hash: HashFunction): HashSlots =
    val slots =
      HashSlots(capacity, keyBytes, stride, hash, allocator, span(capacity), markClosed(_))
    try
      slots.ensureAll()
      slots
    catch
      case error: MemoryException =>
        slots.close()
        throw error

  /** The bytes of address space to reserve: for a large table enough for growth up to the memory
    * limit of the process. Reserving that takes about as long as entering a thousand keys.
    */
  private def span(capacity: Long): Long =
    val bytes = HashSlots.bytes(capacity, stride)
    val small = leastBytes * HashTable.SmallSpan
    if bytes <= small then small else Reservation.share(Limits.current).max(bytes)

  /** Provides the memory of [[scratch]] for a change by a key that is written there. Precedes
    * [[write]]: an allocation may reclaim memory by code of the user.
    */
  @publicInBinary private[struct] def prepare(): Unit =
    if !isOfOneThread then KeyScratch.prepare(keyBytes)

  /** The place where a key of more than 8 bytes is written for a lookup. For shared slots it
    * belongs to the thread, so that a lookup stores nothing in the table.
    */
  @publicInBinary private[struct] def scratch(): Long =
    val place = unclearedScratch()
    var k = 0
    while k < keyBytes do
      if keyBytes == 4 then current.setInt(place, 0) else current.set(place + k, 0L)
      k += 8
    place

  private def unclearedScratch(): Long =
    if isOfOneThread then current.scratch else KeyScratch.place(keyBytes)

  /** The place of the written key: the scratch slot of confined slots moves with them. */
  private def keyAt(scratch: Long): Long = if isOfOneThread then current.scratch else scratch

  /** The key of up to 8 bytes that is written at `scratch`. */
  @publicInBinary private[struct] def word(scratch: Long): Long =
    if keyBytes == 4 then current.int(scratch) else current.long(scratch)

  /** The place of a key of up to 4 bytes, or less than 0 if absent. */
  @publicInBinary private[struct] def findInt(key: Int): Long =
    if key == 0 then zero else current.findInt(key)

  /** The place of a key of up to 8 bytes, or less than 0 if absent. */
  @publicInBinary private[struct] def findLong(key: Long): Long =
    if key == 0 then zero else current.findLong(key)

  /** The place of a key of 9 to 16 bytes, or of a longer one that has zeros behind them. */
  @publicInBinary private[struct] def findLongs(low: Long, high: Long): Long =
    if (low | high) == 0 then zero else current.findLongs(low, high)

  /** The place of the key that is written at `scratch`, or less than 0 if absent. */
  @publicInBinary private[struct] def findScratch(scratch: Long): Long =
    findScratch(scratch, keyBytes)

  /** As `findScratch`, for a key that its first `bytes` bytes determine. */
  private def findScratch(scratch: Long, bytes: Int): Long =
    if current.isFree(scratch, bytes) then zero else current.findWords(scratch, bytes)

  /** As `findScratch`, for a text of at most `maxBytes` bytes in a key of more than 16 bytes. A
    * text that ends in the first 16 bytes is not written.
    */
  @publicInBinary private[struct] def findText(text: String, maxBytes: Int): Long =
    if text.length <= TextBytes.MostShort then
      val low = FixedText.asciiWord(text, 0)
      val high = FixedText.asciiWord(text, 8)
      if FixedText.isAscii(low | high, text, maxBytes) then findLongs(low, high)
      else findWritten(text, maxBytes)
    else findWritten(text, maxBytes)

  private def findWritten(text: String, maxBytes: Int): Long =
    val scratch = unclearedScratch()
    findScratch(scratch, TextBytes.write(text, maxBytes, scratch, keyBytes))

  /** As `findText`, for the bytes `[from, until)` of a segment. */
  @publicInBinary private[struct] def findText(
      segment: MemorySegment,
      from: Long,
      until: Long,
      maxBytes: Int
  ): Long =
    val size = TextBytes.size(segment, from, until, maxBytes)
    if size <= TextBytes.MostShort then
      val low = TextBytes.word(segment, from, until, from)
      val high = TextBytes.word(segment, from, until, from + 8)
      val place = findLongs(low, high)
      if place < 0 || TextBytes.endsWithNul(if size <= 8 then low else high, size) then
        TextBytes.check(low, high, size)
      place
    else
      val scratch = unclearedScratch()
      val bytes = TextBytes.write(segment, from, size, scratch, keyBytes)
      val place = findScratch(scratch, bytes)
      if place < 0 || TextBytes.endsWithNul(current.long(scratch + (size - 1 & -8)), size) then
        TextBytes.check(scratch, size)
      place
  end findText

  /** Whether a loop should [[touch]] the entries of some keys before it searches them: a processor
    * overlaps the cache misses of a short loop, but not the misses of searches and changes (S. Chen
    * et al., "Improving hash join performance through prefetching", 2004).
    */
  @publicInBinary private[struct] def isFar: Boolean =
    admit()
    current.areFar

  /** Loads the likely places of a key of up to 8 bytes. */
  @publicInBinary private[struct] def touch(key: Long): Unit = use(current.touch(key))

  /** As `touch`, for a key of 9 to 16 bytes. */
  @publicInBinary private[struct] def touch(low: Long, high: Long): Unit =
    use(current.touch(low, high))

  /** As `touch`, for the key that is written at `scratch`. */
  @publicInBinary private[struct] def touchScratch(scratch: Long): Unit =
    use(current.touchAt(scratch))

  /** A use of loaded words, without which the JIT would remove the loads. */
  private def use(words: Int): Unit = if words == used then used += 1
  private var used = 0x5bd1e995

  private def zero: Long = if hasZero then current.start else ~current.start

  /** The place of a key, which is added with a value of zeros if absent. */
  @publicInBinary private[struct] def putInt(key: Int): Long =
    val place = findInt(key)
    if place >= 0 then place else addInt(place, key)

  @publicInBinary private[struct] def putLong(key: Long): Long =
    val place = findLong(key)
    if place >= 0 then place else addLong(place, key)

  @publicInBinary private[struct] def putLongs(low: Long, high: Long): Long =
    val place = findLongs(low, high)
    if place >= 0 then place else addLongs(place, low, high)

  /** Adds a key that [[findInt]] did not find, but returned `absent`; returns its place. */
  @publicInBinary private[struct] def addInt(absent: Long, key: Int): Long =
    val free = enter(absent, key, 0, 0)
    current.setInt(free, key)
    free

  @publicInBinary private[struct] def addLong(absent: Long, key: Long): Long =
    val free = enter(absent, key, 0, 0)
    current.set(free, key)
    free

  @publicInBinary private[struct] def addLongs(absent: Long, low: Long, high: Long): Long =
    val free = enter(absent, low, high, 0)
    current.set(free, low)
    current.set(free + 8, high)
    free

  @publicInBinary private[struct] def putScratch(scratch: Long): Long =
    putScratch(scratch, keyBytes)

  private def putScratch(scratch: Long, bytes: Int): Long =
    val place = findScratch(scratch, bytes)
    if place >= 0 then place
    else
      val free = enter(place, bytes, 0, scratch)
      val key = keyAt(scratch)
      var k = 0
      while k < bytes do
        current.set(free + k, current.long(key + k))
        k += 8
      free

  @publicInBinary private[struct] def putText(text: String, maxBytes: Int): Long =
    val scratch = unclearedScratch()
    putScratch(scratch, TextBytes.write(text, maxBytes, scratch, keyBytes))

  @publicInBinary private[struct] def putText(
      segment: MemorySegment,
      from: Long,
      until: Long,
      maxBytes: Int
  ): Long =
    val size = TextBytes.size(segment, from, until, maxBytes)
    val scratch = unclearedScratch()
    val bytes = TextBytes.write(segment, from, size, scratch, keyBytes)
    TextBytes.check(scratch, size)
    putScratch(scratch, bytes)

  /** Adds a new key, whose search ended at `place`; returns its slot. The key is `low` and `high`,
    * or the first `low` bytes at `scratch`, if that is not 0.
    */
  private def enter(place: Long, low: Long, high: Long, scratch: Long): Long =
    var free = ~place
    if free == current.start then
      hasZero = true
      current.clear(free)
    else
      if entries >= threshold then
        advance()
        free = absent(low, high, scratch)
      if free >= current.end then
        rebuild()
        free = absent(low, high, scratch)
    entries += 1
    changes += 1
    free

  /** The insertion place of a key that was absent before. */
  private def absent(low: Long, high: Long, scratch: Long): Long =
    val place =
      if scratch != 0 then findScratch(keyAt(scratch), low.toInt)
      else
        keyBytes match
          case 4 => findInt(low.toInt)
          case 8 => findLong(low)
          case _ => findLongs(low, high)
    // The complement of a place would be an address outside of the cage.
    if place >= 0 then throw EntryTable.changed()
    ~place

  /** Removes the entry at a place. */
  @publicInBinary private[struct] def remove(place: Long): Unit =
    if place == current.start then hasZero = false else current.remove(place)
    entries -= 1
    changes += 1

  /** The place of the first slot of the block after the one at a place, in no defined order; starts
    * at -1, ends with a value below 0. The key of zeros has a block of its own.
    */
  @publicInBinary private[struct] def nextBlock(block: Long): Long =
    val slots = current
    if block < 0 && hasZero then slots.start
    else
      val next = if block < slots.first then slots.first else block + 64 * stride
      if next < slots.end then next else -1

  /** A bit for each slot of a block: whether it has an entry. */
  @publicInBinary private[struct] def occupied(block: Long): Long =
    if block < current.first then 1L else current.occupied(block)

  /** The place of the first entry of a block by its remaining bits. */
  @publicInBinary private[struct] def placeIn(block: Long, bits: Long): Long =
    block + java.lang.Long.numberOfTrailingZeros(bits) * stride

  @publicInBinary private[struct] def firstEntry: Long = entryFrom(0)

  /** The place of the first entry that is stored at a place or after it, or -1; from 0 on, of the
    * first entry. An entry that is removed may be replaced by an entry after it.
    */
  @publicInBinary private[struct] def entryFrom(place: Long): Long =
    val slots = current
    if place <= slots.start && hasZero then slots.start else slots.used(place.max(slots.first))

  /** The place of the next entry after the entry at a place, or -1. */
  @publicInBinary private[struct] def entryAfter(place: Long): Long = entryFrom(place + stride)

  @publicInBinary private[struct] def checkAdded(before: Long): Unit =
    if changes == before then
      throw ConcurrentModificationException(
        "the bytes of a key changed during an update, to those of a key that is present"
      )

  /** Continues a growth, starts it, or commits a part of its memory. */
  private def advance(): Unit =
    val slots = current
    if slots.isGrowing then
      if IncrementalResize.move(slots, IncrementalResize.Step) then
        changes += 1
        if !slots.isGrowing then startAt(slots)
      else rebuild()
    else
      val larger = IncrementalResize.larger(slots.capacity)
      val bytes = HashSlots.bytes(larger, stride)
      val limit = HashSlots.limit(slots.capacity)
      if entries < limit then prepare(bytes, limit)
      else if bytes > slots.maxBytes then rebuild()
      else
        commit(bytes)
        slots.grow(larger)
        threshold = 0

  /** Commits a part of the memory that the growth at `limit` entries needs. */
  private def prepare(bytes: Long, limit: Long): Unit =
    val slots = current
    val missing = bytes - slots.committedBytes
    if missing <= 0 || bytes > slots.maxBytes then threshold = limit
    else
      try
        commit(bytes.min(slots.committedBytes + HashTable.CommitBytes))
        val steps = missing / HashTable.CommitBytes + 1
        threshold = (entries + (limit - entries) / steps).max(entries + 1)
      catch case _: MemoryLimitException => threshold = limit

  private def commit(bytes: Long): Unit =
    val slots = current
    try waiting(slots.commit(bytes))
    finally requireOpen(slots)

  /** Sets the threshold for slots that are not growing. */
  private def startAt(slots: HashSlots): Unit =
    val capacity = slots.capacity
    threshold = HashSlots.limit(capacity) - capacity / HashTable.PrepareShare

  /** Moves all entries to slots in another reservation, hashed by other secrets. Runs if the
    * reservation is full, or if a growth fails or a search came to the end of the slots, which do
    * not happen by chance. Slots that are growing have as many homes as they need already.
    */
  private def rebuild(): Unit =
    val newHash = HashFunction.random()
    val smaller = current
    val capacity =
      if smaller.isGrowing then smaller.capacity else IncrementalResize.larger(smaller.capacity)
    val larger = waiting(opened(capacity, newHash))
    requireOpen(smaller)
    requireOpen(larger)
    larger.copy(current.start, larger.start)
    larger.copy(current.scratch, larger.scratch)
    var place = current.used(current.first)
    while place >= 0 do
      larger.copy(place, larger.free(larger.hashAt(place)))
      place = current.used(place + stride)
    hash = newHash
    current = larger
    checkClosed()
    startAt(larger)
    changes += 1
    // At last, so that a lookup on another thread does not take the table for closed.
    waiting(smaller.close())
    requireOpen(larger)
  end rebuild

  protected def clearAlone(): Unit =
    val empty =
      try waiting(opened(HashSlots.room(0, stride, leastBytes), hash))
      catch case _: MemoryLimitException => null
    val full = current
    if empty != null then
      current = empty
      checkClosed()
    else
      // There is no memory for other slots: reuse these at their size.
      current.zero()
      current.finish()
    startAt(current)
    entries = 0
    hasZero = false
    changes += 1
    if current ne full then waiting(full.close())

end HashTable

@publicInBinary private[struct] object HashTable:
  /** A table with random secrets, for keys of `keySize` and values of `valueSize` bytes. */
  @publicInBinary private[struct] def make(
      keySize: Int,
      valueSize: Int,
      expected: Long,
      allocator: Allocator
  ): HashTable = HashTable(keySize, valueSize, expected, allocator, HashFunction.random())

  /** Bytes of a stored key, before its value: 4, or a multiple of 8. */
  def keyBytes(keySize: Int): Int = if keySize <= 4 then 4 else (keySize + 7) & -8

  /** The bytes of a page: a smaller table would not take less memory. */
  val LeastBytes = 0x10000L

  /** The address space of a small table, in multiples of the memory of the smallest one. */
  private inline val SmallSpan = 16L

  /** The bytes to commit at a time ahead of a growth. */
  private inline val CommitBytes = 0x200000L

  /** A growth is prepared while the last sixteenth of the homes is filled. */
  private inline val PrepareShare = 16L
end HashTable
