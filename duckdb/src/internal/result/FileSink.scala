package undercroft.duckdb
package internal.result

import undercroft.file.FieldSlices

/** Stores the rows of a result in the rows of a struct file that is being written, whose fields
  * [[ResultMeasure]] has found. A value that a field does not have is a RefusedValueException.
  *
  * @param step
  *   called with the number of rows of each chunk, on DuckDB's thread
  */
private[undercroft] final class FileSink(slices: FieldSlices, step: Long => Unit)
    extends ResultSink:
  private val readers =
    slices.columns.map(column => VectorReader.of(column, column.name, isConverted = true))
  private var rows = 0L

  private[undercroft] def begin(fields: Vector[ResultField]): Unit = rows = 0

  private[undercroft] def add(vectors: Vector[ResultVector], count: Int): Unit =
    if count > slices.rows - rows then throw changed(s"more than ${slices.rows}")
    val target = ResultSlots.Rows(slices, rows)
    val range = ReadRange(rows, count, null, null)
    var i = 0
    while i < readers.length do
      readers(i).store(vectors(i), range, target)
      i += 1
    rows += count
    step(count)

  private[undercroft] def addTexts(rows: Vector[Vector[String]]): Unit = ()

  /** Throws if the result had fewer rows than the file. */
  def confirm(): Unit = if rows != slices.rows then throw changed(rows.toString)

  private def changed(found: String) =
    IllegalStateException(
      s"the source must have the same rows in both passes; it had ${slices.rows}, then $found"
    )
end FileSink
