package undercroft.cli

import java.lang.foreign.MemorySegment
import undercroft.duckdb.SqlValue
import undercroft.file.format.{Field, FileLayout}

/** The values of a row in a struct file that stores a SQL table: see [[StoredFields]]. */
private[cli] final class StoredRow(
    val fields: Vector[Field],
    val columns: Vector[StoredColumn],
    val stride: Int,
    layout: FileLayout
):
  /** Stores the values of a row whose bytes are all zero. */
  def put(data: MemorySegment, capacity: Long, row: Long, values: Vector[SqlValue]): Unit =
    var i = 0
    while i < columns.size do
      val column = columns(i)
      val offset = place(column.offset, column.stored.size, capacity, row)
      column.put(data, offset, row, values(i))
      i += 1

  private def place(offset: Int, size: Int, capacity: Long, row: Long): Long =
    if layout == FileLayout.COLUMNS then offset * capacity + row * size else row * stride + offset
end StoredRow
