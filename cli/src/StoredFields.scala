package undercroft.cli

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters.*
import undercroft.duckdb.DuckDb
import undercroft.file.FieldOffsets
import undercroft.file.format.{Field, FileLayout, Type}

/** Assigns the fields of a struct file that stores a SQL table.
  *
  * | SQL                                              | field                              |
  * |:-------------------------------------------------|:-----------------------------------|
  * | BOOLEAN                                          | Boolean                            |
  * | TINYINT, SMALLINT, INTEGER, BIGINT               | Byte, Short, Int, Long             |
  * | UTINYINT, USMALLINT, UINTEGER                    | Short, Int, Long                   |
  * | FLOAT, DOUBLE                                    | Float, Double                      |
  * | larger integers                                  | Long, if all values fit, else Text |
  * | ENUM                                             | an enum with these cases           |
  * | VARCHAR; numbers, dates and times of other types | Text, as long as the longest value |
  * | STRUCT                                           | a nested struct                    |
  * | a column with nulls                              | an Option                          |
  */
private[cli] final class StoredFields private (layout: FileLayout):
  private val offsets = FieldOffsets(layout)
  private val columns = ArrayBuffer[StoredColumn]()

  private def row(fields: Vector[SqlField]): StoredRow =
    val stored = fields.map(field)
    StoredRow(stored, columns.toVector, offsets.stride, layout)

  private def field(sql: SqlField): Field =
    if sql.hasNulls then
      offsets.align(sql.alignment)
      val flag = column(sql, s"${sql.expression} is not null", Type.Primitive.BOOLEAN)
      val value = required(sql, "get")
      offsets.align(sql.alignment)
      val isDefined = Field.Leaf("isDefined", flag, Type.Primitive.BOOLEAN)
      Field.Record(sql.name, "Option", Seq[Field](isDefined, value).asJava)
    else required(sql, sql.name)

  private def required(sql: SqlField, name: String): Field = sql.kind match
    case SqlField.Kind.Struct(fields) =>
      offsets.align(sql.alignment)
      val stored = fields.map(field)
      offsets.align(sql.alignment)
      Field.Record(name, FieldOffsets.structName(sql.name), stored.asJava)
    case SqlField.Kind.Value(stored) =>
      val selection = stored match
        case _: (Type.Text | Type.Ordinal) => s"cast(${sql.expression} as varchar)"
        case Type.Primitive.LONG           => s"cast(${sql.expression} as bigint)"
        case _                             => sql.expression
      Field.Leaf(name, column(sql, selection, stored), stored)

  /** Adds a column of stored values; returns its offset. */
  private def column(sql: SqlField, selection: String, stored: Type): Int =
    val offset = offsets.take(stored.size, SqlField.alignment(stored))
    columns += StoredColumn(sql.path, selection, stored, offset)
    offset
end StoredFields

private[cli] object StoredFields:
  /** The row that stores the columns of table `t`. */
  def of(database: DuckDb, layout: FileLayout): StoredRow =
    StoredFields(layout).row(SqlField.columns(database))
