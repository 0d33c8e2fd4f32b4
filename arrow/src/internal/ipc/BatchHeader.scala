package undercroft.arrow
package internal.ipc

import internal.schema.ArrowField

/** A byte range of a file. */
private[arrow] final case class FileRange(at: Long, bytes: Long) derives CanEqual

/** The header of a record batch, checked against the size of the file.
  *
  * @param codec
  *   the name of the codec that compressed the buffers
  * @param dictionaries
  *   the versions of the dictionaries that a record batch refers to, by id
  * @param hasUnionBitmaps
  *   whether a union has a bitmap of its nulls, too, as before version 5 of the metadata
  */
private[arrow] final case class BatchHeader(
    rows: Long,
    nodes: Vector[(Long, Long)],
    buffers: Vector[FileRange],
    variadic: Vector[Long],
    at: Long,
    codec: Option[String],
    dictionaries: Map[Long, DictionaryVersion] = Map(),
    hasUnionBitmaps: Boolean = false
)

private[arrow] object BatchHeader:

  /** A batch of no rows, for fields without dictionaries. */
  def empty(fields: Vector[ArrowField]): BatchHeader =
    val all = fields.flatMap(_.withChildren)
    BatchHeader(
      rows = 0,
      nodes = all.map(_ => (0L, 0L)),
      buffers = Vector.fill(all.map(_.tpe.bufferCount).sum)(FileRange(0, 0)),
      variadic = all.filter(_.tpe.hasViews).map(_ => 0L),
      at = 0,
      codec = None
    )
end BatchHeader

/** A dictionary batch. A delta appends its values to those of its dictionary. */
private[arrow] final case class DictionaryHeader(id: Long, isDelta: Boolean, header: BatchHeader)

/** The values that a dictionary has for a record batch.
  *
  * @param batch
  *   the index of the dictionary batch that has the last values
  * @param previous
  *   the version with the values before them, if that batch is a delta
  */
private[arrow] final class DictionaryVersion(
    val batch: Int,
    val previous: Option[DictionaryVersion]
)
