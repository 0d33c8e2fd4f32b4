package undercroft.arrow
package internal.ipc

import internal.io.FileInput
import internal.schema.{ArrowType, TextualType}
import java.nio.{ByteBuffer, ByteOrder}

/** The strings of a field of a file. Confined to one thread. */
private[arrow] trait TextBuffers:
  /** The bytes of the current string, during [[each]]. */
  def bytes: Array[Byte]

  /** Calls `step` for each valid row with its index from 0, the position of its string in the file
    * and the length in bytes. Only strings of at most `maxBytes` bytes are loaded into [[bytes]].
    */
  def each(from: Long, count: Int, maxBytes: Int, there: Array[Boolean])(
      step: (Int, Long, Int) => Unit
  ): Unit
end TextBuffers

private[arrow] object TextBuffers:

  /** Whether values of a type are strings, or are read as strings. */
  def areIn(tpe: ArrowType): Boolean = tpe match
    case ArrowType.Utf8(_) | ArrowType.Utf8View => true
    case other                                  => TextualType.of(other).isDefined

  /** The strings of a field without a dictionary, whose type has strings. */
  def of(input: FileInput, field: FieldBuffers): TextBuffers = field.field.tpe match
    case ArrowType.Utf8(offsetBytes) => Offsets(input, field, offsetBytes)
    case ArrowType.Utf8View          => Views(input, field)
    case _                           => TextualTexts(TextualValues.of(input, field))

  private def little(bytes: Array[Byte]): ByteBuffer =
    ByteBuffer.wrap(bytes).nn.order(ByteOrder.LITTLE_ENDIAN).nn

  /** Strings stored contiguously, with a buffer of offsets. */
  private final class Offsets(input: FileInput, field: FieldBuffers, width: Int)
      extends TextBuffers:
    private val offsets = field.buffers(1)
    private val data = field.buffers(2)
    private var text = new Array[Byte](0)
    private var content = new Array[Byte](0)

    // The offsets buffer may be empty if there are no rows.
    if field.rows > 0 && (offsets.bytes / width) <= field.rows then
      throw input.corrupt(
        offsets.at,
        s"`${field.field.name}` has ${offsets.bytes} bytes of offsets for ${field.rows} rows"
      )

    def bytes: Array[Byte] = text

    def each(from: Long, count: Int, maxBytes: Int, there: Array[Boolean])(
        step: (Int, Long, Int) => Unit
    ): Unit =
      val ends = little(input.bytes(offsets.at + from * width, (count + 1) * width))
      def end(i: Int): Long = if width == 4 then ends.getInt(4 * i) else ends.getLong(8 * i)
      for i <- 0 until count do
        if end(i) < 0 || end(i) > end(i + 1) || end(i + 1) > data.bytes then
          throw input.corrupt(
            offsets.at + (from + i) * width,
            s"a string at [${end(i)}, ${end(i + 1)}) is outside its buffer of ${data.bytes} bytes"
          )
      if text.length < maxBytes then text = new Array[Byte](maxBytes)
      val total = end(count) - end(0)
      val together = maxBytes > 0 && total <= Together
      if together then
        if content.length < total then content = new Array[Byte](total.toInt)
        input.read(data.at + end(0), content, total.toInt)
      for i <- 0 until count if there(i) do
        val (at, length) = (data.at + end(i), end(i + 1) - end(i))
        if length <= maxBytes then
          if together then
            System.arraycopy(content, (end(i) - end(0)).toInt, text, 0, length.toInt)
          else input.read(at, text, length.toInt)
        step(i, at, Math.min(length, Int.MaxValue).toInt)
    end each
  end Offsets

  /** String views. */
  private final class Views(input: FileInput, field: FieldBuffers) extends TextBuffers:
    private val views = ViewBuffer(input, field)
    private var text = new Array[Byte](ViewBuffer.Inlined)

    def bytes: Array[Byte] = text

    def each(from: Long, count: Int, maxBytes: Int, there: Array[Boolean])(
        step: (Int, Long, Int) => Unit
    ): Unit =
      if text.length < maxBytes then text = new Array[Byte](maxBytes)
      val content = views.load(from, count)
      for i <- 0 until count if there(i) do
        val (at, length) = views.range(from, i)
        if length <= ViewBuffer.Inlined then
          System.arraycopy(content, i * ViewBuffer.ViewBytes + 4, text, 0, length)
        else if length <= maxBytes then input.read(at, text, length)
        step(i, at, length)
  end Views

  /** The most bytes of strings that are read in one call. */
  private inline val Together = 32 << 20
end TextBuffers
