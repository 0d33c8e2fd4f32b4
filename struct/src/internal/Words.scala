package undercroft.struct.internal

import java.lang.Long.rotateLeft
import java.lang.foreign.MemorySegment

/** Hashes of bytes, by words of which few wait for another. */
private[struct] object Words:

  /** A hash of bytes that goes on from a hash of what came before: four lanes of multiplications,
    * then what is left.
    */
  def hash(segment: MemorySegment, from: Long, bytes: Long, seed: Long): Long =
    var hash = seed
    var at = 0L
    if bytes >= 32 then
      var (a, b, c, d) = (seed, ~seed, rotateLeft(seed, 21), rotateLeft(~seed, 42))
      while at + 32 <= bytes do
        a = step(a, segment.get(Unaligned.long, from + at))
        b = step(b, segment.get(Unaligned.long, from + at + 8))
        c = step(c, segment.get(Unaligned.long, from + at + 16))
        d = step(d, segment.get(Unaligned.long, from + at + 24))
        at += 32
      hash = step(step(step(a, b), c), d)
    while bytes - at >= 8 do
      hash = step(hash, segment.get(Unaligned.long, from + at))
      at += 8
    if bytes - at >= 4 then
      hash = step(hash, segment.get(Unaligned.int, from + at) & 0xffffffffL)
      at += 4
    while at < bytes do
      hash = step(hash, segment.get(Unaligned.byte, from + at) & 0xffL)
      at += 1
    hash
  end hash

  /** A hash that goes on with a word. */
  def step(hash: Long, word: Long): Long = rotateLeft((hash ^ word) * Factor, 31)

  /** A hash in 32 bits. */
  def folded(hash: Long): Int = (hash ^ (hash >>> 32)).toInt

  /** Where a hash begins. */
  inline val Seed = 0x9e3779b97f4a7c15L

  private inline val Factor = 0xff51afd7ed558ccdL // of MurmurHash3's last step (A. Appleby)
end Words
