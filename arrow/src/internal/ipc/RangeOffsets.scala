package undercroft.arrow
package internal.ipc

import internal.io.FileInput
import java.nio.ByteBuffer

/** The offsets of values or lists in their buffer or their elements. Confined to one thread.
  *
  * @param limit
  *   the size of the buffer, or the number of the elements
  */
private[arrow] final class RangeOffsets(
    input: FileInput,
    field: FieldBuffers,
    width: Int,
    limit: Long,
    part: String,
    unit: String
):
  private val offsets = field.buffers(1)
  private var first = 0L
  private var ends = ByteBuffer.allocate(0).nn

  // The offsets buffer may be empty if there are no rows.
  if field.rows > 0 && offsets.bytes / width <= field.rows then
    throw input.corrupt(
      offsets.at,
      s"`${field.field.name}` has ${offsets.bytes} bytes of offsets for ${field.rows} rows"
    )

  /** Loads the offsets of a chunk, and checks them. */
  def load(from: Long, count: Int): Unit =
    first = from
    ends = input.numbers(at(0), (count + 1) * width)
    for i <- 0 until count do
      if start(i) < 0 || start(i) > start(i + 1) || start(i + 1) > limit then
        throw input.corrupt(
          at(i),
          s"$part of `${field.field.name}` at [${start(i)}, ${start(i + 1)}) is outside its " +
            s"$limit $unit"
        )

  /** The start of range `i` of the chunk. */
  def start(i: Int): Long = if width == 4 then ends.getInt(4 * i) else ends.getLong(8 * i)
  def length(i: Int): Long = start(i + 1) - start(i)

  /** The position of the offset in the file. */
  def at(i: Int): Long = offsets.at + (first + i) * width
end RangeOffsets
