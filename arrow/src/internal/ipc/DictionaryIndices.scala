package undercroft.arrow
package internal.ipc

import internal.io.FileInput

/** The indices of a field with a dictionary. Confined to one thread. */
private[arrow] final class DictionaryIndices(input: FileInput, field: FieldBuffers):
  private val (size, isSigned) =
    field.field.dictionary.fold((4, true))((_, index) => (index.bits / 8, index.signed))
  private val buffer = field.values(input, size)
  private var start = 0L
  private var bytes = new Array[Byte](0)

  def load(from: Long, count: Int): Unit =
    start = buffer.at + from * size
    bytes = input.bytes(start, count * size)

  /** The position in the file of a loaded index. */
  def at(i: Int): Long = start + i * size

  /** A loaded index. Unsigned indices beyond the range of a Long are negative. */
  def apply(i: Int): Long =
    var key = if isSigned then bytes(i * size + size - 1).toLong >> 7 else 0L
    for k <- size - 1 to 0 by -1 do key = key << 8 | (bytes(i * size + k) & 0xff)
    key
end DictionaryIndices
