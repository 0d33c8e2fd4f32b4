package undercroft.struct

import java.lang.foreign.MemorySegment
import undercroft.memory.{Allocator, Reservation}
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
  */
private[struct] final class HashSlots(
    val capacity: Long,
    keyBytes: Int,
    stride: Long,
    hash: HashFunction,
    allocator: Allocator
):
  private val slots = HashSlots.First + capacity + (capacity / 2 + 8).min(HashSlots.Behind)
  private val bytes = Math.multiplyExact(slots, stride)
  val reservation: Reservation = allocator.reserve(bytes)
  val memory: MemorySegment = reservation.whole

  /** Where the slots end, in bytes; the last is never used, so that a search ends there. */
  val end: Long = bytes - stride

  /** Bytes that are zeroed or in use. */
  private var ready = 0L

  /** Makes the slots up to an offset memory, and some behind. */
  def ensure(at: Long): Unit =
    if at >= ready && ready < bytes then
      val wanted = bytes.min(at + HashSlots.Ahead * stride)
      val _ = reservation.segment(wanted)
      ready = wanted

  def ensureAll(): Unit = ensure(bytes)

  /** The home of a hash, in slots. */
  def home(hash: Long): Long = Math.unsignedMultiplyHigh(hash, capacity)

  /** The first home here of what is at a home of other slots, or behind. */
  def homeOf(home: Long, other: HashSlots): Long =
    Math.multiplyHigh(home, capacity) match
      case 0 => home * capacity / other.capacity
      case _ => (home.toDouble * capacity / other.capacity).toLong

  /** Where the slot of a home is, in bytes. */
  def offset(home: Long): Long = (home + HashSlots.First) * stride

  /** Where the entry of a key of up to 4 bytes is; the complement of where it would be. */
  def findInt(key: Int, hash: Long): Long =
    var at = offset(home(hash))
    var found = memory.get(Unaligned.int, at)
    while found != key && found != 0 do
      at += stride
      found = memory.get(Unaligned.int, at)
    if found == key then at else ~at

  /** As `findInt`, of a key of up to 8 bytes. */
  def findLong(key: Long, hash: Long): Long =
    var at = offset(home(hash))
    var found = memory.get(Unaligned.long, at)
    while found != key && found != 0 do
      at += stride
      found = memory.get(Unaligned.long, at)
    if found == key then at else ~at

  /** As `findInt`, of the key at an offset of other slots, or of these. */
  def findWords(from: MemorySegment, key: Long, hash: Long): Long =
    var at = offset(home(hash))
    while !isFree(at) && !isSame(from, key, at) do at += stride
    if isFree(at) then ~at else at

  /** Where a key that is in these slots is not, but may be put. */
  def free(hash: Long): Long =
    var at = offset(home(hash))
    while !isFree(at) do at += stride
    at

  private def isSame(from: MemorySegment, key: Long, at: Long): Boolean =
    var k = 0
    while k < keyBytes && from.get(Unaligned.long, key + k) == memory.get(Unaligned.long, at + k)
    do k += 8
    k >= keyBytes

  /** The first entry from an offset on, or -1. */
  def used(from: Long): Long =
    var at = from
    val last = end.min(ready)
    while at < last && isFree(at) do at += stride
    if at < last then at else -1

  def isFree(at: Long): Boolean = keyBytes match
    case 4 => memory.get(Unaligned.int, at) == 0
    case 8 => memory.get(Unaligned.long, at) == 0
    case _ =>
      var k = 0
      while k < keyBytes && memory.get(Unaligned.long, at + k) == 0 do k += 8
      k >= keyBytes

  def hashAt(at: Long): Long = hashOf(memory, at)

  /** The hash of a key wherever it is. */
  def hashOf(from: MemorySegment, at: Long): Long = keyBytes match
    case 4 => hash(from.get(Unaligned.int, at) & 0xffffffffL)
    case 8 => hash(from.get(Unaligned.long, at))
    case _ => hash(from, at, keyBytes)

  /** Copies an entry. */
  def copy(from: MemorySegment, source: Long, target: Long): Unit =
    if stride == 16 then
      memory.set(Unaligned.long, target, from.get(Unaligned.long, source))
      memory.set(Unaligned.long, target + 8, from.get(Unaligned.long, source + 8))
    else MemorySegment.copy(from, source, memory, target, stride)

  /** Frees the slot of an entry, and moves back what follows it and is not at its home: no mark is
    * left (D. Knuth, The Art of Computer Programming 3, 6.4, algorithm R).
    */
  def remove(entry: Long): Unit =
    var hole = entry
    var next = entry + stride
    while !isFree(next) do
      if offset(home(hashAt(next))) <= hole then
        copy(memory, next, hole)
        hole = next
      next += stride
    clear(hole)

  // By words: a slice to be filled is an object where the compiler does not see through it.
  def clear(at: Long): Unit =
    var k = 0L
    while k + 8 <= stride do
      memory.set(Unaligned.long, at + k, 0L)
      k += 8
    if k < stride then memory.set(Unaligned.int, at + k, 0)

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
end HashSlots

/** What spreads keys: the 128-bit product of key and a secret, its halves folded into one word, as
  * in wyhash (Wang Yi, https://github.com/wangyi-fudan/wyhash). The secrets are random for each
  * map: who does not know them cannot choose keys that meet in one place. It is not a cryptographic
  * hash, and no defence against one who measures the time of each operation.
  */
private[struct] final class HashFunction(first: Long, second: Long):

  def apply(word: Long): Long = HashFunction.folded(word ^ first, second)

  def apply(memory: MemorySegment, at: Long, bytes: Int): Long =
    var hash = first
    var k = 0
    while k < bytes do
      hash = HashFunction.folded(hash ^ memory.get(Unaligned.long, at + k), second)
      k += 8
    hash
end HashFunction

private[struct] object HashFunction:

  def random(): HashFunction =
    val random = java.util.concurrent.ThreadLocalRandom.current.nn
    HashFunction(random.nextLong(), random.nextLong() | 1)

  private def folded(a: Long, b: Long): Long = Math.unsignedMultiplyHigh(a, b) ^ (a * b)
end HashFunction
