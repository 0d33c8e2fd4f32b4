package undercroft.arrow
package internal.ipc

import internal.io.FileInput
import java.nio.ByteBuffer

/** The views of a field: up to 12 bytes are stored inline, longer values in one of several buffers.
  * Confined to one thread.
  */
private[arrow] final class ViewBuffer(input: FileInput, field: FieldBuffers):
  import ViewBuffer.*

  private val views = field.buffers(1)
  private var numbers = ByteBuffer.allocate(0).nn

  if views.bytes / ViewBytes < field.rows then
    throw input.corrupt(
      views.at,
      s"`${field.field.name}` has ${views.bytes} bytes of views for ${field.rows} rows"
    )

  /** Loads and returns the views of a chunk. */
  def load(from: Long, count: Int): Array[Byte] =
    val content = input.bytes(views.at + from * ViewBytes, count * ViewBytes)
    numbers = FileInput.numbers(content)
    content

  /** The position in the file and the length of value `i` of the chunk that starts at row `from`,
    * after a check that it is in its buffer. A value that is stored inline is 4 bytes behind the
    * start of its view.
    */
  def range(from: Long, i: Int): (Long, Int) =
    val place = views.at + (from + i) * ViewBytes
    val length = numbers.getInt(i * ViewBytes)
    if length < 0 then throw input.corrupt(place, s"a string has $length bytes")
    if length <= Inlined then (place + 4, length)
    else
      val (number, start) = (numbers.getInt(i * ViewBytes + 8), numbers.getInt(i * ViewBytes + 12))
      if number < 0 || number >= field.views.size then
        throw input.corrupt(
          place,
          s"a string is in buffer $number, but there are ${field.views.size} buffers"
        )
      val buffer = field.views(number)
      if start < 0 || start + length.toLong > buffer.bytes then
        throw input.corrupt(
          place,
          s"a string of $length bytes at $start is outside its buffer of ${buffer.bytes} bytes"
        )
      (buffer.at + start, length)
  end range
end ViewBuffer

private[arrow] object ViewBuffer:
  /** Bytes of a view, and the most bytes of a value stored inside it. */
  inline val ViewBytes = 16
  inline val Inlined = 12
