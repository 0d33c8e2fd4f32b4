package undercroft.duckdb
package internal.result

/** The rows of a result on the heap.
  *
  * @param maxRows
  *   the most rows; more throw IllegalStateException
  */
private[duckdb] final class HeapResult(maxRows: Int) extends ResultSink:
  private var names = Vector[String]()
  private var columns = Vector[ResultColumn]()
  private var size = 0L

  def result: QueryResult = new QueryResult(names, columns, size.toInt)

  private[undercroft] def begin(fields: Vector[ResultField]): Unit =
    names = fields.map(_.name)
    columns = fields.map(field => ResultColumn.of(field.tpe))
    size = 0

  private[undercroft] def add(vectors: Vector[ResultVector], count: Int): Unit =
    admit(count)
    for (column, vector) <- columns.zip(vectors) do column.add(vector)

  private[undercroft] def addTexts(rows: Vector[Vector[String]]): Unit =
    admit(rows.size)
    for row <- rows; (column, text) <- columns.zip(row) do column.add(text)

  private def admit(count: Int): Unit =
    size += count
    if size > maxRows then
      throw IllegalStateException(s"the result must have at most $maxRows rows, but has more")
end HeapResult
