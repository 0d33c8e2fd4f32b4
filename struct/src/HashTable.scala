package undercroft.struct

import scala.annotation.publicInBinary
import undercroft.memory.{Allocator, MemoryException}

/** Entries of a key and a value as bytes: what [[StructMap]] and [[StructSet]] are made of. Linear
  * probing in the order of the hashes (O. Amble, D. Knuth, "Ordered hash tables", 1974, keeps such
  * an order within a run; here it holds for the homes).
  *
  * It grows by half when three quarters are taken, a few slots at each new key: see [[HashGrowth]].
  * So no operation does more than its share.
  *
  * Places are those of [[HashSlots]]; below zero a place is none. Each operation begins with
  * [[admit]], and [[settle]] comes after a value was read and before one is stored.
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

  private val keyBytes = HashTable.keyBytes(keySize)
  private val stride: Long = ((keyBytes + valueSize + 3) & -4).toLong

  private var current = opened(HashSlots.room(expected, stride, leastBytes), hash)(_.ensureAll())
  private var growth = HashGrowth(current, current)
  private val isConfined = current.isConfined
  private var entries = 0L
  private var hasZero = false
  private var limit = HashSlots.limit(current.capacity)

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

  /** Refuses a thread that the table is not for, and one that is closed. */
  @publicInBinary private[struct] def admit(): Unit =
    val slots = current
    if slots.thread ne Thread.currentThread then slots.refuse()

  /** Refuses what was closed by another thread by now. */
  @publicInBinary private[struct] def settle(): Unit =
    if !isConfined then
      current.settle()
      growth.older.settle()

  /** Where a wide key is written that is then looked for. */
  @publicInBinary private[struct] def scratch(): Long =
    settle()
    current.clear(current.scratch)
    current.scratch

  /** The bytes of a key of up to 8 bytes there. */
  @publicInBinary private[struct] def word(scratch: Long): Long =
    if keyBytes == 4 then current.int(scratch) else current.long(scratch)

  @publicInBinary private[struct] def missing(key: Any): Nothing =
    throw java.util.NoSuchElementException(s"no value of the key $key")

  /** The place of a key of up to 4 bytes, or less than 0. */
  @publicInBinary private[struct] def findInt(key: Int): Long =
    if key == 0 then zero
    else
      val code = hash(key & 0xffffffffL)
      slotsFor(code).findInt(key, code)

  /** The place of a key of up to 8 bytes, or less than 0. */
  @publicInBinary private[struct] def findLong(key: Long): Long =
    if key == 0 then zero
    else
      val code = hash(key)
      slotsFor(code).findLong(key, code)

  /** The place of the key in the scratch slot, or less than 0. */
  @publicInBinary private[struct] def findScratch(): Long =
    val scratch = current.scratch
    if current.isFree(scratch) then zero
    else
      val code = current.hashAt(scratch)
      slotsFor(code).findWords(scratch, code)

  private def zero: Long = if hasZero then current.start else ~current.start

  /** The slots in which a key of a hash is, if it is anywhere. */
  private def slotsFor(hash: Long): HashSlots =
    val moving = growth
    if moving.hasMoved(hash) then current else moving.older

  private def slotsOf(place: Long): HashSlots =
    if current.holds(place) then current else growth.older

  /** The place of a key, which is entered with a value of zeros if it is new. */
  @publicInBinary private[struct] def putInt(key: Int): Long =
    val place = findInt(key)
    if place >= 0 then place
    else
      val free = enter(place, key)
      current.setInt(free, key)
      free

  @publicInBinary private[struct] def putLong(key: Long): Long =
    val place = findLong(key)
    if place >= 0 then place
    else
      val free = enter(place, key)
      current.set(free, key)
      free

  @publicInBinary private[struct] def putScratch(): Long =
    val place = findScratch()
    if place >= 0 then place
    else
      val free = enter(place, 0)
      val scratch = current.scratch
      var k = 0
      while k < keyBytes do
        current.set(free + k, current.long(scratch + k))
        k += 8
      free

  /** The free slot for a new key, whose search ended at `place`. */
  private def enter(place: Long, word: Long): Long =
    settle()
    var free = ~place
    if free == current.start then
      hasZero = true
      current.clear(free)
    else
      if isGrowing || entries >= limit then
        advance()
        free = ~search(word)
      if free >= slotsOf(free).end then
        rebuild()
        free = ~search(word)
      slotsOf(free).ensure(free + stride)
    entries += 1
    changes += 1
    free

  private def search(word: Long): Long = keyBytes match
    case 4 => findInt(word.toInt)
    case 8 => findLong(word)
    case _ => findScratch()

  /** Takes the entry at a place out. */
  @publicInBinary private[struct] def remove(place: Long): Unit =
    settle()
    if place == current.start then hasZero = false else slotsOf(place).remove(place)
    entries -= 1
    changes += 1

  /** The place after another one, in no order; from -1 on. Less than 0 is the end. */
  @publicInBinary private[struct] def next(place: Long): Long =
    val slots = current
    val moving = growth
    if place < 0 && hasZero then slots.start
    else
      val isOlder = place >= 0 && !slots.holds(place)
      val found =
        if isOlder then -1L
        else slots.used(if place < slots.first then slots.first else place + stride)
      if found >= 0 || !isGrowing then found
      else moving.older.used(if isOlder then place + stride else moving.rest)

  private def isGrowing: Boolean = growth.older ne current

  @publicInBinary private[struct] def checkUnchanged(before: Long): Unit =
    if changes != before then
      throw java.util.ConcurrentModificationException(
        s"keys came or went while $entries entries were looked through"
      )

  /** Goes on with the growth, or begins with one. */
  private def advance(): Unit =
    if !isGrowing then begin()
    val moving = growth
    if moving.move(HashGrowth.Step) then
      changes += 1
      if moving.isOver then
        current.ensureAll()
        growth = HashGrowth(current, current)
        moving.older.close()
    else rebuild()

  private def begin(): Unit =
    val larger =
      opened(HashSlots.larger(current.capacity), hash)(slots => slots.ensure(slots.scratch))
    keepFirst(larger)
    growth = HashGrowth(current, larger)
    use(larger)

  private def use(slots: HashSlots): Unit =
    current = slots
    limit = HashSlots.limit(slots.capacity)

  /** Copies the slots that belong to no home. */
  private def keepFirst(to: HashSlots): Unit =
    to.copy(current.start, to.start)
    to.copy(current.scratch, to.scratch)

  /** What is done where a run has come to the end of the slots, which chance does not do: all
    * entries move to larger slots, spread by other secrets.
    */
  private def rebuild(): Unit =
    val other = HashFunction.random()
    val larger = opened(HashSlots.larger(current.capacity), other)(_.ensureAll())
    keepFirst(larger)
    var place = next(if hasZero then current.start else -1)
    while place >= 0 do
      if !isGrowing || !growth.isCopy(place) then
        larger.copy(place, larger.free(larger.hashAt(place)))
      place = next(place)
    close()
    hash = other
    growth = HashGrowth(larger, larger)
    use(larger)
    changes += 1

  /** Frees all entries. */
  @publicInBinary private[struct] def clear(): Unit =
    val empty = opened(HashSlots.room(0, stride, leastBytes), hash)(_.ensureAll())
    close()
    growth = HashGrowth(empty, empty)
    use(empty)
    entries = 0
    hasZero = false
    changes += 1

  def close(): Unit =
    current.close()
    growth.older.close()

  /** What an access failed with, or the error that names the region that has been closed. */
  @publicInBinary private[struct] def explained(error: RuntimeException): RuntimeException =
    if current.isAlive then error
    else
      val stale = current.closed
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

  /** Bytes of a key as it is stored, before its value: 4, or a multiple of 8. */
  def keyBytes(keySize: Int): Int = if keySize <= 4 then 4 else (keySize + 7) & -8

  /** What a page holds: a smaller table would not take less. */
  val LeastBytes = 0x10000L
end HashTable
