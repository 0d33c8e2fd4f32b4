package undercroft.struct
package internal.hash

import internal.bytes.WholeStructs
import internal.entries.{EntryMemory, EntryTable}
import undercroft.memory.internal.cage.Cage
import java.lang.foreign.MemorySegment
import undercroft.memory.Allocator

/** Slots for hash table entries in hash order, in a separate reservation.
  *
  * ```text
  *  0      1         2       3 = home 0                  3 + capacity             slots
  *  +------+---------+-------+--------+--------+-- ... --+--------+---- ... ------+
  *  | zero | scratch | moved | entry  | entry  |         | entry  | overflow      |
  *  +------+---------+-------+--------+--------+-- ... --+--------+---- ... ------+
  * ```
  *
  * An entry is its key, then its value. A key of zero bytes marks a free slot, so the entry whose
  * key is all zeros has a separate slot, the first; the second slot holds the key of a lookup, and
  * the third an entry that is between its old home and its new one. An entry is stored at its home
  * slot, selected by its hash, or after it with no free slot in between. Probing does not wrap:
  * overflow slots follow the last home slot.
  *
  * The number of homes grows in place, up to the size of the reservation: see
  * [[IncrementalResize]]. Any mixture of older and newer values of the fields below selects a place
  * within the reservation, so a lookup that another thread disturbs reads no other memory.
  *
  * A place is the position of a slot in [[Cage.open]].
  */
