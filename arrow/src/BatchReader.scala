package undercroft.arrow

import undercroft.file.ColumnKind

/** A record batch with a reader for each column of a table. */
private[arrow] final class BatchReader private (val rows: Long, readers: Vector[ColumnReader]):

  /** Stores all rows in a table, starting at its row `at`. */
  def store(target: TableWriter, at: Long): Unit =
    var from = 0L
    while from < rows do
      val count = Math.min(BatchReader.ChunkRows, rows - from).toInt
      val chunk = Chunk(from, at + from, count)
      readers.foreach(_.store(target, chunk, BatchReader.Everything))
      from += count
end BatchReader

private[arrow] object BatchReader:
  /** Rows that are read at a time. A multiple of 8, so that bitmaps are read in whole bytes. */
  private inline val ChunkRows = 4096

  /** A mask without nulls. */
  private val Everything = Array.fill(ChunkRows)(true)

  /** Binds the columns of a table to the fields of a batch, by name. All errors except invalid
    * values are reported here.
    */
  def of(
      input: FileInput,
      content: FileContent,
      columns: Vector[ColumnKind],
      head: BatchHeader
  ): BatchReader =
    val fields = FieldBuffers.all(input, content.fields, head)
    val readers = ColumnReaders(input, content, head).all(columns, fields, head.rows, "")
    BatchReader(head.rows, readers)
end BatchReader
