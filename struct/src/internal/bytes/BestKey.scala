package undercroft.struct
package internal.bytes

import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary

/** The smallest or the largest key of a loop so far, for keys longer than one word. A key is a
  * sequence of words whose unsigned order is the order of the keys. For one thread.
  *
  * Each key is compared word by word as it is added. Once a word is better than the best key's, it
  * and the words after it replace those.
  *
  * @param words
  *   words of a key
  */
final class BestKey @publicInBinary private[struct] (
    words: Int,
    isLargest: Boolean
):
  private val best = new Array[Long](words)

  /** Whether no key was added. */
  @publicInBinary private[struct] var isEmpty: Boolean = true
  private var position = 0

  /** More than 0 if the current key is better so far, less than 0 if it is not. */
  private var order = 0

  /** Begins the next key. The first key is better than none. */
  @publicInBinary private[struct] def begin(): Unit =
    position = 0
    order = if isEmpty then 1 else 0
    isEmpty = false

  /** Whether the current key is better than all before. */
  @publicInBinary private[struct] def isBetter: Boolean = order > 0

  /** Adds the next word of the current key. */
  @publicInBinary private[struct] def add(word: Long): Unit =
    if order == 0 then
      val natural = java.lang.Long.compareUnsigned(word, best(position))
      order = if isLargest then natural else -natural
    if order > 0 then best(position) = word
    position += 1

  /** Adds a text in a field of `bytes` bytes. */
  @publicInBinary private[struct] def add(
      memory: MemorySegment,
      at: Long,
      bytes: Int,
      descends: Boolean
  ): Unit =
    addWords(bytes, descends)(index => FixedText.word(memory, at, bytes, index))

  /** Adds a text of at most `bytes` bytes. */
  @publicInBinary private[struct] def add(text: String, bytes: Int, descends: Boolean): Unit =
    addWords(bytes, descends)(index => FixedText.word(text, index))

  /** Adds words while they can decide: a word that ends with a zero is the last of a text. */
  private inline def addWords(bytes: Int, descends: Boolean)(inline wordAt: Int => Long): Unit =
    val end = position + BestKey.words(bytes)
    var index = 0
    var isDecided = order < 0
    while position < end && !isDecided do
      val word = wordAt(index)
      add(if descends then ~word else word)
      isDecided = order < 0 || (order == 0 && (word & 0xff) == 0)
      index += 1
    position = end
end BestKey

private[struct] object BestKey:
  /** The words of a value of `bytes` bytes. */
  def words(bytes: Int): Int = Math.ceilDiv(bytes, 8)
