package undercroft.cli
package internal.convert

import java.nio.ByteOrder
import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters.*
import undercroft.file.format.{Durability, Field, FileLayout, Schema, StructWriter}
import undercroft.file.{FieldOffsets, FieldSlices}

/** Writes a sealed struct file of fields whose offsets are not assigned. */
private[cli] final class NewStructFile(
    target: Path,
    layout: FileLayout,
    name: Option[String],
    fields: Vector[Field],
    rows: Long
):
  private val offsets = FieldOffsets(layout)

  /** The fields with their offsets. */
  val placed: Vector[Field] = fields.map(offsets.placed)

  /** Creates the file; `store` stores the rows in its memory, whose bytes are zero. Deletes the
    * file if it returns false. Returns its result.
    */
  def write(store: FieldSlices => Boolean): Boolean =
    val schema =
      Schema(name.getOrElse("Row"), layout, ByteOrder.nativeOrder, offsets.stride, placed.asJava)
    val writer = StructWriter.create(target, schema, Math.max(1, rows), Durability.VOLATILE)
    try
      val _ = writer.ensureCapacity(rows)
      val isStored = store(FieldSlices.of(writer, rows))
      if isStored then writer.seal(rows)
      else
        writer.close()
        Files.delete(target)
      isStored
    catch case cut: InternalError => throw writer.translate(cut)
    finally writer.close()
end NewStructFile
