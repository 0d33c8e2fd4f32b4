package undercroft.duckdb

import internal.result.ResultColumn
import internal.sql.SqlText
import scala.annotation.{implicitNotFound, publicInBinary}
import scala.compiletime.{constValue, constValueTuple, erasedValue, summonAll}
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
  /** A reader of the rows; throws IllegalArgumentException if the columns do not suffice. */
  private[duckdb] def reader(names: Vector[String], columns: Vector[ResultColumn]): RowReader[T]

/** Makes a value of a row. */
private[duckdb] trait RowReader[T]:
  def read(row: Int): T

/** Makes a value of a row's cells; each field has a reader and a column. */
private[duckdb] trait RowValues[T]:
  def read(readers: Array[SqlReader[Any]], columns: Array[ResultColumn], row: Int): T

object SqlRow:
  /** A row of a case class, or of a tuple. */
  inline def derived[T](using mirror: Mirror.ProductOf[T]): SqlRow[T] =
    of(
      constValueTuple[mirror.MirroredElemLabels].toList.asInstanceOf[List[String]],
      summonAll[Tuple.Map[mirror.MirroredElemTypes, SqlReader]].toList
        .asInstanceOf[List[SqlReader[Any]]],
      // The compiled loop has calls of its own for each field, so it creates the row only.
      (readers, columns, row) =>
        val values = new Array[Any](constValue[Tuple.Size[mirror.MirroredElemTypes]])
        fill[mirror.MirroredElemTypes](values, readers, columns, row, 0)
        mirror.fromProduct(product(values))
    )

  private inline def fill[Types <: Tuple](
      values: Array[Any],
      readers: Array[SqlReader[Any]],
      columns: Array[ResultColumn],
      row: Int,
      inline i: Int
  ): Unit = inline erasedValue[Types] match
    case _: EmptyTuple => ()
    // The compiler limits the depth of this recursion.
    case _: (_ *: _ *: _ *: _ *: tail) =>
      values(i) = readers(i).read(columns(i), row)
      values(i + 1) = readers(i + 1).read(columns(i + 1), row)
      values(i + 2) = readers(i + 2).read(columns(i + 2), row)
      values(i + 3) = readers(i + 3).read(columns(i + 3), row)
      fill[tail](values, readers, columns, row, i + 4)
    case _: (_ *: tail) =>
      values(i) = readers(i).read(columns(i), row)
      fill[tail](values, readers, columns, row, i + 1)

  inline given [T <: Product](using mirror: Mirror.ProductOf[T]): SqlRow[T] = derived[T]

  /** A row of a single column. */
  given [T](using reader: SqlReader[T]): SqlRow[T] = (names, columns) =>
    if names.size != 1 then
      throw IllegalArgumentException(
        s"${reader.name} needs a single column; the result has ${names.size}: " +
          names.mkString(", ")
      )
    val column = columns.head
    row =>
      try reader.read(column, row)
      catch case cause: IllegalArgumentException => refuse(row, names.head, column, reader, cause)

  @publicInBinary private[duckdb] def of[T](
      fields: List[String],
      readers: List[SqlReader[Any]],
      values: RowValues[T]
  ): SqlRow[T] = (names, columns) =>
    val indices = if isTuple(fields) then inOrder(names, fields) else byName(names, fields)
    val (fieldReaders, fieldColumns) = (readers.toArray, indices.map(columns(_)).toArray)
    row =>
      try values.read(fieldReaders, fieldColumns, row)
      catch
        case cause: IllegalArgumentException =>
          for (reader, i) <- readers.zip(indices) do
            try reader.read(columns(i), row): Unit
            catch
              case cause: IllegalArgumentException =>
                refuse(row, names(i), columns(i), reader, cause)
          throw cause // of the class of the row

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

  @publicInBinary private[duckdb] def product(values: Array[Any]): Product = Values(values)

  private def refuse(
      row: Int,
      name: String,
      column: ResultColumn,
      reader: SqlReader[?],
      cause: IllegalArgumentException
  ): Nothing =
    throw IllegalArgumentException(refusal(row, name, column.value(row), reader.name), cause)

  /** The message about a value that a type does not have. */
  private[duckdb] def refusal(row: Long, column: String, value: SqlValue, tpe: String): String =
    s"row $row, column $column: ${value.show} is not $tpe"
end SqlRow
