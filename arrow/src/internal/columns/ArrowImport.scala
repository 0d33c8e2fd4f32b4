package undercroft.arrow
package internal.columns

import internal.ipc.ArrowSource
import internal.rows.TableWriter
import java.nio.ByteOrder
import java.nio.file.{Files, Path}
import undercroft.file.format.{Durability, FileLayout, Schema, StructWriter}
import undercroft.file.{ColumnKind, FieldSlices}

/** An Arrow file as the source of a struct file, whose schema follows from its fields: see
  * [[convertArrow]]. Confined to one thread.
  */
private[undercroft] final class ArrowImport(
    path: Path,
    layout: FileLayout,
    name: String,
    columns: Seq[String] = Seq()
) extends AutoCloseable:
  private val source = ArrowSource.open(path)
  private val input = source.input
  private val content = source.content

  /** The number of rows of all batches. */
  def rows: Long = content.rows

  /** The schema of the rows. */
  val schema: Schema = prepared:
    val all = ImportedField.all(input, content)
    val names = all.map(_.field.name)
    for column <- columns if !names.contains(column) do
      throw input.error(
        0,
        ArrowErrorKind.WrongSchema,
        s"there is no column `$column`; the columns are ${names.mkString(", ")}"
      )
    val imported =
      if columns.isEmpty then all
      else columns.distinct.toVector.flatMap(column => all.filter(_.field.name == column))
    val types = ImportedFieldTypes(input, content, layout)
    val fields = types.of(imported)
    accepted(Schema(name, layout, ByteOrder.nativeOrder, types.stride, fields))

  private def prepared[A](value: => A): A =
    try value
    catch
      case error: Throwable =>
        source.close()
        throw error

  /** A value that a struct file's format may reject: rows that are too long or too many. */
  private def accepted[A](value: => A): A =
    try value
    catch
      case error: IllegalArgumentException =>
        throw input.error(0, ArrowErrorKind.Unsupported, s"${error.getMessage}")

  /** Writes all rows to a new file. Calls `step` with the number of rows after each batch. */
  def write(target: Path)(step: Long => Unit): Unit =
    // All errors except invalid values are reported before the file is created.
    val batches = BatchReader(input, content, ColumnKind.all(schema))
    val writer =
      accepted(StructWriter.create(target, schema, Math.max(1, rows), Durability.VOLATILE))
    try
      val _ = writer.ensureCapacity(rows)
      batches.store(TableWriter.of(FieldSlices.of(writer, rows)))(step)
      writer.seal(rows)
      writer.close()
    catch
      case error: Throwable =>
        if writer.isOpen then writer.discard() else Files.deleteIfExists(target): Unit
        throw error match
          case fault: InternalError => writer.translate(fault).nn
          case other                => other
  end write

  def close(): Unit = source.close()
end ArrowImport
