package undercroft.structfile

import java.lang.foreign.{MemorySegment, ValueLayout}
import java.nio.charset.StandardCharsets.UTF_8

/** The texts of a field, one after the other, as bytes of UTF-8 that others may rely on: what is no
  * UTF-8 becomes what Scala reads in its place. For one thread.
  */
private[undercroft] final class TextLane(memory: MemorySegment, start: Long, step: Long, size: Int):
  private var buffer = new Array[Byte](size)

  /** The bytes of what was loaded last. */
  def bytes: Array[Byte] = buffer

  /** Loads all bytes of a row, which may be no text; how many they are. */
  def loadBytes(row: Long): Int =
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, start + row * step, buffer, 0, size)
    size

  /** Loads the text of a row; how many bytes it has. */
  def load(row: Long): Int =
    val _ = loadBytes(row)
    var length = 0
    var all = 0
    while length < size && buffer(length) != 0 do
      all |= buffer(length)
      length += 1
    if all >= 0 then length else checked(length)

  private def checked(length: Int): Int =
    val text = String(buffer, 0, length, UTF_8)
    val encoded = text.getBytes(UTF_8).nn
    if encoded.length > buffer.length then buffer = new Array[Byte](encoded.length)
    System.arraycopy(encoded, 0, buffer, 0, encoded.length)
    encoded.length
end TextLane

private[undercroft] object TextLane:
  /** How many bytes stand for a byte that is no UTF-8: those of U+FFFD. */
  final val Replaced = 3
