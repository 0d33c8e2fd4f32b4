package undercroft.arrow
package internal.ipc

import internal.io.FileInput
import internal.schema.{ArrowType, TextualType}

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

  /** Strings stored contiguously, with a buffer of offsets. */
  private final class Offsets(input: FileInput, field: FieldBuffers, width: Int)
      extends TextBuffers:
    private val data = field.buffers(2)
    private val ends = RangeOffsets(input, field, width, data.bytes, "a string", "bytes")
    private var text = new Array[Byte](0)
    private var content = new Array[Byte](0)

    def bytes: Array[Byte] = text

    def each(from: Long, count: Int, maxBytes: Int, there: Array[Boolean])(
        step: (Int, Long, Int) => Unit
    ): Unit =
      ends.load(from, count)
      if text.length < maxBytes then text = new Array[Byte](maxBytes)
      val total = ends.start(count) - ends.start(0)
      val together = maxBytes > 0 && total <= Together
      if together then
        if content.length < total then content = new Array[Byte](total.toInt)
        input.read(data.at + ends.start(0), content, total.toInt)
      for i <- 0 until count if there(i) do
        val (at, length) = (data.at + ends.start(i), ends.length(i))
        if length <= maxBytes then
          if together then
            System.arraycopy(content, (ends.start(i) - ends.start(0)).toInt, text, 0, length.toInt)
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
