package undercroft.struct
package internal.hash

import undercroft.memory.internal.alloc.KeyScratch
import java.lang.invoke.VarHandle
import java.util.ConcurrentModificationException
import java.util.concurrent.atomic.AtomicLong
import scala.annotation.publicInBinary
import undercroft.memory.{Allocator, MemoryException, MemoryLimitException}

/** Hash table of keys and values as bytes: the implementation of [[StructMap]] and [[StructSet]].
  * Open addressing with linear probing, entries in hash order (O. Amble, D. Knuth, "Ordered hash
  * tables", 1974, keeps such an order within a run; here it holds for the homes).
  *
  * It grows by half when three quarters are taken, moving a few slots at each new key: see
  * [[IncrementalResize]]. So no operation waits for a complete resize.
  *
  * Places are places of [[HashSlots]]; below zero, a place means that a key is absent.
  *
  * Confined slots may be used by their owner thread only, which [[admit]], [[read]] and [[write]]
  * check. Shared slots have a sequence lock (as in the Linux kernel; H. Boehm, "Can seqlocks get
  * along with programming language memory models?", 2012): [[write]] makes the sequence odd and
  * [[written]] even again, so that a second writer is rejected before it stores anything, and
  * values read between [[read]] and [[settle]] are valid only if no thread has written meanwhile.
  * Both rejections are a ConcurrentModificationException. Thus one thread at a time changes fields
  * and slots, and every store is to open slots of this table.
  */
