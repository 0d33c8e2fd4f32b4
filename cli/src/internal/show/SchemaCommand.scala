package undercroft.cli
package internal.show

import internal.input.Inputs
import internal.io.{Console, FileFormat}
import internal.sql.{ResultFormat, TextTable}
import java.nio.ByteOrder
import java.nio.file.Path
import java.util.Locale
import scala.jdk.CollectionConverters.*
import undercroft.arrow.internal.columns.ArrowImport
import undercroft.duckdb.{QueryResult, SqlValue}
import undercroft.file.format.{ErrorKind, FileLayout, Schema, StructFile, StructFileException, Type}
import undercroft.file.format.internal.codec.CompressedFile

/** Prints the schema of a struct file, or the one that an Arrow file would be stored with. */
private[cli] final class SchemaCommand(file: String, json: Boolean) extends Command:
  def run(console: Console): Int =
    val schema = read(Inputs.path(file))
    val fields = QueryResult(
      Vector("field", "type", "offset", "bytes"),
      schema.leaves.asScala.toVector.map: leaf =>
        Vector(
          SqlValue.Text(leaf.dotted),
          SqlValue.Text(SchemaCommand.show(leaf.`type`)),
          SqlValue.Integer(leaf.offset),
          SqlValue.Integer(leaf.`type`.size)
        )
    )
    if json then ResultFormat.Json.write(fields, console.out)
    else
      console.out.println(SchemaCommand.title(schema))
      ResultFormat.Table.write(fields, console.out)
    0
  end run

  private def read(path: Path): Schema =
    if FileFormat.of(file) == FileFormat.Arrow then
      val source = ArrowImport(path, FileLayout.COLUMNS, "Row")
      try source.schema
      finally source.close()
    else
      try
        val source = StructFile.open(path)
        try source.schema
        finally source.close()
      catch
        case error: StructFileException if error.kind == ErrorKind.COMPRESSED =>
          val source = CompressedFile.open(path)
          try source.schema
          finally source.close()
end SchemaCommand

private[cli] object SchemaCommand:
  def title(schema: Schema): String =
    val order = if schema.order == ByteOrder.LITTLE_ENDIAN then "little-endian" else "big-endian"
    s"${TextTable.escaped(schema.name)}: ${layout(schema)}, ${schema.stride} bytes a row, $order"

  def layout(schema: Schema): String = schema.layout.toString.toLowerCase(Locale.ROOT).nn

  /** A type as users of the format know it. */
  def show(stored: Type): String = stored match
    case primitive: Type.Primitive =>
      val name = primitive.toString.toLowerCase(Locale.ROOT).nn
      name.take(1).toUpperCase(Locale.ROOT) + name.drop(1)
    case array: Type.Elements => showArray(array, "")
    case other                => showElement(other, "")

  private def showArray(array: Type.Elements, outer: String): String =
    val sizes = s"[${array.count}]$outer"
    array.of match
      case inner: Type.Elements => showArray(inner, sizes)
      case element              => showElement(element, sizes)

  /** An element with the sizes of its arrays. */
  private def showElement(element: Type, sizes: String): String = element match
    case text: Type.Text => s"Text[${text.size}]$sizes"
    case cases: Type.Ordinal =>
      s"enum$sizes of ${cases.cases.size}: ${cases.cases.asScala.mkString(" ")}"
    case big: Type.BigEndian   => s"${showElement(big.of, sizes)}, big-endian"
    case logical: Type.Logical => s"${showElement(logical.of, sizes)}, ${logical.kind.description}"
    case struct: Type.Struct   => (if struct.name.isEmpty then "union" else struct.name) + sizes
    case plain                 => show(plain) + sizes
end SchemaCommand
