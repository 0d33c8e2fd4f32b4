package undercroft.cli

import java.lang.foreign.MemorySegment
import scala.jdk.CollectionConverters.*
import undercroft.duckdb.{DuckDb, SqlValue}
import undercroft.file.FieldOffsets
import undercroft.file.format.{Field, FileLayout, Type}

/** The fields of a struct file that stores a SQL table.
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
  * | a column with nulls                              | an Option                          |
  */
private[cli] final class StoredRow(
    val columns: Vector[StoredColumn],
    val stride: Int,
    layout: FileLayout
):
  /** Stores the values of a row whose bytes are all zero. */
  def put(data: MemorySegment, capacity: Long, row: Long, values: Vector[SqlValue]): Unit =
    var i = 0
    while i < columns.size do
      val column = columns(i)
      val at = place(column.offset, column.stored.size, capacity, row)
      column.put(data, place(column.flag, 1, capacity, row), at, values(i))
      i += 1

  private def place(offset: Int, size: Int, capacity: Long, row: Long): Long =
    if layout == FileLayout.COLUMNS then offset * capacity + row * size else row * stride + offset
end StoredRow

private[cli] object StoredRow:
  /** The longest text that is stored, in bytes. */
  private val LongestText = 1 << 20

  /** The fields for the columns of table `t`. */
  def of(database: DuckDb, layout: FileLayout): StoredRow =
    val described = database.query("describe t").rows.map(row => (row(0).show, row(1).show))
    val places = FieldOffsets(layout)
    val columns = described.map((name, sqlType) => column(database, places, name, sqlType))
    StoredRow(columns, places.stride, layout)

  private def column(
      database: DuckDb,
      places: FieldOffsets,
      name: String,
      sqlType: String
  ): StoredColumn =
    val quoted = Sql.name(name)
    val stored = storedAs(database, name, sqlType)
    val selection = stored match
      case _: (Type.Text | Type.Ordinal) => s"cast($quoted as varchar)"
      case Type.Primitive.LONG           => s"cast($quoted as bigint)"
      case _                             => quoted
    val hasNulls = database.query(s"select count(*) > count($quoted) from t")(0, 0)
    val alignment = if stored.isInstanceOf[Type.Text] then 1 else stored.size
    if hasNulls == SqlValue.Bool(true) then
      places.align(alignment)
      val flag = places.take(1, 1)
      val offset = places.take(stored.size, alignment)
      places.align(alignment)
      val parts = Seq[Field](
        Field.Leaf("isDefined", flag, Type.Primitive.BOOLEAN),
        Field.Leaf("get", offset, stored)
      )
      StoredColumn(Field.Record(name, "Option", parts.asJava), selection, stored, offset, flag)
    else
      val offset = places.take(stored.size, alignment)
      StoredColumn(Field.Leaf(name, offset, stored), selection, stored, offset, -1)
  end column

  private def storedAs(database: DuckDb, name: String, sqlType: String): Type = sqlType match
    case "BOOLEAN"                          => Type.Primitive.BOOLEAN
    case "TINYINT"                          => Type.Primitive.BYTE
    case "SMALLINT" | "UTINYINT"            => Type.Primitive.SHORT
    case "INTEGER" | "USMALLINT"            => Type.Primitive.INT
    case "BIGINT" | "UINTEGER"              => Type.Primitive.LONG
    case "FLOAT"                            => Type.Primitive.FLOAT
    case "DOUBLE"                           => Type.Primitive.DOUBLE
    case cases if cases.startsWith("ENUM(") => enumOf(database, cases)
    case nested if nested.matches("(STRUCT|MAP|UNION).*|.*\\]|BLOB|BIT") =>
      throw BadInput(
        s"column '$name' has the SQL type $nested, which convert does not store in a struct file; " +
          "it stores numbers, Booleans, enums and texts"
      )
    case large
        if large.matches("U?HUGEINT|UBIGINT|DECIMAL\\(\\d+,0\\)") && fitsLong(database, name) =>
      Type.Primitive.LONG
    case _ =>
      val longest = database.query(
        s"select coalesce(max(strlen(cast(${Sql.name(name)} as varchar))), 0) from t"
      )(0, 0).long
      if longest > LongestText then
        throw BadInput(
          s"column '$name' has a text of $longest bytes; at most $LongestText are stored"
        )
      Type.Text(Math.max(1, longest).toInt)

  private def fitsLong(database: DuckDb, name: String): Boolean =
    val quoted = Sql.name(name)
    val fits = s"count(*) = count(try_cast($quoted as bigint))"
    database.query(s"select $fits from t where $quoted is not null")(0, 0) == SqlValue.Bool(true)

  private def enumOf(database: DuckDb, sqlType: String): Type =
    val cases =
      database.query(s"select unnest(enum_range(null::$sqlType))::varchar").rows.map(_(0).show)
    val number =
      if cases.size <= 0x100 then Type.Primitive.BYTE
      else if cases.size <= 0x10000 then Type.Primitive.SHORT
      else Type.Primitive.INT
    Type.Ordinal(number, cases.asJava)
end StoredRow
