package undercroft.file

import java.lang.foreign.{MemorySegment, ValueLayout}
import java.nio.charset.StandardCharsets.UTF_8

/** Reads the strings of a field as valid UTF-8; invalid sequences are replaced as Scala's decoder
  * does. Confined to one thread.
  */
private[undercroft] final class TextSlice(
    memory: MemorySegment,
    start: Long,
    step: Long,
    size: Int
):
  private var buffer = new Array[Byte](size)

  /** The bytes of the last loaded string. */
  def bytes: Array[Byte] = buffer

  /** Loads all bytes of a row's field, which need not be text; returns their number. */
  def loadBytes(row: Long): Int =
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, start + row * step, buffer, 0, size)
    size

  /** Loads the string of a row; returns its length in bytes. */
  def load(row: Long): Int =
    val _ = loadBytes(row)
    var length = 0
    var bits = 0
    while length < size && buffer(length) != 0 do
      bits |= buffer(length)
      length += 1
    if bits >= 0 then length else checked(length)

  private def checked(length: Int): Int =
    val text = String(buffer, 0, length, UTF_8)
    val encoded = text.getBytes(UTF_8).nn
    if encoded.length > buffer.length then buffer = new Array[Byte](encoded.length)
    System.arraycopy(encoded, 0, buffer, 0, encoded.length)
    encoded.length
end TextSlice

private[undercroft] object TextSlice:
  /** Bytes of the replacement character U+FFFD in UTF-8, which replaces one invalid byte. */
  final val Replaced = 3
