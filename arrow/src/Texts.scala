package undercroft.arrow

import java.nio.{ByteBuffer, ByteOrder}

/** The texts of a field, as they are in the file. For one thread. */
private[arrow] trait Texts:
  /** The bytes of the text that [[each]] is at. */
  def bytes: Array[Byte]

  /** Calls `step`, for each of the rows that is there, with its number from 0 on, the place of its
    * text in the file and its length. The bytes are read of those that are no longer than `most`.
    */
  def each(from: Long, count: Int, most: Int, there: Array[Boolean])(
      step: (Int, Long, Int) => Unit
  ): Unit
end Texts

private[arrow] object Texts:

  def of(input: Input, field: Located): Texts = field.field.tpe match
    case InType.Utf8(offsetBytes) => Offsets(input, field, offsetBytes)
    case _                        => Views(input, field)

  private def little(bytes: Array[Byte]): ByteBuffer =
    ByteBuffer.wrap(bytes).nn.order(ByteOrder.LITTLE_ENDIAN).nn

  /** Texts one behind the other, and offsets that say where each ends. */
  private final class Offsets(input: Input, field: Located, width: Int) extends Texts:
    private val offsets = field.buffers(1)
    private val data = field.buffers(2)
    private var text = new Array[Byte](0)
    private var kept = new Array[Byte](0)

    // No offsets at all are allowed where there are no rows.
    if field.rows > 0 && (offsets.bytes / width) <= field.rows then
      throw input.damaged(
        offsets.at,
        s"`${field.field.name}` has ${offsets.bytes} bytes of offsets for ${field.rows} rows"
      )

    def bytes: Array[Byte] = text

    def each(from: Long, count: Int, most: Int, there: Array[Boolean])(
        step: (Int, Long, Int) => Unit
    ): Unit =
      val ends = little(input.bytes(offsets.at + from * width, (count + 1) * width))
      def end(i: Int): Long = if width == 4 then ends.getInt(4 * i) else ends.getLong(8 * i)
      for i <- 0 until count do
        if end(i) < 0 || end(i) > end(i + 1) || end(i + 1) > data.bytes then
          throw input.damaged(
            offsets.at + (from + i) * width,
            s"a text from ${end(i)} to ${end(i + 1)} of ${data.bytes} bytes"
          )
      if text.length < most then text = new Array[Byte](most)
      val all = end(count) - end(0)
      val together = all <= Together
      if together then
        if kept.length < all then kept = new Array[Byte](all.toInt)
        input.read(data.at + end(0), kept, all.toInt)
      for i <- 0 until count if there(i) do
        val (at, length) = (data.at + end(i), end(i + 1) - end(i))
        if length <= most then
          if together then
            System.arraycopy(kept, (end(i) - end(0)).toInt, text, 0, length.toInt)
          else input.read(at, text, length.toInt)
        step(i, at, Math.min(length, Int.MaxValue).toInt)
    end each
  end Offsets

  /** Texts of up to 12 bytes in their row, others in one of several buffers. */
  private final class Views(input: Input, field: Located) extends Texts:
    private val views = field.buffers(1)
    private var text = new Array[Byte](Inlined)

    if views.bytes / ViewBytes < field.rows then
      throw input.damaged(
        views.at,
        s"`${field.field.name}` has ${views.bytes} bytes of views for ${field.rows} rows"
      )

    def bytes: Array[Byte] = text

    def each(from: Long, count: Int, most: Int, there: Array[Boolean])(
        step: (Int, Long, Int) => Unit
    ): Unit =
      if text.length < most then text = new Array[Byte](most)
      val all = input.bytes(views.at + from * ViewBytes, count * ViewBytes)
      val numbers = little(all)
      for i <- 0 until count if there(i) do
        val place = views.at + (from + i) * ViewBytes
        val length = numbers.getInt(i * ViewBytes)
        if length < 0 then throw input.damaged(place, s"a text of $length bytes")
        if length <= Inlined then
          System.arraycopy(all, i * ViewBytes + 4, text, 0, length)
          step(i, place, length)
        else
          val (number, start) =
            (numbers.getInt(i * ViewBytes + 8), numbers.getInt(i * ViewBytes + 12))
          if number < 0 || number >= field.views.size then
            throw input.damaged(place, s"buffer $number of ${field.views.size}")
          val buffer = field.views(number)
          if start < 0 || start + length.toLong > buffer.bytes then
            throw input.damaged(place, s"$length bytes from $start of ${buffer.bytes}")
          if length <= most then input.read(buffer.at + start, text, length)
          step(i, buffer.at + start, length)
    end each
  end Views

  /** Bytes of texts that are read at once, at the most. */
  private inline val Together = 32 << 20

  /** Bytes of a view, and of a text in it. */
  private inline val ViewBytes = 16
  private inline val Inlined = 12
end Texts

/** The values of a dictionary. */
private[arrow] object Dictionary:
  /** How many there may be, and how long each: they are kept on the heap. */
  private inline val MostValues = 1 << 16
  private inline val LongestValue = 1 << 12

  def values(input: Input, field: InField, head: Head, path: String): Vector[Option[String]] =
    val place = Located.all(input, Vector(field.copy(dictionary = None)), head).head
    field.tpe match
      case InType.Utf8(_) | InType.Utf8View => ()
      case other =>
        throw input.fault(
          head.at,
          ArrowFault.WrongSchema,
          s"`$path` has a dictionary of ${other.show}, and not of text"
        )
    if place.rows != head.rows then
      throw input.damaged(head.at, s"a dictionary of ${head.rows} and ${place.rows} values")
    if place.rows > MostValues then
      throw input.fault(
        head.at,
        ArrowFault.Unsupported,
        s"`$path` has a dictionary of ${place.rows} values, and $MostValues are the most"
      )
    val texts = Texts.of(input, place)
    val count = place.rows.toInt
    val there = Bitmap.of(input, place).of(Chunk(0, 0, count), Array.fill(count)(true))
    val found = Array.fill[Option[String]](count)(None)
    texts.each(0, count, LongestValue, there): (i, at, length) =>
      if length > LongestValue then
        throw input.fault(at, ArrowFault.Unsupported, s"a value of $length bytes in a dictionary")
      found(i) = Some(String(texts.bytes, 0, length, "UTF-8"))
    found.toVector
  end values
end Dictionary
