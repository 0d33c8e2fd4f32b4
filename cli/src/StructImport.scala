package undercroft.cli

import java.nio.ByteOrder
import java.nio.file.Path
import scala.jdk.CollectionConverters.*
import undercroft.duckdb.DuckDb
import undercroft.file.ColumnKind
import undercroft.file.format.{
  Durability,
  FileLayout,
  LogicalKind,
  Schema,
  StructFile,
  StructWriter
}

/** Writes the rows of a SQL table to a sealed struct file. The class that reads it has a field for
  * each column, by its name: see [[StoredFields]] for the types.
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
  private val database: DuckDb = inputs.database

  def run(console: Console): Unit =
    val kinds = inputs.add("source", from, csv).fold(Map.empty)(StructImport.kinds)
    val selected = columns.fold("*")(inputs.selection("source", from, _))
    database.query(s"create view selected as select $selected from source"): Unit
    val names = SqlField.names(database, "selected")
    // A copy, because a text file would be parsed again for each batch of rows. Its columns have
    // other names, because a column named rowid would hide the number of the row.
    val copied = names.indices.map(SqlField.copied).mkString(", ")
    database.query(s"create temp table t as select * from selected as source($copied)"): Unit
    val storedRow = StoredFields.of(database, names, layout, kinds)
    val rows = database.query("select count(*) from t")(0, 0).long
    val schema = Schema(
      name.getOrElse("Row"),
      layout,
      ByteOrder.nativeOrder,
      storedRow.stride,
      storedRow.fields.asJava
    )
    val writer = StructWriter.create(target, schema, Math.max(1, rows), Durability.VOLATILE)
    try
      console.progress("rows", rows)(step => write(writer, storedRow, rows, step))
      writer.seal(rows)
    catch case cut: InternalError => throw writer.translate(cut)
    finally writer.close()
  end run

  private def write(writer: StructWriter, row: StoredRow, rows: Long, step: Long => Unit): Unit =
    val selection = row.columns.map(_.selection).mkString(", ")
    val data = writer.data
    val capacity = writer.capacity
    var first = 0L
    while first < rows do
      val end = Math.min(first + StructImport.Batch, rows)
      val _ = writer.ensureCapacity(end)
      val batch = database.query(s"select $selection from t where rowid >= $first and rowid < $end")
      if batch.rows.size != end - first then
        throw IllegalStateException(
          s"a batch of rows [$first, $end) must have ${end - first} rows, but has ${batch.rows.size}"
        )
      var i = 0
      while i < batch.rows.size do
        row.put(data, capacity, first + i, batch.rows(i))
        i += 1
      step(end - first)
      first = end
end StructImport

private[cli] object StructImport:
  /** The rows that are on the heap at once. */
  private val Batch = 100_000L

  /** The logical types of a struct file by the paths of the columns: SQL does not have all units.
    */
  def kinds(file: StructFile): Map[Vector[String], LogicalKind] =
    def of(
        column: ColumnKind,
        name: String,
        path: Vector[String]
    ): Vector[(Vector[String], LogicalKind)] = column match
      case ColumnKind.Logical(_, kind, stored) =>
        ((path :+ name) -> kind) +: of(stored, name, path)
      case ColumnKind.Record(_, fields) =>
        fields.flatMap(field => of(field, field.name, path :+ name))
      case ColumnKind.OneOf(_, _, members) =>
        members.flatMap(member => of(member, member.name, path :+ name))
      case ColumnKind.Optional(_, _, inner: ColumnKind.Optional) =>
        of(inner, inner.name, path :+ name)
      case ColumnKind.Optional(_, _, value)   => of(value, name, path)
      case ColumnKind.Items(_, _, _, _, item) => of(item, item.name, path :+ name)
      case _                                  => Vector()
    ColumnKind.all(file.schema).flatMap(column => of(column, column.name, Vector())).toMap
end StructImport
