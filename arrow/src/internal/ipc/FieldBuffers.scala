package undercroft.arrow
package internal.ipc

import internal.io.FileInput
import internal.schema.{ArrowField, ArrowType}

/** A field with its share of a batch: its node, its buffers, and the variadic buffers of its views.
  */
private[arrow] final case class FieldBuffers(
    field: ArrowField,
    rows: Long,
    nulls: Long,
    buffers: Vector[FileRange],
    views: Vector[FileRange],
    children: Vector[FieldBuffers]
):
  /** The validity bitmap, unless all rows are valid. */
  def validity: Option[FileRange] = buffers.headOption.filter(_.bytes > 0 && nulls != 0)

  /** Whether a row is null. */
  def hasNulls: Boolean = nulls > 0 || (field.tpe == ArrowType.Null && rows > 0)

  /** A buffer; throws if it has fewer than `needed` bytes. */
  def sized(input: FileInput, index: Int, needed: Long): FileRange =
    val buffer = buffers(index)
    if buffer.bytes < needed then
      throw input.corrupt(
        buffer.at,
        s"`${field.name}` has ${buffer.bytes} bytes for $rows rows, which need $needed"
      )
    buffer

  /** The buffer of values of `size` bytes, one for each row. */
  def values(input: FileInput, size: Int): FileRange =
    if rows > Long.MaxValue / size then
      throw input.corrupt(buffers(1).at, s"$rows rows of $size bytes exceed ${Long.MaxValue} bytes")
    sized(input, 1, rows * size)
end FieldBuffers

private[arrow] object FieldBuffers:

  /** All fields of a batch. Its nodes and buffers are listed in the depth-first order of the
    * fields.
    */
  def all(input: FileInput, fields: Vector[ArrowField], head: BatchHeader): Vector[FieldBuffers] =
    Cursor(input, head).all(fields)

  private final class Cursor(input: FileInput, head: BatchHeader):
    private var node = 0
    private var buffer = 0
    private var variadic = 0

    def all(fields: Vector[ArrowField]): Vector[FieldBuffers] = fields.map(one)

    private def one(field: ArrowField): FieldBuffers =
      if node >= head.nodes.size then throw missing(field, "node")
      val (rows, nulls) = head.nodes(node)
      node += 1
      // The buffers of a field with a dictionary contain indices; the values are in another batch.
      val (ranges, views) = field.dictionary match
        case Some(_) => (buffers(field, 2), Vector())
        case None =>
          val bitmaps = field.tpe match
            case ArrowType.Union(_) if head.hasUnionBitmaps => 1
            case _                                          => 0
          val ranges = buffers(field, bitmaps + field.tpe.bufferCount)
          (ranges, if field.tpe.hasViews then buffers(field, viewed(field)) else Vector())
      val children = if field.dictionary.isDefined then Vector() else all(field.children)
      if rows < 0 || nulls < 0 || nulls > rows then
        throw input.corrupt(head.at, s"`${field.name}` has $rows rows and $nulls nulls")
      if nulls > 0 then
        for bitmap <- ranges.headOption if bitmap.bytes < Math.ceilDiv(rows, 8L) do
          throw input.corrupt(
            bitmap.at,
            s"`${field.name}` has $nulls nulls in $rows rows and a bitmap of ${bitmap.bytes} bytes"
          )
      FieldBuffers(field, rows, nulls, ranges, views, children)
    end one

    private def buffers(field: ArrowField, count: Int): Vector[FileRange] =
      if count > head.buffers.size - buffer then throw missing(field, "buffer")
      val ranges = head.buffers.slice(buffer, buffer + count)
      buffer += count
      ranges

    private def viewed(field: ArrowField): Int =
      if variadic >= head.variadic.size then throw missing(field, "count of buffers")
      val count = head.variadic(variadic)
      variadic += 1
      if count < 0 || count > head.buffers.size then
        throw input.corrupt(head.at, s"`${field.name}` has an invalid number of buffers: $count")
      count.toInt

    private def missing(field: ArrowField, part: String): ArrowException =
      input.corrupt(head.at, s"a batch lacks a $part of `${field.name}`")
  end Cursor
end FieldBuffers
