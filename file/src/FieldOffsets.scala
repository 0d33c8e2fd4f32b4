package undercroft.file

import undercroft.file.format.FileLayout

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

  /** The bytes of a row, with its tail padding; ends the assignment. */
  def stride: Int =
    align(widest)
    end
end FieldOffsets

private[undercroft] object FieldOffsets:
  /** The name of a nested struct's type, from the name of its field. It must not be that of an
    * Option.
    */
  def structName(field: String): String = field.capitalize match
    case "Option" => "OptionStruct"
    case name     => name
