package undercroft.arrow
package internal.columns

import internal.io.FileInput
import internal.ipc.{BatchHeader, FieldBuffers, FileContent}
import internal.rows.{Chunk, OutOfLineMemory, TableWriter}
import undercroft.file.ColumnKind

/** Reads the record batches of a file into a table. The constructor reports all errors except
  * invalid values. Confined to one thread.
  */
private[arrow] final class BatchReader(
    input: FileInput,
    content: FileContent,
    columns: Vector[ColumnKind]
):
  // Readers have buffers, so only the readers of the current batch are kept.
  content.batches.foreach(readers(_): Unit)
  // Without a batch the fields are compared by an empty one; a dictionary may be absent then, too.
  if content.batches.isEmpty && !content.fields.exists(_.hasDictionary) then
    readers(BatchHeader.empty(content.fields)): Unit

  /** Rows that are read at a time: a multiple of 8, so that bitmaps are read in whole bytes, unless
    * rows are very long.
    */
  private val chunkRows = BatchReader.chunkRows(columns)

  /** Stores all rows in a table. Calls `step` with the number of rows after each batch. */
  def store(target: TableWriter)(step: Long => Unit): Unit =
    val everything = Array.fill(chunkRows)(true)
    var at = 0L
    for head <- content.batches do
      val columns = readers(head)
      var from = 0L
      while from < head.rows do
        val count = Math.min(chunkRows, head.rows - from).toInt
        val chunk = Chunk.ofRows(from, at + from, count)
        columns.foreach(_.store(target, chunk, everything))
        from += count
      at += head.rows
      step(head.rows)

  /** Binds the columns to the fields of a batch, by name. */
  private def readers(head: BatchHeader): Vector[ColumnReader] =
    val fields = FieldBuffers.all(input, content.fields, head)
    ColumnReaders(input, content, head).all(columns, fields, head.rows, "")
end BatchReader

private[arrow] object BatchReader:
  /** The most rows that are read at a time. */
  private inline val MostRows = 4096

  /** The most bytes of a column that are read at a time, unless a single row has more. */
  private inline val MostBytes = 4 << 20

  /** The rows of a chunk, at least one. */
  def chunkRows(columns: Vector[ColumnKind]): Int =
    val longest = columns.map(BatchReader.longest).maxOption.getOrElse(1)
    val rows = Math.min(MostRows, MostBytes / longest)
    Math.max(1, if rows < 8 then rows else rows / 8 * 8)

  /** The bytes of the longest value of a column. */
  private def longest(column: ColumnKind): Int = column match
    case ColumnKind.Value(_, _, kind, _, _)          => kind.size
    case ColumnKind.Enumerated(_, _, size, _)        => size
    case ColumnKind.Text(_, _, size)                 => size
    case ColumnKind.Opaque(_, _, size)               => size
    case ColumnKind.Items(_, _, dimensions, size, _) => dimensions.product * size
    case ColumnKind.Elements(_, _, kind, dimensions) => dimensions.product * kind.size
    case ColumnKind.Record(_, fields)                => fields.map(longest).maxOption.getOrElse(1)
    case ColumnKind.Optional(_, _, value)            => longest(value)
    case ColumnKind.Logical(_, _, of)                => longest(of)
    case ColumnKind.OutOfLine(_, _, _)               => OutOfLineMemory.FieldBytes
    case ColumnKind.OneOf(_, tag, members) =>
      Math.max(tag.size, members.map(longest).maxOption.getOrElse(1))
end BatchReader
