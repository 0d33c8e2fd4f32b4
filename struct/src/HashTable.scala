package undercroft.struct

import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary
import undercroft.memory.{Allocator, Cage, MemoryException}
import undercroft.struct.internal.Unaligned

/** Entries of a key and a value as bytes: what [[StructMap]] and [[StructSet]] are made of. Linear
  * probing in the order of the hashes (O. Amble, D. Knuth, "Ordered hash tables", 1974, keeps such
  * an order within a run; here it holds for the homes).
  *
  * It grows by half when three quarters are taken, a few slots at each new key: because slots are
  * in the order of hashes, those that have moved to the larger slots are all those below one hash,
  * and one comparison tells where a key is. So no operation does more than its share, and what is
  * moved is read and written from the beginning to the end.
  *
  * A place is an offset in the current slots, or one in the older slots with a bit set; below zero
  * it is none.
  */
private[struct] final class HashTable(
    keySize: Int,
    valueSize: Int,
    expected: Long,
    allocator: Allocator,
    private var hash: HashFunction,
    leastBytes: Long = HashTable.LeastBytes
):
  if expected < 0 then throw IllegalArgumentException(s"room for $expected entries")

  /** Bytes of a key as it is stored: 4, or a multiple of 8. */
  private val keyBytes = if keySize <= 4 then 4 else (keySize + 7) & -8
  private val stride: Long = ((keyBytes + valueSize + 3) & -4).toLong

  private var current = opened(HashTable.room(expected, stride, leastBytes), hash)(_.ensureAll())
  private var older: HashSlots | Null = null

  /** Homes of the older slots from here on are there still. */
  private var boundary = 0L
  private var entries = 0L
  private var hasZero = false
  private var limit = HashTable.limit(current.capacity)

  /** How often a key came or went, or was moved. */
  @publicInBinary private[struct] var changes: Long = 0

  @publicInBinary private[struct] def size: Long = entries

  /** New slots, of which something is memory; none are kept if there is no memory for that. */
  private def opened(capacity: Long, hash: HashFunction)(ready: HashSlots => Unit): HashSlots =
    val made = HashSlots(capacity, keyBytes, stride, hash, allocator)
    try
      ready(made)
      made
    catch
      case error: MemoryException =>
        made.close()
        throw error

  @publicInBinary private[struct] def memory(place: Long): MemorySegment =
    val old = older
    if place < HashTable.InOlder || old == null then current.memory else old.memory

  @publicInBinary private[struct] def key(place: Long): Long = place & HashTable.OffsetMask
  @publicInBinary private[struct] def value(place: Long): Long = key(place) + keyBytes

  /** Where a wide key is written that is then looked for. */
  @publicInBinary private[struct] def scratch(): Long =
    current.clear(stride)
    stride

  /** The bytes of a key of up to 8 bytes there. */
  @publicInBinary private[struct] def word(scratch: Long): Long =
    if keyBytes == 4 then current.memory.get(Unaligned.int, scratch)
    else current.memory.get(Unaligned.long, scratch)

  @publicInBinary private[struct] def missing(key: Any): Nothing =
    throw java.util.NoSuchElementException(s"no value of the key $key")

  /** The place of a key of up to 4 bytes, or less than 0. */
  @publicInBinary private[struct] def findInt(key: Int): Long =
    if key == 0 then zero
    else
      val code = hash(key & 0xffffffffL)
      val old = older
      if old == null || old.home(code) < boundary then current.findInt(key, code)
      else inOlder(old.findInt(key, code))

  /** The place of a key of up to 8 bytes, or less than 0. */
  @publicInBinary private[struct] def findLong(key: Long): Long =
    if key == 0 then zero
    else
      val code = hash(key)
      val old = older
      if old == null || old.home(code) < boundary then current.findLong(key, code)
      else inOlder(old.findLong(key, code))

  /** The place of the key in the scratch slot, or less than 0. */
  @publicInBinary private[struct] def findScratch(): Long =
    if current.isFree(stride) then zero
    else
      val code = current.hashAt(stride)
      val old = older
      if old == null || old.home(code) < boundary then
        current.findWords(current.memory, stride, code)
      else inOlder(old.findWords(current.memory, stride, code))

  private def zero: Long = if hasZero then 0 else ~0L

  private def inOlder(at: Long): Long =
    if at < 0 then at & ~HashTable.InOlder else at | HashTable.InOlder

  /** The place of a key, which is entered with a value of zeros if it is new. */
  @publicInBinary private[struct] def putInt(key: Int): Long =
    val place = findInt(key)
    if place >= 0 then place
    else
      val free = enter(place, key)
      memory(free).set(Unaligned.int, this.key(free), key)
      free

  @publicInBinary private[struct] def putLong(key: Long): Long =
    val place = findLong(key)
    if place >= 0 then place
    else
      val free = enter(place, key)
      memory(free).set(Unaligned.long, this.key(free), key)
      free

  @publicInBinary private[struct] def putScratch(): Long =
    val place = findScratch()
    if place >= 0 then place
    else
      val free = enter(place, 0)
      // Read before `memory(free)`: the scratch slot is in the current slots.
      MemorySegment.copy(current.memory, stride, memory(free), key(free), keyBytes)
      free

  /** The free slot for a new key, whose search ended at `place`. */
  private def enter(place: Long, word: Long): Long =
    var free = ~place
    if free == 0 then
      hasZero = true
      current.clear(0)
    else
      if older != null || entries >= limit then
        advance()
        free = ~search(word)
      if key(free) >= slotsOf(free).end then
        rebuild()
        free = ~search(word)
      slotsOf(free).ensure(key(free) + stride)
    entries += 1
    changes += 1
    free

  private def search(word: Long): Long = keyBytes match
    case 4 => findInt(word.toInt)
    case 8 => findLong(word)
    case _ => findScratch()

  private def slotsOf(place: Long): HashSlots =
    val old = older
    if place < HashTable.InOlder || old == null then current else old

  /** Takes the entry at a place out. */
  @publicInBinary private[struct] def remove(place: Long): Unit =
    if place == 0 then hasZero = false else slotsOf(place).remove(key(place))
    entries -= 1
    changes += 1

  /** The place after another one, in no order; from -1 on. Less than 0 is the end. */
  @publicInBinary private[struct] def next(place: Long): Long =
    if place < 0 && hasZero then 0
    else
      val old = older
      val inCurrent =
        if place >= HashTable.InOlder then -1L
        else current.used(if place <= 0 then current.offset(0) else place + stride)
      if inCurrent >= 0 || old == null then inCurrent
      else
        val from = if place >= HashTable.InOlder then key(place) + stride else old.offset(boundary)
        val found = old.used(from)
        if found < 0 then found else found | HashTable.InOlder

  @publicInBinary private[struct] def checkUnchanged(before: Long): Unit =
    if changes != before then
      throw java.util.ConcurrentModificationException(
        s"keys came or went while $entries entries were looked through"
      )

  /** Goes on with the growth, or begins with one. */
  private def advance(): Unit =
    if older == null then begin()
    move(HashTable.Step)

  private def begin(): Unit =
    val larger = opened(HashTable.larger(current.capacity), hash)(_.ensure(stride))
    larger.copy(current.memory, 0, 0)
    larger.copy(current.memory, stride, stride)
    older = current
    current = larger
    boundary = 0
    limit = HashTable.limit(current.capacity)

  /** Moves the entries of some homes, up to the end of a run. */
  private def move(homes: Long): Unit =
    val old = older
    if old != null then
      var end = boundary + homes
      while old.offset(end) < old.end && !old.isFree(old.offset(end)) do end += 1
      val last = old.offset(end).min(old.end)
      current.ensure(current.offset(current.homeOf(end, old) + 2 * (end - boundary)))
      var at = old.offset(boundary)
      var isFull = false
      while at < last && !isFull do
        if !old.isFree(at) then
          val target = current.free(old.hashAt(at))
          isFull = target >= current.end
          if !isFull then
            current.ensure(target + stride)
            current.copy(old.memory, at, target)
        at += stride
      if isFull then rebuild()
      else
        boundary = end
        changes += 1
      if !isFull && last == old.end then
        current.ensureAll()
        older = null
        old.close()
    end if
  end move

  /** What is done where a run has come to the end of the slots, which chance does not do: all
    * entries move to larger slots, spread by other secrets.
    */
  private def rebuild(): Unit =
    val other = HashFunction.random()
    val larger = opened(HashTable.larger(current.capacity), other)(_.ensureAll())
    larger.copy(current.memory, 0, 0)
    larger.copy(current.memory, stride, stride)
    var place = next(if hasZero then 0 else -1)
    while place >= 0 do
      if !isCopy(place) then
        val target = larger.free(larger.hashOf(memory(place), key(place)))
        larger.copy(memory(place), key(place), target)
      place = next(place)
    close()
    hash = other
    older = null
    current = larger
    limit = HashTable.limit(larger.capacity)
    changes += 1

  /** Whether a place holds what a move that did not come to its end has left in the older slots. */
  private def isCopy(place: Long): Boolean =
    val old = older
    old != null && place < HashTable.InOlder && old.home(current.hashAt(place)) >= boundary

  /** Frees all entries. */
  @publicInBinary private[struct] def clear(): Unit =
    val empty = opened(HashTable.room(0, stride, leastBytes), hash)(_.ensureAll())
    close()
    older = null
    current = empty
    entries = 0
    hasZero = false
    changes += 1
    limit = HashTable.limit(empty.capacity)

  def close(): Unit =
    current.close()
    val old = older
    if old != null then old.close()

  /** What an access failed with, or the error that names the region that has been closed. */
  @publicInBinary private[struct] def explained(error: RuntimeException): RuntimeException =
    if current.memory.scope.isAlive then error
    else
      try
        Cage.check(current.reservation.address.bits, 0, 1)
        error
      catch
        case stale: MemoryException =>
          stale.addSuppressed(error)
          stale
end HashTable

private[struct] object HashTable:

  /** A table with secrets of its own, for keys and values of so many bytes. */
  @publicInBinary private[struct] def make(
      keySize: Int,
      valueSize: Int,
      expected: Long,
      allocator: Allocator
  ): HashTable = HashTable(keySize, valueSize, expected, allocator, HashFunction.random())

  /** The bit of a place in the older slots. */
  private inline val InOlder = 0x1000000000000000L
  private inline val OffsetMask = 0x0fffffffffffffffL

  /** Homes that move at each new key: the older slots are gone long before the new ones are full.
    */
  private inline val Step = 16L

  /** What a page holds: a smaller table would not take less. */
  val LeastBytes = 0x10000L

  /** Entries up to which `capacity` homes serve. */
  def limit(capacity: Long): Long = capacity / 4 * 3

  def larger(capacity: Long): Long = Math.addExact(capacity, capacity / 2 + 8)

  /** Homes for as many entries. */
  def room(entries: Long, stride: Long, leastBytes: Long): Long =
    val least = (leastBytes / stride - HashSlots.First - 8).max(16) * 2 / 3
    (Math.addExact(entries, entries / 3) + 8).max(least)
end HashTable
