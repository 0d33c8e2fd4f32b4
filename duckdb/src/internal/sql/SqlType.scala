package undercroft.duckdb
package internal.sql

import undercroft.file.format.Type
import undercroft.file.{ColumnKind, given}

/** The SQL types of columns. */
private[duckdb] object SqlType:

  def of(column: ColumnKind): String = SqlMeaning.of(column) match
    case ColumnKind.Value(_, _, kind, unsigned, _) => number(kind, unsigned)
    case ColumnKind.Enumerated(_, _, _, cases) =>
      cases.map(name => s"'${name.replace("'", "''")}'").mkString("ENUM(", ", ", ")")
    case ColumnKind.Text(_, _, _)                    => "VARCHAR"
    case _: ColumnKind.Opaque                        => "BLOB"
    case ColumnKind.Elements(_, _, kind, dimensions) => array(number(kind, false), dimensions)
    case ColumnKind.Items(_, _, dimensions, _, item) => array(of(item), dimensions)
    case ColumnKind.Record(_, fields)                => struct(fields)
    case ColumnKind.Optional(_, _, value: ColumnKind.Optional) => struct(Vector(value))
    case ColumnKind.Optional(_, _, value)                      => of(value)
    case ColumnKind.Logical(_, kind, stored)                   => SqlMeaning.sqlType(kind, stored)
    case ColumnKind.OneOf(_, tag, members)                     => struct(tag +: shown(members))
    case ColumnKind.OutOfLine(name, _, _)                      => throw IllegalStateException(name)

  /** Throws IllegalArgumentException if SQL takes the names of fields for one name. */
  def checkNames(fields: Vector[ColumnKind]): Unit =
    for names <- fields.map(_.name).groupBy(SqlText.folded).values if names.size > 1 do
      throw IllegalArgumentException(
        s"the fields ${names.map(name => s"`$name`").mkString(" and ")} must have different " +
          "names in SQL, which ignores the case of ASCII letters"
      )

  /** The members that have fields: a member without fields is represented by its tag alone. */
  def shown(members: Vector[ColumnKind.Record]): Vector[ColumnKind.Record] =
    members.filter(_.fields.nonEmpty)

  /** Whether DuckDB has arrays of these sizes; other arrays are BLOBs of their bytes. */
  def isArray(dimensions: Vector[Int]): Boolean = dimensions.forall(_ <= MostElements)

  private final val MostElements = 100_000

  private def array(element: String, dimensions: Vector[Int]): String =
    if isArray(dimensions) then dimensions.reverse.map(size => s"[$size]").mkString(element, "", "")
    else "BLOB"

  /** A quoted SQL identifier. */
  def quoted(name: String): String = s"\"${name.replace("\"", "\"\"")}\""

  /** An identifier, quoted if it has other characters than ASCII letters, digits and underscores.
    */
  def shownName(name: String): String =
    if name.matches("[A-Za-z_][A-Za-z0-9_]*") then name else quoted(name)

  private def struct(fields: Vector[ColumnKind]): String =
    checkNames(fields)
    fields.map(field => s"${quoted(field.name)} ${of(field)}").mkString("STRUCT(", ", ", ")")

  private def number(kind: Type.Primitive, unsigned: Boolean): String = kind match
    case Type.Primitive.BOOLEAN => "BOOLEAN"
    case Type.Primitive.FLOAT   => "FLOAT"
    case Type.Primitive.DOUBLE  => "DOUBLE"
    case Type.Primitive.CHAR    => "USMALLINT"
    case integer =>
      val name = integer.size match
        case 1 => "TINYINT"
        case 2 => "SMALLINT"
        case 4 => "INTEGER"
        case _ => "BIGINT"
      if unsigned then s"U$name" else name
end SqlType
