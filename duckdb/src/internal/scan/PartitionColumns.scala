package undercroft.duckdb
package internal.scan

import internal.sql.SqlText
import java.nio.file.Path
import java.time.{DateTimeException, LocalDate}
import undercroft.file.format.{LogicalKind, Type}
import undercroft.file.{ColumnKind, Partition}

/** The value of a partition column in one file. */
private[duckdb] enum PartitionConstant derives CanEqual:
  case Number(key: Long, size: Int)
  case Text(value: String)
  case Absent(size: Int)

  /** Whether the value fulfils a filter. The key of a Boolean states whether there is a value. */
  def holds(filter: ColumnFilter): Boolean = (this, filter.key) match
    case (Absent(_), FilterKey.Bool) => filter.holds(0)
    case (_, FilterKey.Bool)         => filter.holds(1)
    case (Number(key, _), _)         => filter.holds(key)
    case (Text(value), _)            => filter.holds(value)
    case (Absent(_), _)              => false
end PartitionConstant

/** The type of a partition column. As in Spark, a column is an int, a bigint or a date if all of
  * its values have that form, and otherwise text.
  */
private[duckdb] enum PartitionType derives CanEqual:
  case IntNumber, LongNumber, Date, Text

  def column(name: String): ColumnKind =
    def number(kind: Type.Primitive) = ColumnKind.Value(name, 0, kind, false, false)
    val value = this match
      case IntNumber  => number(Type.Primitive.INT)
      case LongNumber => number(Type.Primitive.LONG)
      case Date       => ColumnKind.Logical(name, LogicalKind.Date(), number(Type.Primitive.INT))
      case Text       => ColumnKind.Text(name, 0, 0)
    ColumnKind.Optional(name, 0, value)

  /** The value of a text; None if it has another form, such as a number with a leading zero. */
  def parse(text: String): Option[PartitionConstant] = this match
    case IntNumber =>
      text.toIntOption.filter(_.toString == text).map(n => PartitionConstant.Number(n.toLong, 4))
    case LongNumber =>
      text.toLongOption.filter(_.toString == text).map(PartitionConstant.Number(_, 8))
    case Date =>
      try
        val days = LocalDate.parse(text).nn.toEpochDay
        Option.when(days == days.toInt)(PartitionConstant.Number(days, 4))
      catch case _: DateTimeException => None
    case Text => Some(PartitionConstant.Text(text))

  def absent: PartitionConstant = this match
    case LongNumber => PartitionConstant.Absent(8)
    case Text       => PartitionConstant.Absent(16)
    case _          => PartitionConstant.Absent(4)
end PartitionType

/** The columns whose values are in the names of a folder's folders. */
private[duckdb] final case class PartitionColumns(columns: Vector[(String, PartitionType)])
    derives CanEqual:

  def kinds: Vector[ColumnKind] = columns.map((name, tpe) => tpe.column(name))

  /** The values of a file. */
  def constants(partition: Partition): Vector[PartitionConstant] =
    for ((_, tpe), (_, value)) <- columns.zip(partition.values)
    yield value.flatMap(tpe.parse).getOrElse(tpe.absent)
end PartitionColumns

private[duckdb] object PartitionColumns:

  /** The columns of files. Throws IllegalArgumentException if files have partitions of different
    * names, or if a name is also that of a field: SQL ignores the case of ASCII letters.
    */
  def of(files: Vector[(Path, Partition)], fields: Vector[String]): PartitionColumns =
    files.headOption.fold(PartitionColumns(Vector())): (firstPath, first) =>
      for (path, partition) <- files if partition.names != first.names do
        throw IllegalArgumentException(
          s"$path has ${named(partition)}, but $firstPath has ${named(first)}: all files of a " +
            "folder must have partitions of the same names"
        )
      val names = first.names
      for name <- names do
        if fields.exists(SqlText.isSameName(_, name)) then
          throw IllegalArgumentException(
            s"$firstPath: `$name` is a field and the name of a partition; a column must be one"
          )
        if names.count(SqlText.isSameName(_, name)) > 1 then
          throw IllegalArgumentException(
            s"$firstPath: the partition `$name` must occur once; SQL ignores case"
          )
      PartitionColumns(names.indices.toVector.map: k =>
        (names(k), typeOf(files.flatMap((_, partition) => partition.values(k)._2))))

  private def named(partition: Partition): String =
    if partition.names.isEmpty then "no partition"
    else partition.names.mkString("the partitions (", ", ", ")")

  private def typeOf(values: Vector[String]): PartitionType =
    val forms = Vector(PartitionType.IntNumber, PartitionType.LongNumber, PartitionType.Date)
    if values.isEmpty then PartitionType.Text
    else
      forms.find(form => values.forall(form.parse(_).isDefined)).getOrElse(PartitionType.Text)
end PartitionColumns
