package undercroft.arrow
package internal.ipc

import internal.io.FileInput
import internal.schema.TextualType
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.ByteBuffer
import java.time.DateTimeException

/** The values of a field of a [[TextualType]]. Confined to one thread. */
private[arrow] final class TextualValues private (
    input: FileInput,
    field: FieldBuffers,
    val kind: TextualType
):
  private val buffer = field.values(input, kind.size)

  /** Calls `step` for each valid row with its index from 0, the position of its value in the file,
    * and a buffer with the index of the value in it.
    */
  def each(from: Long, count: Int, there: Array[Boolean])(
      step: (Int, Long, ByteBuffer, Int) => Unit
  ): Unit =
    val start = buffer.at + from * kind.size
    val content = input.numbers(start, count * kind.size)
    for i <- 0 until count if there(i) do
      val at = start + i * kind.size
      try step(i, at, content, i * kind.size)
      catch
        case error: DateTimeException =>
          throw input.error(
            at,
            ArrowErrorKind.WrongValue,
            s"a ${kind.show} of `${field.field.name}` is out of range: ${error.getMessage}"
          )
  end each
end TextualValues

private[arrow] object TextualValues:
  /** The values of a field whose type is textual. */
  def of(input: FileInput, field: FieldBuffers): TextualValues =
    val kind = TextualType.of(field.field.tpe)
    TextualValues(input, field, kind.getOrElse(throw IllegalStateException(field.field.show)))

/** The values of a field of a [[TextualType]] as strings. */
private[arrow] final class TextualTexts(values: TextualValues) extends TextBuffers:
  private var text = new Array[Byte](0)
  def bytes: Array[Byte] = text

  def each(from: Long, count: Int, maxBytes: Int, there: Array[Boolean])(
      step: (Int, Long, Int) => Unit
  ): Unit =
    values.each(from, count, there): (i, at, content, index) =>
      text = values.kind.text(content, index).getBytes(UTF_8).nn
      step(i, at, text.length)
end TextualTexts

/** The strings of a field with a dictionary. */
private[arrow] final class DictionaryTexts(
    input: FileInput,
    path: String,
    field: FieldBuffers,
    dictionary: Vector[Option[String]]
) extends TextBuffers:
  private val indices = DictionaryIndices(input, field)
  private lazy val texts = dictionary.map(_.map(_.getBytes(UTF_8).nn))
  private var text = new Array[Byte](0)
  def bytes: Array[Byte] = text

  def each(from: Long, count: Int, maxBytes: Int, there: Array[Boolean])(
      step: (Int, Long, Int) => Unit
  ): Unit =
    indices.load(from, count)
    for i <- 0 until count if there(i) do
      val key = indices(i)
      if key < 0 || key >= texts.length then
        throw wrong(i, s"value $key of a dictionary that has ${texts.length} values")
      text = texts(key.toInt).getOrElse(throw wrong(i, s"value $key of its dictionary, a null"))
      step(i, indices.at(i), text.length)
  end each
  private def wrong(i: Int, reason: String): ArrowException =
    input.error(indices.at(i), ArrowErrorKind.WrongValue, s"a row of `$path` is $reason")
end DictionaryTexts
