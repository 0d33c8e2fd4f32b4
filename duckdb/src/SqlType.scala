package undercroft.duckdb

import undercroft.file.Type
import undercroft.structfile.{Column, given}

/** What columns are to SQL. */
private[duckdb] object SqlType:

  def of(column: Column): String = column match
    case Column.Value(_, _, kind, unsigned, _) => number(kind, unsigned)
    case Column.Enumerated(_, _, _, cases) =>
      cases.map(name => s"'${name.replace("'", "''")}'").mkString("ENUM(", ", ", ")")
    case Column.Text(_, _, _)                          => "VARCHAR"
    case Column.Opaque(_, _, _)                        => "BLOB"
    case Column.Elements(_, _, kind, count)            => s"${number(kind, false)}[$count]"
    case Column.Record(_, fields)                      => struct(fields)
    case Column.Optional(_, _, value: Column.Optional) => struct(Vector(value))
    case Column.Optional(_, _, value)                  => of(value)
    case Column.OneOf(_, tag, members)                 => struct(tag +: shown(members))

  /** The members that hold something: the others are nothing but their tag. */
  def shown(members: Vector[Column.Record]): Vector[Column.Record] =
    members.filter(_.fields.nonEmpty)

  /** A name as SQL takes any. */
  def quoted(name: String): String = s"\"${name.replace("\"", "\"\"")}\""

  private def struct(fields: Vector[Column]): String =
    fields.map(field => s"${quoted(field.name)} ${of(field)}").mkString("STRUCT(", ", ", ")")

  private def number(kind: Type.Primitive, unsigned: Boolean): String = kind match
    case Type.Primitive.BOOLEAN => "BOOLEAN"
    case Type.Primitive.FLOAT   => "FLOAT"
    case Type.Primitive.DOUBLE  => "DOUBLE"
    case Type.Primitive.CHAR    => "USMALLINT"
    case other =>
      val name = other.size match
        case 1 => "TINYINT"
        case 2 => "SMALLINT"
        case 4 => "INTEGER"
        case _ => "BIGINT"
      if unsigned then s"U$name" else name
end SqlType
