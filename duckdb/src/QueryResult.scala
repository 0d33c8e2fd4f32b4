package undercroft.duckdb

import internal.result.ResultColumn
import scala.collection.AbstractIterator

/** The result of a query: all of its rows, on the heap. Numbers and texts are stored without an
  * object for each. Immutable.
  *
  * {{{
  * val result = QueryResult(Vector("price"), Vector(Vector(SqlValue.Integer(250))))
  * println(result.columns) // Vector(price)
  * println(result(row = 0, column = 0).long) // 250
  * println(result.as[Int]) // Vector(250)
  * }}}
  */
final class QueryResult private[duckdb] (
    val columns: Vector[String],
    values: Vector[ResultColumn],
    /** The number of rows. */
    val size: Int
) derives CanEqual:

  /** The rows with an object for each value, created at the first use. */
  lazy val rows: Vector[Vector[SqlValue]] =
    Vector.tabulate(size)(row => values.map(_.value(row)))

  /** A cell by the numbers of its row and its column; outside, an IndexOutOfBoundsException. */
  def apply(row: Int, column: Int): SqlValue =
    java.util.Objects.checkIndex(row, size): Unit
    values(column).value(row)

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
    iteratorAs[T].toVector

  /** The rows as values of a type, as [[as]] reads them, one at a time: only the row that is read
    * is an object. Throws at a row that has a value of another type.
    *
    * {{{
    * def large(db: DuckDb): Int =
    *   db.query("select price from bills").iteratorAs[Int].count(_ > 250)
    * }}}
    */
  def iteratorAs[T](using row: SqlRow[T]): Iterator[T] =
    val reader = row.reader(columns, values)
    new AbstractIterator[T]:
      private var nextRow = 0
      override def knownSize: Int = QueryResult.this.size - nextRow
      def hasNext: Boolean = nextRow < QueryResult.this.size
      def next(): T =
        if !hasNext then
          throw java.util.NoSuchElementException(s"the result has ${QueryResult.this.size} rows")
        nextRow += 1
        reader.read(nextRow - 1)

  override def equals(other: Any): Boolean = other match
    case result: QueryResult => columns == result.columns && rows == result.rows
    case _                   => false

  override def hashCode: Int = (columns, rows).hashCode

  override def toString: String = s"QueryResult($columns,$rows)"
end QueryResult

object QueryResult:
  /** Creates a result from values that were not queried.
    *
    * {{{
    * println(QueryResult(Vector("price"), Vector()).size) // 0
    * }}}
    */
  def apply(columns: Vector[String], rows: Vector[Vector[SqlValue]]): QueryResult =
    new QueryResult(
      columns,
      columns.indices.map(i => ResultColumn.of(rows.map(_(i)))).toVector,
      rows.size
    )
