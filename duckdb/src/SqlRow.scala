package undercroft.duckdb

import scala.annotation.{implicitNotFound, publicInBinary}
import scala.compiletime.{constValueTuple, summonAll}
import scala.deriving.Mirror

/** Makes values of a type from the rows of a result: see [[QueryResult.as]].
  *
  * {{{
  * case class Total(name: String, amount: Long) derives SqlRow
  * }}}
  */
@implicitNotFound(
  "the rows of a query can be read as case classes, tuples and single values of numbers, " +
    "Booleans, texts, dates, times, durations, UUIDs, enums without fields, and Options of these; not as ${T}"
)
trait SqlRow[T]:
  /** A function from a row and its number to the value; throws IllegalArgumentException if the
    * columns do not suffice.
    */
  private[duckdb] def reader(columns: Vector[String]): (Vector[SqlValue], Int) => T

object SqlRow:
  /** A row of a case class, or of a tuple. */
  inline def derived[T](using mirror: Mirror.ProductOf[T]): SqlRow[T] =
    of(
      constValueTuple[mirror.MirroredElemLabels].toList.asInstanceOf[List[String]],
      summonAll[Tuple.Map[mirror.MirroredElemTypes, SqlReader]].toList
        .asInstanceOf[List[SqlReader[Any]]],
      mirror.fromProduct
    )

  inline given [T <: Product](using mirror: Mirror.ProductOf[T]): SqlRow[T] = derived[T]

  /** A row of a single column. */
  given [T](using reader: SqlReader[T]): SqlRow[T] = columns =>
    if columns.size != 1 then
      throw IllegalArgumentException(
        s"${reader.name} needs a single column; the result has ${columns.size}: " +
          columns.mkString(", ")
      )
    val cell = Cell(0, columns.head, reader.asInstanceOf[SqlReader[Any]])
    (row, number) => cell.read(row, number).asInstanceOf[T]

  @publicInBinary private[duckdb] def of[T](
      fields: List[String],
      readers: List[SqlReader[Any]],
      construct: Product => T
  ): SqlRow[T] = columns =>
    val indices = if isTuple(fields) then inOrder(columns, fields) else byName(columns, fields)
    val cells = indices.zip(readers).map((index, reader) => Cell(index, columns(index), reader))
    (row, number) =>
      construct(Tuple.fromArray(cells.map(_.read(row, number)).toArray))

  private def isTuple(fields: List[String]): Boolean =
    fields.zipWithIndex.forall((name, i) => name == s"_${i + 1}")

  private def inOrder(columns: Vector[String], fields: List[String]): List[Int] =
    if columns.size != fields.size then
      throw IllegalArgumentException(
        s"a tuple of ${fields.size} values needs as many columns; the result has ${columns.size}: " +
          columns.mkString(", ")
      )
    columns.indices.toList

  private def byName(columns: Vector[String], fields: List[String]): List[Int] =
    fields.map: field =>
      val exact = columns.indices.filter(columns(_) == field)
      val found =
        if exact.nonEmpty then exact
        else
          columns.indices.filter: i =>
            SqlText.isSameName(columns(i), field) && !fields.contains(columns(i))
      if found.size != 1 then
        val count = if found.isEmpty then "no column" else s"${found.size} columns"
        throw IllegalArgumentException(
          s"the result has $count for the field $field; its columns are ${columns.mkString(", ")}"
        )
      found.head

  /** A column that is read. */
  private[duckdb] final class Cell(index: Int, column: String, reader: SqlReader[Any]):
    def read(row: Vector[SqlValue], number: Int): Any =
      val value = row(index)
      try reader.read(value)
      catch
        case cause: IllegalArgumentException =>
          throw IllegalArgumentException(
            s"row $number, column $column: ${value.show} is not ${reader.name}",
            cause
          )
end SqlRow
