package undercroft.struct
package internal.hash

import internal.bytes.ValueLayouts
import undercroft.memory.internal.cage.Cage
import java.lang.foreign.MemorySegment
import java.lang.invoke.VarHandle
import undercroft.memory.{Allocator, Reservation}

/** Slots for hash table entries in hash order, in a separate reservation.
  *
  * ```text
  *  0      1         2 = home 0                  2 + capacity             slots
  *  +------+---------+--------+--------+-- ... --+--------+---- ... ------+
  *  | zero | scratch | entry  | entry  |         | entry  | overflow      |
  *  +------+---------+--------+--------+-- ... --+--------+---- ... ------+
  * ```
  *
  * An entry is its key, then its value. A key of zero bytes marks a free slot, so the entry whose
  * key is all zeros has a separate slot, the first; the second slot holds the key of a lookup. An
  * entry is stored at its home slot, selected by its hash, or after it with no free slot in
  * between. Probing does not wrap: overflow slots follow the last home slot.
  *
  * A place is the position of a slot in [[Cage.open]]; accesses are not checked. If the slots are
  * confined, [[thread]] is the thread that may use them, until they are closed; if they are shared,
  * [[HashTable]] admits one writer at a time and validates reads.
  */
private[struct] final class HashSlots(
    val capacity: Long,
    keyBytes: Int,
    val stride: Long,
    hash: HashFunction,
    allocator: Allocator
):
  private val slots = HashSlots.First + capacity + (capacity / 2 + 8).min(HashSlots.Behind)
  private val bytes = Math.multiplyExact(slots, stride)
  private val reservation: Reservation = allocator.reserve(bytes)
  private val bits = reservation.address.bits

  /** Whether the slots are confined to one thread. */
  val isConfined: Boolean = reservation.thread != null

  /** The place of the first slot, which is for the key of zeros. */
  val start: Long = Cage.placeOf(bits)

  /** The place of the second slot, which holds the key of a lookup. */
  val scratch: Long = start + stride

  /** The place of home 0. */
  val first: Long = start + HashSlots.First * stride

  /** The place of the last slot, which is never used, so that every search ends there. */
  val end: Long = start + bytes - stride

  /** The thread that may use the slots; null after the close, and null if they are shared. */
  private[struct] var thread: Thread | Null = reservation.thread
  reservation.onClose(() => thread = null)

  /** The end of the bytes that are zeroed or in use. */
  private var ready = start

  /** Commits the slots up to a place, and some after it. */
  def ensure(place: Long): Unit =
    if place >= ready && ready < start + bytes then
      val readyBytes = bytes.min(place - start + HashSlots.Ahead * stride)
      val _ = reservation.segment(readyBytes)
      ready = start + readyBytes

  def ensureAll(): Unit = ensure(start + bytes)

  /** Zeroes all slots. */
  def zero(): Unit =
    val _ = reservation.whole.asSlice(0, ready - start).fill(0)

  /** Whether a place belongs to these slots. */
  def holds(place: Long): Boolean = place >= start && place <= end

  /** For confined slots, throws on a wrong thread or after the close. */
  def refuse(): Unit =
    if isConfined then
      val _ = reservation.whole.get(ValueLayouts.byte, 0)

  /** For shared slots, ends a read: throws if they have been closed. */
  def settle(): Unit =
    VarHandle.loadLoadFence()
    val _ = Cage.storable(bits, 0)

  def isAlive: Boolean = reservation.whole.scope.isAlive

  /** The error for closed slots, which names their owner. */
  def closed: RuntimeException =
    try
      Cage.check(bits, 0, 1)
      Cage.closing(bits)
    catch case stale: RuntimeException => stale

  /** The home of a hash, as a slot number. */
  def home(hash: Long): Long = Math.unsignedMultiplyHigh(hash, capacity)

  /** The first home in these slots for an entry at `home` of other slots, or after it. */
  def homeOf(home: Long, other: HashSlots): Long =
    Math.multiplyHigh(home, capacity) match
      case 0 => home * capacity / other.capacity
      case _ => (home.toDouble * capacity / other.capacity).toLong

  /** The place of a home. */
  def place(home: Long): Long = first + home * stride

  /** The place of the entry with a key of up to 4 bytes, or the complement of its insertion place.
    */
  def findInt(key: Int, hash: Long): Long =
    var at = place(home(hash))
    var storedKey = int(at)
    while storedKey != key && storedKey != 0 do
      at = next(at)
      storedKey = int(at)
    if storedKey == key then at else ~at

  /** As `findInt`, for a key of up to 8 bytes. */
  def findLong(key: Long, hash: Long): Long =
    var at = place(home(hash))
    var storedKey = long(at)
    while storedKey != key && storedKey != 0 do
      at = next(at)
      storedKey = long(at)
    if storedKey == key then at else ~at

  /** As `findInt`, for the key at a place. */
  def findWords(key: Long, hash: Long): Long =
    var at = place(home(hash))
    while !isFree(at) && !isSame(key, at) do at = next(at)
    if isFree(at) then ~at else at

  /** The insertion place of a key that is not in these slots. */
  def free(hash: Long): Long =
    var at = place(home(hash))
    while !isFree(at) do at = next(at)
    at

  /** The place of the slot after `at`. Throws at the end of the slots, which a search reaches only
    * if the memory has another owner by now, or if another thread changes these slots meanwhile.
    */
  private def next(at: Long): Long =
    if at >= end then throw (if isAlive then HashTable.changed() else closed)
    at + stride

  private def isSame(key: Long, at: Long): Boolean =
    var k = 0
    while k < keyBytes && long(key + k) == long(at + k) do k += 8
    k >= keyBytes

  /** The first entry at or after a place, or -1. */
  def used(from: Long): Long =
    var at = from
    val last = end.min(ready)
    while at < last && isFree(at) do at += stride
    if at < last then at else -1

  def isFree(at: Long): Boolean = keyBytes match
    case 4 => int(at) == 0
    case 8 => long(at) == 0
    case _ =>
      var k = 0
      while k < keyBytes && long(at + k) == 0 do k += 8
      k >= keyBytes

  /** The hash of the key at a place of these or other slots. */
  def hashAt(at: Long): Long = keyBytes match
    case 4 => hash(int(at) & 0xffffffffL)
    case 8 => hash(long(at))
    case _ => hash(at, keyBytes)

  /** Copies an entry from any slots to these slots. */
  def copy(source: Long, target: Long): Unit =
    if stride > HashSlots.Wide then
      MemorySegment.copy(Cage.open, Cage.within(source), Cage.open, Cage.within(target), stride)
    else
      var k = 0L
      while k + 8 <= stride do
        set(target + k, long(source + k))
        k += 8
      if k < stride then setInt(target + k, int(source + k))

  /** Frees the slot of an entry, and moves back the entries after it that are not at their home, so
    * that no tombstone is needed (D. Knuth, The Art of Computer Programming 3, 6.4, algorithm R).
    */
  def remove(entry: Long): Unit =
    var hole = entry
    var following = next(entry)
    while !isFree(following) do
      if place(home(hashAt(following))) <= hole then
        copy(following, hole)
        hole = following
      following = next(following)
    clear(hole)

  def clear(at: Long): Unit =
    var k = 0L
    while k + 8 <= stride do
      set(at + k, 0L)
      k += 8
    if k < stride then setInt(at + k, 0)

  def int(place: Long): Int = Cage.open.get(ValueLayouts.int, Cage.within(place))
  def long(place: Long): Long = Cage.open.get(ValueLayouts.long, Cage.within(place))
  def setInt(place: Long, word: Int): Unit =
    Cage.open.set(ValueLayouts.int, Cage.within(place), word)
  def set(place: Long, word: Long): Unit =
    Cage.open.set(ValueLayouts.long, Cage.within(place), word)

  def close(): Unit = reservation.close()
end HashSlots

private[struct] object HashSlots:
  /** The slot number of home 0. */
  inline val First = 2L

  /** The most overflow slots after the last home. A run of that length does not occur by chance: at
    * three quarters full, one in 2^27 runs is as long.
    */
  private inline val Behind = 512L

  /** The minimum number of slots to commit at a time. */
  private inline val Ahead = 1024L

  /** The size of an entry in bytes above which a call copies it faster than word by word. */
  private inline val Wide = 64L

  /** The number of homes for `entries` entries; at least as many as fit in `leastBytes`, with their
    * overflow slots.
    */
  def room(entries: Long, stride: Long, leastBytes: Long): Long =
    val minHomes = (leastBytes / stride - First - 8).max(16) / 3 * 2
    (Math.addExact(entries, entries / 3) + 8).max(minHomes)

  /** The most entries for `capacity` homes. */
  def limit(capacity: Long): Long = capacity / 4 * 3

  def larger(capacity: Long): Long = Math.addExact(capacity, capacity / 2 + 8)
end HashSlots
