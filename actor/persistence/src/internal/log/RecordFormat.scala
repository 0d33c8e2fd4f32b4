package undercroft.actor
package persistence
package internal.log

import undercroft.file.FileSchemas
import undercroft.file.format.{Evolution, Schema}
import undercroft.struct.{Shape, Struct}

/** The layout of the records of a log: a header and a value of `A`.
  *
  * {{{
  *   0 id        8 sequence  16 previous  24 check  from 28 on, aligned: the value
  * }}}
  *
  * `check` is the CRC32C of all bytes of the record, with zero in its own place. `previous` is a
  * [[LogPosition]].
  */
private[persistence] final class RecordFormat[A](
    typeName: String,
    fieldName: String,
    val struct: Struct[A]
):
  private val value = Shape.Field(fieldName, struct.shape)

  private val shape: Shape =
    val long = Shape.Primitive(Shape.Kind.Long)
    val header = List("id", "sequence", "previous").map(Shape.Field(_, long))
    Shape.Record(
      typeName,
      header :+ Shape.Field("check", Shape.Primitive(Shape.Kind.Int)) :+ value
    )

  val schema: Schema = FileSchemas.aligned(shape, struct, fieldName)

  /** The former names and the default values of the fields. */
  val evolution: Evolution = FileSchemas.alignedEvolution(struct, fieldName)

  /** The bytes of a record. */
  val stride: Int = shape.alignedSize

  /** The offset of the value. */
  val valueOffset: Int = value.start(RecordFormat.HeaderBytes)

  val alignment: Int = shape.alignment
end RecordFormat

private[persistence] object RecordFormat:
  final val Id = 0L
  final val Sequence = 8L
  final val Previous = 16L
  final val Check = 24L
  final val HeaderBytes = 28

/** The place of a record in a log: the number of its segment and its row there. 0 is no place. */
private[persistence] object LogPosition:
  final val None = 0L

  def apply(segment: Int, row: Long): Long = segment.toLong << 32 | row
  def segment(position: Long): Int = (position >>> 32).toInt
  def row(position: Long): Long = position & 0xffffffffL
