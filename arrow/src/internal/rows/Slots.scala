package undercroft.arrow
package internal.rows

import java.lang.foreign.MemorySegment
import undercroft.file.FieldSlices

/** The positions of the values of a field in memory, in bytes. */
private[arrow] sealed trait ValuePlaces:
  /** The position of value `i`. */
  def at(i: Long): Long

  /** The distance between the values of a run. */
  def step: Long

  /** The number of values from `i` on that are a run: each is [[step]] bytes after the last one. */
  def runLength(i: Long): Long

private[arrow] object ValuePlaces:
  /** Values at one distance. */
  final case class Even(start: Long, step: Long) extends ValuePlaces:
    def at(i: Long): Long = start + i * step
    def runLength(i: Long): Long = Long.MaxValue

  /** The items of arrays of `count` items, at an offset from the start of each item. */
  final class InArrays(arrays: ValuePlaces, count: Int, val step: Long, offset: Int)
      extends ValuePlaces:
    def at(i: Long): Long = arrays.at(i / count) + i % count * step + offset
    def runLength(i: Long): Long = count - i % count
end ValuePlaces

/** Structs in memory, each of which has the same fields: rows, or the items of the arrays in them.
  */
private[arrow] sealed trait Slots:
  def memory: MemorySegment

  /** The places of the field at an offset whose values have `size` bytes. */
  def places(offset: Int, size: Int): ValuePlaces

  /** The items of an array field: `count` items of `itemBytes` bytes for each slot. */
  def items(offset: Int, count: Int, itemBytes: Int): Slots =
    Slots.Items(memory, places(offset, count * itemBytes), count, itemBytes)
end Slots

private[arrow] object Slots:
  /** The rows of a table from row `from` on. */
  final class Rows(lanes: FieldSlices, from: Long) extends Slots:
    def memory: MemorySegment = lanes.memory
    def places(offset: Int, size: Int): ValuePlaces =
      val step = lanes.step(size)
      ValuePlaces.Even(lanes.start(offset, size) + from * step, step)

  /** Packed structs of `stride` bytes, from the start of the memory on. */
  final class Packed(val memory: MemorySegment, stride: Int) extends Slots:
    def places(offset: Int, size: Int): ValuePlaces = ValuePlaces.Even(offset, stride)

  private final class Items(
      val memory: MemorySegment,
      arrays: ValuePlaces,
      count: Int,
      itemBytes: Int
  ) extends Slots:
    def places(offset: Int, size: Int): ValuePlaces = arrays match
      // The arrays of columns follow each other without a gap.
      case ValuePlaces.Even(start, step) if step == count.toLong * itemBytes =>
        ValuePlaces.Even(start + offset, itemBytes)
      case _ => ValuePlaces.InArrays(arrays, count, itemBytes, offset)
end Slots
