package undercroft.arrow
package internal.ipc

import internal.io.FileInput
import internal.rows.Chunk
import internal.schema.ArrowType

/** The validity bitmap of a field, one bit per row. Without a buffer all rows are valid, or none of
  * a field of nulls alone. A row that refers to a null of a dictionary is not valid, either.
  */
private[arrow] final class ValidityBitmap private (
    input: FileInput,
    buffer: Option[FileRange],
    isNull: Boolean,
    keys: Option[(DictionaryIndices, Vector[Option[String]])]
):

  /** Whether the field may contain nulls. */
  def isPartial: Boolean = isNull || buffer.isDefined || keys.isDefined

  /** The position of the bitmap in the file, or 0 without one. */
  def at: Long = buffer.fold(0L)(_.at)

  /** The valid rows of a chunk: those set in this bitmap and in the mask of the enclosing field. */
  def of(chunk: Chunk, around: Array[Boolean]): Array[Boolean] =
    if isNull then new Array[Boolean](chunk.count)
    else
      val valid = buffer.fold(around): extent =>
        val bits = new Array[Byte](chunk.count)
        ValidityBitmap.unpack(input, extent, chunk.from, bits)
        Array.tabulate(chunk.count)(i => around(i) && bits(i) != 0)
      keys.fold(valid): (indices, values) =>
        indices.load(chunk.from, chunk.count)
        def isNullKey(key: Long) = key >= 0 && key < values.size && values(key.toInt).isEmpty
        Array.tabulate(chunk.count)(i => valid(i) && !isNullKey(indices(i)))
end ValidityBitmap

private[arrow] object ValidityBitmap:
  def of(input: FileInput, field: FieldBuffers): ValidityBitmap =
    ValidityBitmap(input, field.validity, field.field.tpe == ArrowType.Null, None)

  /** The validity of a field with a dictionary of these values. */
  def of(
      input: FileInput,
      field: FieldBuffers,
      values: Vector[Option[String]]
  ): ValidityBitmap =
    val keys = Option.when(values.contains(None))((DictionaryIndices(input, field), values))
    ValidityBitmap(input, field.validity, isNull = false, keys)

  /** Unpacks bits from bit `from` on into bytes of value 0 or 1, one for each byte of `into`. */
  def unpack(input: FileInput, buffer: FileRange, from: Long, into: Array[Byte]): Unit =
    if into.length > 0 then
      val first = from / 8
      val last = (from + into.length - 1) / 8
      val bytes = input.bytes(buffer.at + first, (last - first + 1).toInt)
      for i <- into.indices do
        val bit = (from + i - first * 8).toInt
        into(i) = (bytes(bit / 8) >>> bit % 8 & 1).toByte
end ValidityBitmap
