package undercroft.struct

import undercroft.memory.Cage
import undercroft.struct.internal.Unaligned

/** What spreads keys: the 128-bit product of key and a secret, its halves folded into one word, as
  * in wyhash (Wang Yi, https://github.com/wangyi-fudan/wyhash). The secrets are random for each
  * map: who does not know them cannot choose keys that meet in one place. It is not a cryptographic
  * hash, and no defence against one who measures the time of each operation.
  */
private[struct] final class HashFunction(first: Long, second: Long):

  def apply(word: Long): Long = HashFunction.folded(word ^ first, second)

  /** Of the bytes at a place of [[Cage.open]], a multiple of 8. */
  def apply(place: Long, bytes: Int): Long =
    var hash = first
    var k = 0
    while k < bytes do
      val word = Cage.open.get(Unaligned.long, Cage.within(place + k))
      hash = HashFunction.folded(hash ^ word, second)
      k += 8
    hash
end HashFunction

private[struct] object HashFunction:

  def random(): HashFunction =
    val random = java.util.concurrent.ThreadLocalRandom.current.nn
    HashFunction(random.nextLong(), random.nextLong() | 1)

  private def folded(a: Long, b: Long): Long = Math.unsignedMultiplyHigh(a, b) ^ (a * b)
end HashFunction
