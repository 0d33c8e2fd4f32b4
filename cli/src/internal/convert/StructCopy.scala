package undercroft.cli
package internal.convert

import internal.io.Console
import java.nio.file.Path
import scala.jdk.CollectionConverters.*
import undercroft.file.format.{Field, FileLayout, StructFile, Type}
import undercroft.file.{FieldSlices, StridedCopy}

/** Copies columns of a struct file to one of another layout, with their types. */
private[cli] object StructCopy:
  /** Rows that are copied column by column at a time: they stay in the cache. */
  private inline val Batch = 4096

  /** Whether all values of a file have the same bytes in the layout. */
  def isPossible(file: StructFile, layout: FileLayout): Boolean =
    val isSamePacking =
      (file.schema.layout == FileLayout.PACKED) == (layout == FileLayout.PACKED)
    !file.schema.leaves.asScala.exists: leaf =>
      leaf.shared || !isSamePacking && hasStructs(leaf.`type`)

  private def hasStructs(stored: Type): Boolean = stored match
    case array: Type.Elements  => hasStructs(array.of)
    case logical: Type.Logical => hasStructs(logical.of)
    case _: Type.Struct        => true
    case _                     => false

  /** @param columns
    *   the indices of the fields that are copied
    */
  def write(
      file: StructFile,
      columns: Vector[Int],
      target: Path,
      layout: FileLayout,
      name: Option[String],
      console: Console
  ): Unit =
    val source = FieldSlices.of(file)
    val fields = columns.map(file.schema.fields.asScala)
    val rows = source.rows
    val copy = NewStructFile(target, layout, name, fields, rows)
    copy.write: slices =>
      val pairs = leaves(fields).zip(leaves(copy.placed))
      val offsets = pairs.map(_._1.offset).toArray
      try
        console.progress("rows", rows): step =>
          for first <- 0L until rows by Batch do
            val count = Math.min(Batch, rows - first).toInt
            source.compare(first, first + count, offsets)
            for (from, to) <- pairs do
              val size = from.`type`.size
              val (fromStep, toStep) = (source.step(size), slices.step(size))
              StridedCopy.copy(
                source.memory,
                source.start(from.offset, size) + first * fromStep,
                fromStep,
                slices.memory,
                slices.start(to.offset, size) + first * toStep,
                toStep,
                size,
                count
              )
            step(count)
        source.confirm()
        true
      catch
        case fault: InternalError =>
          source.confirm() // throws if the source was truncated
          throw fault
      end try
    : Unit
  end write

  private def leaves(fields: Vector[Field]): Vector[Field.Leaf] = fields.flatMap:
    case leaf: Field.Leaf     => Vector(leaf)
    case record: Field.Record => leaves(record.fields.asScala.toVector)
    case union: Field.Union   => leaves(union.members.asScala.toVector)
end StructCopy
