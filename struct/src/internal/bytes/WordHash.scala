package undercroft.struct
package internal.bytes

import java.lang.Long.rotateLeft
import java.lang.foreign.MemorySegment

/** Hashes of bytes by words, with few dependencies between the words. */
private[struct] object WordHash:

  /** A hash of bytes that continues the hash of earlier bytes: four lanes of multiplications, then
    * the remaining bytes.
    */
  def hash(segment: MemorySegment, from: Long, bytes: Long, seed: Long): Long =
    var hash = seed
    var at = 0L
    if bytes >= 32 then
      var (a, b, c, d) = (seed, ~seed, rotateLeft(seed, 21), rotateLeft(~seed, 42))
      while at + 32 <= bytes do
        a = step(a, segment.get(ValueLayouts.long, from + at))
        b = step(b, segment.get(ValueLayouts.long, from + at + 8))
        c = step(c, segment.get(ValueLayouts.long, from + at + 16))
        d = step(d, segment.get(ValueLayouts.long, from + at + 24))
        at += 32
      hash = step(step(step(a, b), c), d)
    while bytes - at >= 8 do
      hash = step(hash, segment.get(ValueLayouts.long, from + at))
      at += 8
    if bytes - at >= 4 then
      hash = step(hash, segment.get(ValueLayouts.int, from + at) & 0xffffffffL)
      at += 4
    while at < bytes do
      hash = step(hash, segment.get(ValueLayouts.byte, from + at) & 0xffL)
      at += 1
    hash
  end hash

  /** The hash after one more word. */
  def step(hash: Long, word: Long): Long = rotateLeft((hash ^ word) * Factor, 31)

  /** A hash reduced to 32 bits. */
  def folded(hash: Long): Int = (hash ^ (hash >>> 32)).toInt

  /** The initial hash. */
  inline val Seed = 0x9e3779b97f4a7c15L

  private inline val Factor = 0xff51afd7ed558ccdL // from the final step of MurmurHash3 (A. Appleby)
end WordHash
