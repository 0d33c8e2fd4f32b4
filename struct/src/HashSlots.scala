package undercroft.struct

import java.lang.foreign.MemorySegment
import java.lang.invoke.VarHandle
import undercroft.memory.{Allocator, Cage, Reservation}
import undercroft.struct.internal.Unaligned

/** Slots for entries in the order of their hashes, in a reservation of their own.
  *
  * ```text
  *  0      1         2 = home 0                  2 + capacity             slots
  *  +------+---------+--------+--------+-- ... --+--------+---- ... ------+
  *  | zero | scratch | entry  | entry  |         | entry  | what runs on  |
  *  +------+---------+--------+--------+-- ... --+--------+---- ... ------+
  * ```
  *
  * An entry is its key, then its value. A key of zero bytes marks a free slot, so the one entry
  * whose key is all zeros has a slot of its own, the first; the second is for a key that is looked
  * for. An entry lies at the slot of its hash or behind, with no free slot between. Nothing wraps
  * around: the slots behind the last home take what runs on.
  *
  * A place is where a slot lies in [[Cage.open]], and an access checks nothing: where the slots are
  * one thread's, [[thread]] tells that it is this one and that they are not closed; where they are
  * several threads', [[settle]] is called after what was read and before what is stored, as behind
  * a reference.
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

  /** Whether they are one thread's. */
  val isConfined: Boolean = reservation.thread != null

  /** The place of the first slot, that of the key of zeros. */
  val start: Long = Cage.placeOf(bits)

  /** The place of the second slot, where a key is written that is then looked for. */
  val scratch: Long = start + stride

  /** The place of home 0. */
  val first: Long = start + HashSlots.First * stride

  /** The place of the last slot, which is never used, so that a search ends there. */
  val end: Long = start + bytes - stride

  /** The thread that may use them; none after the close, and none where several may. */
  private[struct] var thread: Thread | Null = reservation.thread
  reservation.onClose(() => thread = null)

  /** Up to where bytes are zeroed or in use. */
  private var ready = start

  /** Makes the slots up to a place memory, and some behind. */
  def ensure(place: Long): Unit =
    if place >= ready && ready < start + bytes then
      val wanted = bytes.min(place - start + HashSlots.Ahead * stride)
      val _ = reservation.segment(wanted)
      ready = start + wanted

  def ensureAll(): Unit = ensure(start + bytes)

  /** Whether a place is one of these. */
  def holds(place: Long): Boolean = place >= start && place <= end

  /** Refuses a thread that they are not for, and slots that are closed, where they are one
    * thread's.
    */
  def refuse(): Unit =
    if isConfined then
      val _ = reservation.whole.get(Unaligned.byte, 0)

  /** Refuses slots that are closed, which are several threads'. */
  def settle(): Unit =
    VarHandle.loadLoadFence()
    val _ = Cage.storable(bits, 0)

  def isAlive: Boolean = reservation.whole.scope.isAlive

  /** The error that names who has closed them. */
  def closed: RuntimeException =
    try
      Cage.check(bits, 0, 1)
      Cage.closing(bits)
    catch case stale: RuntimeException => stale

  /** The home of a hash, in slots. */
  def home(hash: Long): Long = Math.unsignedMultiplyHigh(hash, capacity)

  /** The first home here of what is at a home of other slots, or behind. */
  def homeOf(home: Long, other: HashSlots): Long =
    Math.multiplyHigh(home, capacity) match
      case 0 => home * capacity / other.capacity
      case _ => (home.toDouble * capacity / other.capacity).toLong

  /** The place of a home. */
  def place(home: Long): Long = first + home * stride

  /** Where the entry of a key of up to 4 bytes is; the complement of where it would be. */
  def findInt(key: Int, hash: Long): Long =
    var at = place(home(hash))
    var found = int(at)
    while found != key && found != 0 do
      at = next(at)
      found = int(at)
    if found == key then at else ~at

  /** As `findInt`, of a key of up to 8 bytes. */
  def findLong(key: Long, hash: Long): Long =
    var at = place(home(hash))
    var found = long(at)
    while found != key && found != 0 do
      at = next(at)
      found = long(at)
    if found == key then at else ~at

  /** As `findInt`, of the key at a place. */
  def findWords(key: Long, hash: Long): Long =
    var at = place(home(hash))
    while !isFree(at) && !isSame(key, at) do at = next(at)
    if isFree(at) then ~at else at

  /** Where a key that is not in these slots may be put. */
  def free(hash: Long): Long =
    var at = place(home(hash))
    while !isFree(at) do at = next(at)
    at

  /** The place after one of an entry. Only where the memory is another's by now there is none. */
  private def next(at: Long): Long =
    if at >= end then throw closed
    at + stride

  private def isSame(key: Long, at: Long): Boolean =
    var k = 0
    while k < keyBytes && long(key + k) == long(at + k) do k += 8
    k >= keyBytes

  /** The first entry from a place on, or -1. */
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

  /** The hash of the key at a place, of these slots or of others. */
  def hashAt(at: Long): Long = keyBytes match
    case 4 => hash(int(at) & 0xffffffffL)
    case 8 => hash(long(at))
    case _ => hash(at, keyBytes)

  /** Copies an entry from any slots to these. */
  def copy(source: Long, target: Long): Unit =
    if stride > HashSlots.Wide then
      MemorySegment.copy(Cage.open, Cage.within(source), Cage.open, Cage.within(target), stride)
    else
      var k = 0L
      while k + 8 <= stride do
        set(target + k, long(source + k))
        k += 8
      if k < stride then setInt(target + k, int(source + k))

  /** Frees the slot of an entry, and moves back what follows it and is not at its home: no mark is
    * left (D. Knuth, The Art of Computer Programming 3, 6.4, algorithm R).
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

  def int(place: Long): Int = Cage.open.get(Unaligned.int, Cage.within(place))
  def long(place: Long): Long = Cage.open.get(Unaligned.long, Cage.within(place))
  def setInt(place: Long, word: Int): Unit =
    Cage.open.set(Unaligned.int, Cage.within(place), word)
  def set(place: Long, word: Long): Unit =
    Cage.open.set(Unaligned.long, Cage.within(place), word)

  def close(): Unit = reservation.close()
end HashSlots

private[struct] object HashSlots:
  /** The slot of home 0. */
  inline val First = 2L

  /** Slots behind the last home. A run of as many entries does not come up by chance: at three
    * quarters full, one in 2^27 runs is as long.
    */
  private inline val Behind = 512L

  /** Slots that become memory at a time, at the least. */
  private inline val Ahead = 1024L

  /** Bytes of an entry from which on it is sooner copied by a call than word by word. */
  private inline val Wide = 64L

  /** Homes for as many entries. */
  def room(entries: Long, stride: Long, leastBytes: Long): Long =
    val least = (leastBytes / stride - First - 8).max(16) / 3 * 2
    (Math.addExact(entries, entries / 3) + 8).max(least)

  /** Entries up to which `capacity` homes serve. */
  def limit(capacity: Long): Long = capacity / 4 * 3

  def larger(capacity: Long): Long = Math.addExact(capacity, capacity / 2 + 8)
end HashSlots
