package undercroft.cli

import scala.jdk.CollectionConverters.*
import undercroft.duckdb.{DuckDb, SqlValue}
import undercroft.file.format.{LogicalKind, Type}

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
    case SqlField.Kind.Value(stored, _) => SqlField.alignment(stored)
    case SqlField.Kind.Struct(fields)   => fields.map(_.alignment).max

private[cli] object SqlField:
  enum Kind:
    /** A value whose SQL expression is `selection`. */
    case Value(stored: Type, selection: String)
    case Struct(fields: Vector[SqlField])

  /** The columns of table `t`, which is a copy of the source.
    *
    * @param names
    *   the names of the columns in the source
    * @param kinds
    *   the logical types that the source states, by the paths of the columns
    */
  def columns(
      database: DuckDb,
      names: Vector[String],
      kinds: Map[Vector[String], LogicalKind]
  ): Vector[SqlField] = SqlFields(database, kinds).columns(names)

  /** The names of a table's columns. */
  def names(database: DuckDb, table: String): Vector[String] =
    database.query(s"describe from ${Sql.name(table)}").rows.map(_(0).show)

  /** The name of a column in table `t`. */
  def copied(column: Int): String = s"c$column"

  def alignment(stored: Type): Int = stored match
    case _: Type.Text          => 1
    case logical: Type.Logical => alignment(logical.of)
    case _: Type.Struct        => 8 // 128 bits of two Longs
    case number                => number.size
end SqlField

/** Reads the types of table `t`, and from its values whether they have nulls, and their sizes. */
private final class SqlFields(database: DuckDb, kinds: Map[Vector[String], LogicalKind]):

  def columns(names: Vector[String]): Vector[SqlField] =
    names.zip(described("from t")).map { case (name, (column, sqlType)) =>
      field(Vector(name), Sql.name(column), sqlType, "true")
    }

  /** @param condition
    *   selects the rows in which the value counts
    */
  private def field(
      path: Vector[String],
      expression: String,
      sqlType: String,
      condition: String
  ): SqlField =
    val counted = s"$condition and $expression is not null"
    val kind =
      if sqlType.startsWith("STRUCT(") && !sqlType.endsWith("]") then
        SqlField.Kind.Struct(fields(path, expression, counted))
      else value(path, expression, sqlType, counted)
    val hasNulls = has(s"$condition and $expression is null")
    SqlField(path.last, path.mkString("."), expression, kind, hasNulls)

  private def fields(path: Vector[String], struct: String, condition: String): Vector[SqlField] =
    val children = described(s"select s.* from (select $struct as s from t)")
    children.map: (name, sqlType) =>
      val expression = s"struct_extract($struct, ${Sql.text(name)})"
      field(path :+ name, expression, sqlType, condition)

  private def value(
      path: Vector[String],
      expression: String,
      sqlType: String,
      condition: String
  ): SqlField.Kind.Value =
    val dotted = path.mkString(".")
    val source = kinds.get(path)
    val logicalType = SqlLogicalType.of(sqlType, expression, source)
    logicalType.flatMap(logical(dotted, expression, sqlType, source, _, condition)).getOrElse:
      val stored = storedAs(dotted, expression, sqlType, condition)
      val selection = stored match
        case _: (Type.Text | Type.Ordinal) => s"cast($expression as varchar)"
        case Type.Primitive.LONG           => s"cast($expression as bigint)"
        case _                             => expression
      new SqlField.Kind.Value(stored, selection)
  end value

  /** The value as a number with a logical type; None if it is stored without one. Throws
    * [[BadInput]] if a value is out of the range of its logical type.
    */
  private def logical(
      path: String,
      expression: String,
      sqlType: String,
      source: Option[LogicalKind],
      logical: SqlLogicalType,
      condition: String
  ): Option[SqlField.Kind.Value] =
    val outOfRange = s"$condition and ${logical.selection} is null"
    val value = new SqlField.Kind.Value(logical.stored, logical.selection)
    logical.range match
      case Some(range) =>
        val first = database.query(
          s"select rowid, try(cast($expression as varchar)) from t where $outOfRange " +
            "order by rowid limit 1"
        )
        first.rows.headOption.foreach: row =>
          throw BadInput(
            s"row ${row(0).show} of column '$path' has the $sqlType ${row(1).show}, which is not " +
              s"stored in a struct file; it stores values from $range"
          )
        Some(value)
      case None =>
        val isLong = source.isEmpty && isWhole(sqlType, expression, condition)
        Option.when(!has(outOfRange) && !isLong)(value)
  end logical

  /** Whether all values of a DECIMAL without decimals are Longs. */
  private def isWhole(sqlType: String, expression: String, condition: String): Boolean =
    sqlType.matches("DECIMAL\\(\\d+,0\\)") && fitLong(expression, condition)

  private def fitLong(expression: String, condition: String): Boolean =
    !has(s"$condition and try_cast($expression as bigint) is null")

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
          "it stores numbers, Booleans, dates, times, UUIDs, enums, texts and STRUCTs of them"
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
        if large.matches("U?HUGEINT|UBIGINT|DECIMAL\\(\\d+,0\\)") &&
          fitLong(expression, condition) =>
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
