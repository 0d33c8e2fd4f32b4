package undercroft.cli

import scala.jdk.CollectionConverters.*
import undercroft.duckdb.{DuckDb, SqlValue}
import undercroft.file.format.Type

/** A column of table `t`, or a field of a STRUCT in it.
  *
  * @param path
  *   the name with the names of the STRUCTs that contain it, for errors
  * @param expression
  *   the SQL expression of its value
  * @param hasNulls
  *   whether it is null in a row in which the STRUCT that contains it is not
  */
private[cli] final class SqlField(
    val name: String,
    val path: String,
    val expression: String,
    val kind: SqlField.Kind,
    val hasNulls: Boolean
):
  /** The alignment of its stored bytes, as in C. */
  val alignment: Int = kind match
    case SqlField.Kind.Value(stored)  => SqlField.alignment(stored)
    case SqlField.Kind.Struct(fields) => fields.map(_.alignment).max

private[cli] object SqlField:
  enum Kind:
    case Value(stored: Type)
    case Struct(fields: Vector[SqlField])

  /** The columns of table `t`. */
  def columns(database: DuckDb): Vector[SqlField] = SqlFields(database).columns

  def alignment(stored: Type): Int = stored match
    case _: Type.Text => 1
    case number       => number.size

/** Reads the types of table `t`, and from its values whether they have nulls, and their sizes. */
private final class SqlFields(database: DuckDb):

  def columns: Vector[SqlField] = described("from t").map: (name, sqlType) =>
    field(name, name, Sql.name(name), sqlType, "true")

  /** @param condition
    *   selects the rows in which the value counts
    */
  private def field(
      name: String,
      path: String,
      expression: String,
      sqlType: String,
      condition: String
  ): SqlField =
    val counted = s"$condition and $expression is not null"
    val kind =
      if sqlType.startsWith("STRUCT(") && !sqlType.endsWith("]") then
        SqlField.Kind.Struct(fields(path, expression, counted))
      else SqlField.Kind.Value(storedAs(path, expression, sqlType, counted))
    SqlField(name, path, expression, kind, has(s"$condition and $expression is null"))

  private def fields(path: String, struct: String, condition: String): Vector[SqlField] =
    val children = described(s"select s.* from (select $struct as s from t)")
    children.map: (name, sqlType) =>
      val expression = s"struct_extract($struct, ${Sql.text(name)})"
      field(name, s"$path.$name", expression, sqlType, condition)

  private def described(query: String): Vector[(String, String)] =
    database.query(s"describe $query").rows.map(row => (row(0).show, row(1).show))

  private def storedAs(
      path: String,
      expression: String,
      sqlType: String,
      condition: String
  ): Type = sqlType match
    case nested if nested.matches("(STRUCT|MAP|UNION).*|.*\\]|BLOB|BIT") =>
      throw BadInput(
        s"column '$path' has the SQL type $nested, which convert does not store in a struct file; " +
          "it stores numbers, Booleans, enums, texts and STRUCTs of them"
      )
    case "BOOLEAN"                          => Type.Primitive.BOOLEAN
    case "TINYINT"                          => Type.Primitive.BYTE
    case "SMALLINT" | "UTINYINT"            => Type.Primitive.SHORT
    case "INTEGER" | "USMALLINT"            => Type.Primitive.INT
    case "BIGINT" | "UINTEGER"              => Type.Primitive.LONG
    case "FLOAT"                            => Type.Primitive.FLOAT
    case "DOUBLE"                           => Type.Primitive.DOUBLE
    case cases if cases.startsWith("ENUM(") => enumOf(cases)
    case large
        if large.matches("U?HUGEINT|UBIGINT|DECIMAL\\(\\d+,0\\)") && !has(
          s"$condition and try_cast($expression as bigint) is null"
        ) =>
      Type.Primitive.LONG
    case _ =>
      val longest = database.query(
        s"select coalesce(max(strlen(cast($expression as varchar))), 0) from t"
      )(0, 0).long
      if longest > SqlFields.LongestText then
        throw BadInput(
          s"column '$path' has a text of $longest bytes; at most ${SqlFields.LongestText} are stored"
        )
      Type.Text(Math.max(1, longest).toInt)

  /** Whether a row of `t` fulfils a condition. */
  private def has(condition: String): Boolean =
    database.query(s"select count(*) > 0 from t where $condition")(0, 0) == SqlValue.Bool(true)

  private def enumOf(sqlType: String): Type =
    val cases =
      database.query(s"select unnest(enum_range(null::$sqlType))::varchar").rows.map(_(0).show)
    val number =
      if cases.size <= 0x100 then Type.Primitive.BYTE
      else if cases.size <= 0x10000 then Type.Primitive.SHORT
      else Type.Primitive.INT
    Type.Ordinal(number, cases.asJava)
end SqlFields

private object SqlFields:
  /** The longest text that is stored, in bytes. */
  private val LongestText = 1 << 20