private[struct] final class HashTable(
    keySize: Int,
    valueSize: Int,
    expected: Long,
    allocator: Allocator,
    private var hash: HashFunction,
    leastBytes: Long = HashTable.LeastBytes
):
  if expected < 0 then
    throw IllegalArgumentException(s"expected must be at least 0, but is $expected")

  private val keyBytes = HashTable.keyBytes(keySize)
  private val stride: Long = ((keyBytes + valueSize + 3) & -4).toLong

  private var current = opened(HashSlots.room(expected, stride, leastBytes), hash)(_.ensureAll())
  private var growth = IncrementalResize(current, current)
  private val isConfined = current.isConfined
  private var entries = 0L
  private var hasZero = false
  private var limit = HashSlots.limit(current.capacity)
  private val sequence = AtomicLong()

  /** The number of times that a key was added, removed or moved. */
  @publicInBinary private[struct] var changes: Long = 0

  @publicInBinary private[struct] def size: Long = entries

  /** Creates slots and commits memory by `ready`; closes them if that fails. */
  private def opened(capacity: Long, hash: HashFunction)(ready: HashSlots => Unit): HashSlots =
    val slots = HashSlots(capacity, keyBytes, stride, hash, allocator)
    try
      ready(slots)
      slots
    catch
      case error: MemoryException =>
        slots.close()
        throw error

  /** Throws if the thread may not use the table, or if the table is closed. */
  @publicInBinary private[struct] def admit(): Unit =
    val slots = current
    if slots.thread ne Thread.currentThread then slots.refuse()

  /** Begins a lookup: as [[admit]], and throws while another thread writes.
    *
    * @return
    *   the sequence, for [[settle]]
    */
  @publicInBinary private[struct] def read(): Long =
    if current.thread eq Thread.currentThread then 0L else readShared()

  private def readShared(): Long =
    current.refuse()
    val now = sequence.getAcquire
    if isWriting(now) then throw HashTable.changed()
    now

  /** Ends a lookup: throws if a thread has written or closed the table since `before`. */
  @publicInBinary private[struct] def settle(before: Long): Unit =
    if !isConfined then
      VarHandle.loadLoadFence()
      if sequence.getPlain != before then throw HashTable.changed()
      settleSlots()

  private def settleSlots(): Unit =
    current.settle()
    if isGrowing then growth.older.settle()

  /** Begins a change: as [[admit]], and rejects a second writer. Unless it throws, [[written]] must
    * follow; no user code may run in between.
    */
  @publicInBinary private[struct] def write(): Unit =
    if current.thread ne Thread.currentThread then
      current.refuse()
      lock()
      try settleSlots()
      catch
        case error: Throwable =>
          written()
          throw error

  @publicInBinary private[struct] def written(): Unit =
    if !isConfined then sequence.setRelease(sequence.getPlain + 1)

  private def lock(): Unit =
    val now = sequence.getPlain
    if isWriting(now) || !sequence.compareAndSet(now, now + 1) then throw HashTable.changed()
    VarHandle.storeStoreFence()

  private def isWriting(sequence: Long): Boolean = (sequence & 1) != 0

  /** The place where a key of more than 8 bytes is written for a lookup. For shared slots it
    * belongs to the thread, so that a lookup stores nothing in the table.
    */
  @publicInBinary private[struct] def scratch(): Long =
    if isConfined then
      current.clear(current.scratch)
      current.scratch
    else KeyScratch.place(keyBytes)

  /** The place of the written key: the scratch slot of confined slots moves with them. */
  private def keyAt(scratch: Long): Long = if isConfined then current.scratch else scratch

  /** The key of up to 8 bytes that is written at `scratch`. */
  @publicInBinary private[struct] def word(scratch: Long): Long =
    if keyBytes == 4 then current.int(scratch) else current.long(scratch)

  @publicInBinary private[struct] def missing(key: Any): Nothing =
    throw java.util.NoSuchElementException(s"no value of the key $key")

  /** The place of a key of up to 4 bytes, or less than 0 if absent. */
  @publicInBinary private[struct] def findInt(key: Int): Long =
    if key == 0 then zero
    else
      val code = hash(key & 0xffffffffL)
      slotsFor(code).findInt(key, code)

  /** The place of a key of up to 8 bytes, or less than 0 if absent. */
  @publicInBinary private[struct] def findLong(key: Long): Long =
    if key == 0 then zero
    else
      val code = hash(key)
      slotsFor(code).findLong(key, code)

  /** The place of the key that is written at `scratch`, or less than 0 if absent. */
  @publicInBinary private[struct] def findScratch(scratch: Long): Long =
    if current.isFree(scratch) then zero
    else
      val code = current.hashAt(scratch)
      slotsFor(code).findWords(scratch, code)

  private def zero: Long = if hasZero then current.start else ~current.start

  /** The slots that contain a key with this hash, if it exists. */
  private def slotsFor(hash: Long): HashSlots =
    val moving = growth
    if moving.hasMoved(hash) then current else moving.older

  private def slotsOf(place: Long): HashSlots =
    if current.holds(place) then current else growth.older

  /** The place of a key, which is added with a value of zeros if absent. */
  @publicInBinary private[struct] def putInt(key: Int): Long =
    val place = findInt(key)
    if place >= 0 then place
    else
      val free = enter(place, key, 0)
      current.setInt(free, key)
      free

  @publicInBinary private[struct] def putLong(key: Long): Long =
    val place = findLong(key)
    if place >= 0 then place
    else
      val free = enter(place, key, 0)
      current.set(free, key)
      free

  @publicInBinary private[struct] def putScratch(scratch: Long): Long =
    val place = findScratch(scratch)
    if place >= 0 then place
    else
      val free = enter(place, 0, scratch)
      val key = keyAt(scratch)
      var k = 0
      while k < keyBytes do
        current.set(free + k, current.long(key + k))
        k += 8
      free

  /** Adds a new key, whose search ended at `place`; returns its slot. */
  private def enter(place: Long, word: Long, scratch: Long): Long =
    var free = ~place
    if free == current.start then
      hasZero = true
      current.clear(free)
    else
      if isGrowing || entries >= limit then
        advance()
        free = ~search(word, scratch)
      if free >= slotsOf(free).end then
        rebuild()
        free = ~search(word, scratch)
      slotsOf(free).ensure(free + stride)
    entries += 1
    changes += 1
    free

  private def search(word: Long, scratch: Long): Long = keyBytes match
    case 4 => findInt(word.toInt)
    case 8 => findLong(word)
    case _ => findScratch(keyAt(scratch))

  /** Removes the entry at a place. */
  @publicInBinary private[struct] def remove(place: Long): Unit =
    if place == current.start then hasZero = false else slotsOf(place).remove(place)
    entries -= 1
    changes += 1

  /** The next place with an entry, in no defined order; starts at -1, ends with a value below 0. */
  @publicInBinary private[struct] def next(place: Long): Long =
    val slots = current
    val moving = growth
    if place < 0 && hasZero then slots.start
    else
      val isOlder = place >= 0 && !slots.holds(place)
      if isOlder && !moving.older.holds(place) then throw HashTable.changed()
      val nextPlace =
        if isOlder then -1L
        else slots.used(if place < slots.first then slots.first else place + stride)
      if nextPlace >= 0 || !isGrowing then nextPlace
      else moving.older.used(if isOlder then place + stride else moving.rest)

  private def isGrowing: Boolean = growth.older ne current

  @publicInBinary private[struct] def checkUnchanged(before: Long): Unit =
    if changes != before then
      throw ConcurrentModificationException(
        s"keys were added or removed during an iteration over $entries entries"
      )

  /** Continues the resize, or starts one. */
  private def advance(): Unit =
    if !isGrowing then begin()
    val moving = growth
    if moving.move(IncrementalResize.Step) then
      changes += 1
      if moving.isOver then
        current.ensureAll()
        growth = IncrementalResize(current, current)
        moving.older.close()
    else rebuild()

  private def begin(): Unit =
    val larger =
      opened(HashSlots.larger(current.capacity), hash)(slots => slots.ensure(slots.scratch))
    keepFirst(larger)
    growth = IncrementalResize(current, larger)
    use(larger)

  private def use(slots: HashSlots): Unit =
    current = slots
    limit = HashSlots.limit(slots.capacity)

  /** Copies the two slots that are before home 0. */
  private def keepFirst(to: HashSlots): Unit =
    to.copy(current.start, to.start)
    to.copy(current.scratch, to.scratch)

  /** Moves all entries to larger slots, hashed by other secrets. Runs if a search came to the end
    * of the slots, which does not happen by chance.
    */
  private def rebuild(): Unit =
    val newHash = HashFunction.random()
    val larger = opened(HashSlots.larger(current.capacity), newHash)(_.ensureAll())
    keepFirst(larger)
    var place = next(if hasZero then current.start else -1)
    while place >= 0 do
      if !isGrowing || !growth.isCopy(place) then
        larger.copy(place, larger.free(larger.hashAt(place)))
      place = next(place)
    closeSlots()
    hash = newHash
    growth = IncrementalResize(larger, larger)
    use(larger)
    changes += 1

  /** Removes all entries. */
  @publicInBinary private[struct] def clear(): Unit =
    write()
    try clearAlone()
    finally written()

  private def clearAlone(): Unit =
    val empty =
      try opened(HashSlots.room(0, stride, leastBytes), hash)(_.ensureAll())
      catch case _: MemoryLimitException => null
    if empty != null then
      closeSlots()
      growth = IncrementalResize(empty, empty)
      use(empty)
    else
      // There is no memory for other slots: reuse these at their size.
      if isGrowing then growth.older.close()
      growth = IncrementalResize(current, current)
      current.zero()
      use(current)
    entries = 0
    hasZero = false
    changes += 1

  def close(): Unit =
    if isConfined then closeSlots()
    else
      lock()
      try closeSlots()
      finally written()

  private def closeSlots(): Unit =
    current.close()
    growth.older.close()

  /** The error that names the closed region, or `error` if the memory is not closed. */
  @publicInBinary private[struct] def translate(error: RuntimeException): RuntimeException =
    if current.isAlive then error
    else
      val stale = current.closed
      stale.addSuppressed(error)
      stale
end HashTable

@publicInBinary private[struct] object HashTable:

  /** A table with random secrets, for keys of `keySize` and values of `valueSize` bytes. */
  @publicInBinary private[struct] def make(
      keySize: Int,
      valueSize: Int,
      expected: Long,
      allocator: Allocator
  ): HashTable = HashTable(keySize, valueSize, expected, allocator, HashFunction.random())

  def changed(): ConcurrentModificationException =
    ConcurrentModificationException(
      "another thread changed the map or set meanwhile: one thread at a time may change it, " +
        "and only while no other thread uses it"
    )

  /** Bytes of a stored key, before its value: 4, or a multiple of 8. */
  def keyBytes(keySize: Int): Int = if keySize <= 4 then 4 else (keySize + 7) & -8

  /** The bytes of a page: a smaller table would not take less memory. */
  val LeastBytes = 0x10000L
end HashTable
