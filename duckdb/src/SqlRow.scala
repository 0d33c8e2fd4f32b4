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
  /** A function from the number of a row to its value; throws IllegalArgumentException if the
    * columns do not suffice.
    */
  private[duckdb] def reader(names: Vector[String], columns: Vector[ResultColumn]): Int => T

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
  given [T](using reader: SqlReader[T]): SqlRow[T] = (names, columns) =>
    if names.size != 1 then
      throw IllegalArgumentException(
        s"${reader.name} needs a single column; the result has ${names.size}: " +
          names.mkString(", ")
      )
    val cell = Cell(names.head, columns.head, reader.asInstanceOf[SqlReader[Any]])
    row => cell.read(row).asInstanceOf[T]

  @publicInBinary private[duckdb] def of[T](
      fields: List[String],
      readers: List[SqlReader[Any]],
      construct: Product => T
  ): SqlRow[T] = (names, columns) =>
    val indices = if isTuple(fields) then inOrder(names, fields) else byName(names, fields)
    val cells =
      indices.zip(readers).map((i, reader) => Cell(names(i), columns(i), reader)).toArray
    row =>
      val values = new Array[Any](cells.length)
      var i = 0
      while i < values.length do
        values(i) = cells(i).read(row)
        i += 1
      construct(Values(values))

  private def isTuple(fields: List[String]): Boolean =
    fields.zipWithIndex.forall((name, i) => name == s"_${i + 1}")

  private def inOrder(columns: Vector[String], fields: List[String]): List[Int] =
    if columns.size != fields.size then
      throw IllegalArgumentException(
        s"a tuple of ${fields.size} values needs as many columns; the result has ${columns.size}: " +
          columns.mkString(", ")
      )
    columns.indices.toList

  /** The index of the column for each field of a case class. */
  private[duckdb] def byName(
      columns: Vector[String],
      fields: List[String],
      source: String = "the result"
  ): List[Int] =
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
          s"$source has $count for the field $field; its columns are ${columns.mkString(", ")}"
        )
      found.head

  /** The values of the fields of a row. */
  private final class Values(values: Array[Any]) extends Product:
    def canEqual(other: Any): Boolean = other.isInstanceOf[Values]
    def productArity: Int = values.length
    def productElement(i: Int): Any = values(i)

  /** A column that is read. */
  private final class Cell(name: String, column: ResultColumn, reader: SqlReader[Any]):
    def read(row: Int): Any =
      try reader.read(column, row)
      catch
        case cause: IllegalArgumentException =>
          throw IllegalArgumentException(refusal(row, name, column.value(row), reader.name), cause)

  /** The message about a value that a type does not have. */
  private[duckdb] def refusal(row: Long, column: String, value: SqlValue, tpe: String): String =
    s"row $row, column $column: ${value.show} is not $tpe"
end SqlRow
