package undercroft.file

import scala.jdk.CollectionConverters.*
import undercroft.file.format.{Field, FileLayout, Type}

/** Assigns the offsets of a row's values in their order: aligned as in C, or without padding.
  * Confined to one thread.
  */
private[undercroft] final class FieldOffsets(layout: FileLayout):
  private var end = 0
  private var widest = 1

  /** Pads to a multiple of `alignment` bytes, in aligned rows. */
  def align(alignment: Int): Unit =
    if layout.equals(FileLayout.ALIGNED) then end = Math.ceilDiv(end, alignment) * alignment

  /** The offset of the next value, of `size` bytes. */
  def take(size: Int, alignment: Int): Int =
    align(alignment)
    widest = Math.max(widest, alignment)
    val offset = end
    end = Math.addExact(end, size)
    offset

  /** The field with the next offsets. Throws IllegalArgumentException for a union. */
  def placed(field: Field): Field = field match
    case leaf: Field.Leaf =>
      val stored = leaf.`type`
      Field.Leaf(leaf.name, take(stored.size, FieldOffsets.alignment(stored)), stored)
    case record: Field.Record =>
      val alignment = FieldOffsets.alignment(record)
      align(alignment)
      val fields = record.fields.asScala.toVector.map(placed)
      align(alignment)
      Field.Record(record.name, record.typeName, fields.asJava, record.kind)
    case union: Field.Union =>
      throw IllegalArgumentException(s"the union ${union.name} has no offsets of its own")

  /** The bytes of a row, with its tail padding; ends the assignment. */
  def stride: Int =
    align(widest)
    end
end FieldOffsets

private[undercroft] object FieldOffsets:
  /** The alignment of a value in C. */
  def alignment(stored: Type): Int = stored match
    case _: Type.Text          => 1
    case array: Type.Elements  => alignment(array.of)
    case logical: Type.Logical => alignment(logical.of)
    case struct: Type.Struct   => struct.fields.asScala.map(alignment).max
    case number                => number.size

  def alignment(field: Field): Int = field match
    case leaf: Field.Leaf     => alignment(leaf.`type`)
    case record: Field.Record => record.fields.asScala.map(alignment).max
    case union: Field.Union   => union.members.asScala.map(alignment).max

  /** The name of a nested struct's type, from the name of its field. It must not be that of an
    * Option.
    */
  def structName(field: String): String = field.capitalize match
    case "Option" => "OptionStruct"
    case name     => name
end FieldOffsets
