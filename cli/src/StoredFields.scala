package undercroft.cli

import java.util.Optional
import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters.*
import undercroft.duckdb.DuckDb
import undercroft.file.FieldOffsets
import undercroft.file.format.{Field, FileLayout, LogicalKind, Type}

/** Assigns the fields of a struct file that stores a SQL table.
  *
  * | SQL                                | field                                          |
  * |:-----------------------------------|:-----------------------------------------------|
  * | BOOLEAN                            | Boolean                                        |
  * | TINYINT, SMALLINT, INTEGER, BIGINT | Byte, Short, Int, Long                         |
  * | UTINYINT, USMALLINT, UINTEGER      | Short, Int, Long                               |
  * | FLOAT, DOUBLE                      | Float, Double                                  |
  * | larger integers                    | Long, if all values fit, else Text             |
  * | DECIMAL                            | BigDecimal; without decimals Long, if all fit  |
  * | DATE, TIME, TIMESTAMP of each unit | LocalDate, LocalTime, LocalDateTime or Instant |
  * | UUID                               | UUID                                           |
  * | INTERVAL                           | Duration, if no value has months, else Text    |
  * | ENUM                               | an enum with these cases                       |
  * | VARCHAR, values of other types     | Text, as long as the longest value             |
  * | STRUCT                             | a nested struct                                |
  * | a column with nulls                | an Option                                      |
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
    case SqlField.Kind.Value(stored, selection) =>
      (stored, stored.physical) match
        case (logical: Type.Logical, pair: Type.Struct) =>
          val halves = pair.fields.asScala.toSeq.map[Field]: half =>
            val part = StoredPart.Half(logical.kind, half.name == "high")
            Field.Leaf(
              half.name,
              column(sql, selection, Type.Primitive.LONG, part),
              Type.Primitive.LONG
            )
          Field.Record(name, pair.name, halves.asJava, Optional.of(logical.kind))
        case (logical: Type.Logical, physical) =>
          Field.Leaf(name, column(sql, selection, physical, StoredPart.of(logical.kind)), logical)
        case _ => Field.Leaf(name, column(sql, selection, stored), stored)

  /** Adds a column of stored values; returns its offset. */
  private def column(
      sql: SqlField,
      selection: String,
      stored: Type,
      part: StoredPart = StoredPart.Whole
  ): Int =
    val offset = offsets.take(stored.size, SqlField.alignment(stored))
    columns += StoredColumn(sql.path, selection, stored, offset, part)
    offset
end StoredFields

private[cli] object StoredFields:
  /** The row that stores the columns of table `t`.
    *
    * @param names
    *   the names of the columns in the source
    * @param kinds
    *   the logical types that the source states, by the paths of the columns
    */
  def of(
      database: DuckDb,
      names: Vector[String],
      layout: FileLayout,
      kinds: Map[Vector[String], LogicalKind]
  ): StoredRow = StoredFields(layout).row(SqlField.columns(database, names, kinds))
