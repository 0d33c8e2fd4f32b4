package undercroft.struct
package internal.hash

import internal.bytes.ValueLayouts
import scala.annotation.publicInBinary
import undercroft.memory.internal.cage.Cage

/** The seeded hash of keys: the 128-bit product of key and a secret, its halves folded into one
  * word, as in wyhash (Wang Yi, https://github.com/wangyi-fudan/wyhash). The secrets are random for
  * each map, as a defence against hash flooding: without them an attacker cannot choose colliding
  * keys. It is not a cryptographic hash, and no defence against an attacker who measures the time
  * of each operation.
  */
private[struct] final class HashFunction(val first: Long, val second: Long):

  def apply(word: Long): Long = HashFunction.folded(word ^ first, second)

  /** The hash of two words, by one product of both. */
  def pair(low: Long, high: Long): Long = HashFunction.folded(low ^ first, high ^ second)

  /** The hash of `bytes` bytes, a multiple of 8 and at least 16, at a place of [[Cage.open]]. Words
    * of zeros at their end do not count, except in the first 16 bytes: the cost of a text is that
    * of its own length, not of its field's.
    */
  def apply(place: Long, bytes: Int): Long =
    var end = bytes
    while end > 16 && word(place + end - 8) == 0 do end -= 8
    var hash = pair(word(place), word(place + 8))
    var k = 16
    while k < end do
      hash = HashFunction.folded(hash ^ word(place + k), second)
      k += 8
    hash

  private def word(place: Long): Long = Cage.open.get(ValueLayouts.long, Cage.within(place))
end HashFunction

@publicInBinary private[struct] object HashFunction:

  def random(): HashFunction =
    val random = java.util.concurrent.ThreadLocalRandom.current.nn
    HashFunction(random.nextLong(), random.nextLong() | 1)

  /** The folded product of `a` and `b`. */
  def folded(a: Long, b: Long): Long = Math.unsignedMultiplyHigh(a, b) ^ (a * b)
end HashFunction
