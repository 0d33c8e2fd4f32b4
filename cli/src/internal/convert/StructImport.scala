package undercroft.cli
package internal.convert

import internal.csv.{CsvOptions, CsvSource, CsvTable, TextForms}
import internal.input.Inputs
import internal.io.{BadInput, Console, FileFormat}
import internal.sql.Sql
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Path
import undercroft.duckdb.SqlValue
import undercroft.duckdb.internal.result.{
  FileSink,
  RefusedValueException,
  ResultMeasure,
  UnstoredTypeException
}
import undercroft.file.{ColumnKind, FieldSlices}
import undercroft.file.format.LogicalKind.Unit as Ticks
import undercroft.file.format.{FileLayout, LogicalKind, StructFile}

/** Writes the rows of a file to a sealed struct file, by two passes over the source: the first
  * finds the types of the fields, the second stores the values. SQL reads the source, unless it is
  * a CSV file whose lines are its records; such a file is read once if all of its texts have the
  * types of the first ones. No row is on the heap.
  */
private[cli] final class StructImport(
    inputs: Inputs,
    from: String,
    target: Path,
    layout: FileLayout,
    name: Option[String],
    columns: Option[String],
    csv: CsvOptions
):
  def run(console: Console): Unit =
    val source = Option.when(FileFormat.of(from) == FileFormat.Csv)(inputs.csv(from, csv))
    val plain = source.filter(_ => columns.isEmpty)
    if !plain.exists(csv =>
        csv.sampled.exists(store(_, console)) || csv.whole.exists(store(_, console))
      )
    then
      write(measured(source), console): (slices, step) =>
        val sink = FileSink(slices, step)
        try inputs.database.run(StructImport.Rows, sink)
        catch
          case refused: RefusedValueException =>
            throw BadInput(StructImport.reason(refused, slices.columns))
        sink.confirm()
        true
      : Unit

  /** Returns whether the texts of all rows have the types of the columns. */
  private def store(table: CsvTable, console: Console): Boolean =
    val measure = ResultMeasure(Map.empty)
    measure.begin(table.fields)
    state(measure, table.forms, table.records.rows)
    write(measure, console)(table.records.store(_, table.forms, _))

  private def write(measure: ResultMeasure, console: Console)(
      store: (FieldSlices, Long => Unit) => Boolean
  ): Boolean =
    val file = NewStructFile(target, layout, name, measure.fields, measure.rows)
    file.write(slices => console.progress("rows", measure.rows)(store(slices, _)))

  private def state(measure: ResultMeasure, texts: TextForms, rows: Long): Unit =
    measure.state(rows): (i, isVarChar) =>
      (texts.columns(i).hasNulls(isVarChar), texts.columns(i).longest)

  /** Makes the source the view `selected`. */
  private def measured(csvSource: Option[CsvSource]): ResultMeasure =
    val database = inputs.database
    inputs.useAllThreads(from)
    val forms = csvSource.flatMap(_.createView("source"))
    val kinds =
      if csvSource.isDefined then Map.empty
      else inputs.add("source", from).fold(Map.empty)(StructKinds.of)
    val selected = columns.fold("*")(inputs.selection("source", from, _))
    database.query(s"create view selected as select $selected from source"): Unit
    val measure = ResultMeasure(kinds)
    try
      forms.filter(_ => columns.isEmpty) match
        case Some(texts) =>
          database.run(s"${StructImport.Rows} limit 0", measure)
          state(measure, texts, texts.rows)
        case None => database.run(StructImport.Rows, measure)
    catch case unstored: UnstoredTypeException => throw refused(unstored.path)
    measure
  end measured

  private def refused(path: Vector[String]): BadInput =
    val expression = path.tail.foldLeft(Sql.name(path.head)): (struct, field) =>
      s"struct_extract($struct, ${Sql.text(field)})"
    val sqlType = inputs.database.query(s"describe select $expression from selected")(0, 1).show
    BadInput(
      s"column '${path.mkString(".")}' has the SQL type $sqlType, which convert does not store in " +
        "a struct file; it stores numbers, Booleans, dates, times, UUIDs, enums, texts and STRUCTs " +
        "of them"
    )
end StructImport

private object StructImport:
  private val Rows = "from selected"

  private def reason(refused: RefusedValueException, columns: Vector[ColumnKind]): String =
    val place = s"row ${refused.row} of column '${refused.column}' has"
    val kinds = StructKinds.of(columns).map((path, kind) => path.mkString(".") -> kind)
    (kinds.get(refused.column).flatMap(typeAndRange), refused.value) match
      case (Some((sqlType, range)), value) =>
        s"$place the $sqlType ${value.show}, which is not stored in a struct file; it stores " +
          s"values from $range"
      case (None, SqlValue.Text(text)) if text.contains(0.toChar) =>
        val at = text.takeWhile(_ != 0.toChar).getBytes(UTF_8).length
        s"$place a text with U+0000 at byte $at, which is not stored in a struct file: it pads texts"
      case (None, value) => s"$place the value ${value.show}, which the first pass did not have"

  /** The SQL type of values with a meaning, and the values that are stored. */
  private def typeAndRange(kind: LogicalKind): Option[(String, String)] = kind match
    case _: LogicalKind.Date => Some("DATE" -> "5877642-06-25 (BC) to 5881580-07-10")
    case time: LogicalKind.Time if isNanos(time.unit) =>
      Some("TIME_NS" -> "00:00:00 to 23:59:59.999999999")
    case _: LogicalKind.Time => Some("TIME" -> "00:00:00 to 23:59:59.999999")
    case timestamp: LogicalKind.Timestamp =>
      val unit = Vector("_S", "_MS", "", "_NS")(timestamp.unit.ordinal)
      val zone = if timestamp.isUtc then " WITH TIME ZONE" else ""
      val range =
        if isNanos(timestamp.unit) then
          "1677-09-21 00:12:43.145224194 to 2262-04-11 23:47:16.854775806"
        else "290309-12-22 (BC) 00:00:00 to 294247-01-10 04:00:54.775806"
      Some(s"TIMESTAMP$unit$zone" -> range)
    case _ => None

  private def isNanos(unit: Ticks): Boolean = unit.perSecond == Ticks.NANOS.perSecond
end StructImport

/** The meanings of columns by their paths. */
private[cli] object StructKinds:
  def of(file: StructFile): Map[Vector[String], LogicalKind] = of(ColumnKind.all(file.schema))

  def of(columns: Vector[ColumnKind]): Map[Vector[String], LogicalKind] =
    columns.flatMap(column => of(column, Vector(column.name))).toMap

  private def of(
      column: ColumnKind,
      path: Vector[String]
  ): Vector[(Vector[String], LogicalKind)] = column match
    case ColumnKind.Logical(_, kind, stored) => (path -> kind) +: of(stored, path)
    case ColumnKind.Record(_, fields) =>
      fields.flatMap(field => of(field, path :+ field.name))
    case ColumnKind.OneOf(_, _, members) =>
      members.flatMap(member => of(member, path :+ member.name))
    case ColumnKind.Optional(_, _, inner: ColumnKind.Optional) => of(inner, path :+ inner.name)
    case ColumnKind.Optional(_, _, value)                      => of(value, path)
    case ColumnKind.Items(_, _, _, _, item)                    => of(item, path :+ item.name)
    case _                                                     => Vector()
end StructKinds