private[struct] final class HashSlots(
    homes: Long,
    keyBytes: Int,
    val stride: Long,
    hash: HashFunction,
    allocator: Allocator,
    spanBytes: Long = 0,
    onClose: EntryMemory => Unit = _ => ()
) extends EntryMemory(allocator, HashSlots.bytes(homes, stride).max(spanBytes), onClose):
  private val seed = hash.first
  private val factor = hash.second

  /** The place of the second slot, which holds the key of a lookup. */
  val scratch: Long = start + stride

  /** The place of the third slot, which holds an entry that moves. */
  private[hash] val moved: Long = start + 2 * stride

  /** The place of home 0. */
  val first: Long = start + HashSlots.First * stride

  /** The number of homes. */
  private[hash] var capacity: Long = homes

  /** The number of homes before the current growth, or else the number of homes. */
  private[hash] var older: Long = homes

  /** The number of older homes whose entries have not moved. */
  private[hash] var unmoved: Long = homes

  /** The place of the last slot, which is never used, so that every search ends there. */
  private[hash] var end: Long = endOf(homes)

  private def endOf(capacity: Long): Long = start + HashSlots.bytes(capacity, stride) - stride

  /** Commits the memory of all slots. */
  def ensureAll(): Unit = commit(HashSlots.bytes(capacity, stride))

  /** Starts to grow to a larger number of homes, whose memory is committed. */
  def grow(larger: Long): Unit =
    capacity = larger
    end = endOf(larger)

  def isGrowing: Boolean = older != capacity

  /** Whether they have more bytes than an L2 cache may have. */
  def areFar: Boolean = end - start > HashSlots.CacheBytes

  /** Ends the growth. */
  def finish(): Unit =
    older = capacity
    unmoved = capacity

  /** Zeroes all slots. */
  def zero(): Unit =
    val _ = reservation.whole.asSlice(0, end + stride - start).fill(0)

  /** The place of a home. */
  def place(home: Long): Long = first + home * stride

  /** The place of the home of a hash. */
  def homePlace(hash: Long): Long =
    val home = Math.unsignedMultiplyHigh(hash, older)
    first + (if home < unmoved then home else Math.unsignedMultiplyHigh(hash, capacity)) * stride

  private def hashOf(word: Long): Long = HashFunction.folded(word ^ seed, factor)

  /** The place of the entry with a key of up to 4 bytes, or the complement of its insertion place.
    *
    * A third of the keys are not in their home slots, so the branch of a search that begins there
    * is often mispredicted. The likely place is the home or the slot after it, which the JIT
    * selects by a conditional move; five of six keys are there.
    */
  def findInt(key: Int): Long =
    val home = homePlace(hashOf(key & 0xffffffffL))
    val likely = if int(home) == key then home else home + stride
    if int(likely) == key then likely
    else
      var at = home
      var storedKey = int(at)
      while storedKey != key && storedKey != 0 do
        at = next(at)
        storedKey = int(at)
      if storedKey == key then at else ~at

  /** As `findInt`, for a key of up to 8 bytes. */
  def findLong(key: Long): Long =
    val home = homePlace(hashOf(key))
    val likely = if long(home) == key then home else home + stride
    if long(likely) == key then likely
    else
      var at = home
      var storedKey = long(at)
      while storedKey != key && storedKey != 0 do
        at = next(at)
        storedKey = long(at)
      if storedKey == key then at else ~at

  /** As `findInt`, for a key of 9 to 16 bytes, or for a text that ends in the first 16 bytes of a
    * longer key.
    */
  def findLongs(low: Long, high: Long): Long =
    val home = homePlace(HashFunction.folded(low ^ seed, high ^ factor))
    val likely = if ((long(home) ^ low) | (long(home + 8) ^ high)) == 0 then home else home + stride
    if isSame(low, high, likely) then likely
    else
      var at = home
      while !isSame(low, high, at) && !isFree(at) do at = next(at)
      if isSame(low, high, at) then at else ~at

  /** Loads a word of each likely place of a key of up to 8 bytes; returns both words, combined. */
  def touch(key: Long): Int = touched(hashOf(key))

  /** As `touch`, for a key of 9 to 16 bytes. */
  def touch(low: Long, high: Long): Int = touched(HashFunction.folded(low ^ seed, high ^ factor))

  /** As `touch`, for the key at a place. */
  def touchAt(key: Long): Int = touched(hashAt(key))

  private def touched(hash: Long): Int =
    val home = homePlace(hash)
    int(home) | int(home + stride)

  private def isSame(low: Long, high: Long, at: Long): Boolean =
    long(at) == low && long(at + 8) == high

  /** As `findInt`, for the key at a place. Its first `bytes` bytes, a multiple of 8 and at least
    * 16, determine it: all of them, or the bytes of a text with its end.
    */
  def findWords(key: Long, bytes: Int): Long =
    var at = homePlace(hash(key, bytes))
    while !isSame(key, at, bytes) && !isFree(at) do at = next(at)
    if isSame(key, at, bytes) then at else ~at

  /** The insertion place of a key that is not in these slots. */
  def free(hash: Long): Long =
    var at = homePlace(hash)
    while !isFree(at) do at = next(at)
    at

  /** The first free slot at the new home of a hash or after it. */
  private[hash] def newFree(hash: Long): Long =
    var at = place(Math.unsignedMultiplyHigh(hash, capacity))
    while !isFree(at) do at = next(at)
    at

  /** The place of the slot after `at`. Throws at the end of the slots, which a search reaches only
    * if the memory has another owner by now, or if another thread changes these slots meanwhile.
    */
  private[hash] def next(at: Long): Long =
    if at >= end then throw EntryTable.changed()
    at + stride

  private def isSame(key: Long, at: Long, bytes: Int): Boolean =
    var k = 0
    while k < bytes && long(key + k) == long(at + k) do k += 8
    k >= bytes

  /** The first entry at or after a place, or -1. */
  def used(from: Long): Long =
    var at = from
    val last = end
    while at < last && isFree(at) do at += stride
    if at < last then at else -1

  /** A bit for each of the up to 64 slots from a place on: whether it has an entry. Without a
    * branch for each slot, which would often be mispredicted.
    */
  def occupied(from: Long): Long =
    val slots = ((end - from) / stride).min(64).toInt
    var bits = 0L
    var at = from
    var i = 0
    while i < slots do
      val word = keyWord(at)
      bits |= (word | -word) >>> 63 << i
      at += stride
      i += 1
    bits

  /** 0 if the slot is free. */
  private def keyWord(at: Long): Long = keyBytes match
    case 4 => int(at).toLong
    case 8 => long(at)
    case _ =>
      var word = 0L
      var k = 0
      while k < keyBytes do
        word |= long(at + k)
        k += 8
      word

  def isFree(at: Long): Boolean = keyBytes match
    case 4 => int(at) == 0
    case 8 => long(at) == 0
    case _ => isFree(at, keyBytes)

  /** Whether the first `bytes` bytes of a key are zeros. */
  def isFree(at: Long, bytes: Int): Boolean =
    var k = 0
    while k < bytes && long(at + k) == 0 do k += 8
    k >= bytes

  /** The hash of the key at a place of these or other slots. */
  def hashAt(at: Long): Long = keyBytes match
    case 4 => hashOf(int(at) & 0xffffffffL)
    case 8 => hashOf(long(at))
    case _ => hash(at, keyBytes)

  /** Copies an entry from any slots to these slots. */
  def copy(source: Long, target: Long): Unit =
    if stride == 16 then
      set(target, long(source))
      set(target + 8, long(source + 8))
    else if stride > HashSlots.Wide then
      MemorySegment.copy(Cage.open, Cage.within(source), Cage.open, Cage.within(target), stride)
    else
      var k = 0L
      while k + 8 <= stride do
        set(target + k, long(source + k))
        k += 8
      if k < stride then setInt(target + k, int(source + k))

  /** Exchanges the entry at a place with the entry in the third slot. */
  private[hash] def exchange(at: Long): Unit =
    WholeStructs.swapBytes(Cage.open, Cage.within(at), Cage.within(moved), stride)

  /** Frees the slot of an entry, and moves back the entries after it that are not at their home, so
    * that no tombstone is needed (D. Knuth, The Art of Computer Programming 3, 6.4, algorithm R).
    */
  def remove(entry: Long): Unit =
    var hole = entry
    var following = next(entry)
    while !isFree(following) do
      if homePlace(hashAt(following)) <= hole then
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

end HashSlots

private[struct] object HashSlots:
  /** The slot number of home 0. */
  inline val First = 3L

  /** The most overflow slots after the last home. A run of that length does not occur by chance: at
    * four fifths full, one in 2^34 runs is as long.
    */
  private inline val Behind = 1024L

  /** The bytes of a small L2 cache. */
  private inline val CacheBytes = 1L << 18

  /** The size of an entry in bytes above which a call copies it faster than word by word. */
  private inline val Wide = 64L

  /** The bytes of `capacity` homes with all other slots. */
  def bytes(capacity: Long, stride: Long): Long =
    Table.bytes(First + capacity + (capacity / 2 + 8).min(Behind), stride)

  /** The number of homes for `entries` entries; at least as many as fit in `leastBytes`, with their
    * overflow slots.
    */
  def room(entries: Long, stride: Long, leastBytes: Long): Long =
    val slots = leastBytes / stride - First
    val minHomes = (slots - Behind).max((slots - 8) / 3 * 2).max(10)
    val most = entries.min(Long.MaxValue / 2)
    (most + most / 4 + 8).max(minHomes)

  /** The most entries for `capacity` homes. */
  def limit(capacity: Long): Long = capacity / 5 * 4 + capacity % 5 * 4 / 5
end HashSlots
