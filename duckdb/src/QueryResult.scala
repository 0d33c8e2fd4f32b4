package undercroft.duckdb

/** The result of a query: all of its rows, on the heap.
  *
  * {{{
  * val result = QueryResult(Vector("price"), Vector(Vector(SqlValue.Integer(250))))
  * println(result.columns) // Vector(price)
  * println(result(row = 0, column = 0).long) // 250
  * println(result.as[Int]) // Vector(250)
  * }}}
  */
final case class QueryResult(columns: Vector[String], rows: Vector[Vector[SqlValue]])
    derives CanEqual:

  /** A cell by the numbers of its row and its column; outside, an IndexOutOfBoundsException. */
  def apply(row: Int, column: Int): SqlValue = rows(row)(column)

  /** The rows as values of a type: a case class takes the columns that have the names of its
    * fields, otherwise the columns that have them in another case of ASCII letters, a tuple takes
    * all columns in their order, and any type of a single value takes the only column.
    *
    * Throws IllegalArgumentException if a column is missing or occurs more than once, or if a value
    * is not one of the field's type, as a null is unless the field is an Option. Both are told with
    * the column and the row. Nothing is rounded or cut off.
    *
    * {{{
    * case class Revenue(customer: String, total: BigDecimal)
    * def revenues(db: DuckDb): Vector[Revenue] =
    *   db.query("select customer, sum(price) as total from bills group by customer").as[Revenue]
    * }}}
    */
  def as[T](using row: SqlRow[T]): Vector[T] =
    val read = row.reader(columns)
    rows.zipWithIndex.map(read.apply)
end QueryResult
