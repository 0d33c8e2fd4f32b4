package undercroft.arrow

import undercroft.structfile.Column

/** A record batch, with a reader for each column of a table. */
private[arrow] final class Batch private (val rows: Long, readers: Vector[Reader]):

  /** Stores all rows in a table, from its row `at` on. */
  def store(target: Target, at: Long): Unit =
    var from = 0L
    while from < rows do
      val count = Math.min(Batch.ChunkRows, rows - from).toInt
      val chunk = Chunk(from, at + from, count)
      readers.foreach(_.store(target, chunk, Batch.Everything))
      from += count
end Batch

/** Some rows of a batch, and where they go in the table. */
private[arrow] final case class Chunk(from: Long, to: Long, count: Int)

private[arrow] object Batch:
  /** Rows that are read at once: a multiple of 8, for bitmaps. */
  private inline val ChunkRows = 4096

  /** Nothing is missing. */
  private val Everything = Array.fill(ChunkRows)(true)

  /** The columns of a batch, found by name. Everything that can be wrong with it but its values is
    * found here.
    */
  def of(input: Input, content: Content, columns: Vector[Column], head: Head): Batch =
    val all = Located.all(input, content.fields, head)
    val readers = Readers(input, content, head).all(columns, all, head.rows, "")
    Batch(head.rows, readers)
end Batch
