package undercroft.arrow
package internal.rows

import java.lang.foreign.MemorySegment
import undercroft.file.{FieldSlices, StridedCopy}

/** A range of the slots of a batch, of rows or of the items of arrays in them.
  *
  * @param from
  *   the first slot in the batch
  * @param to
  *   the slot of the table that receives it
  * @param place
  *   names a slot of the chunk in errors
  */
private[arrow] final class Chunk(
    val from: Long,
    val to: Long,
    val count: Int,
    val place: Int => String
):
  /** The items of arrays of `perSlot` items. */
  def items(perSlot: Int): Chunk =
    Chunk(
      from * perSlot,
      to * perSlot,
      count * perSlot,
      i => s"${place(i / perSlot)}, element ${i % perSlot}"
    )
end Chunk

private[arrow] object Chunk:
  /** A range of rows. */
  def ofRows(from: Long, to: Long, count: Int): Chunk =
    Chunk(from, to, count, i => s"row ${to + i}")

/** The slots of a table that values are stored in. Confined to one thread.
  *
  * @param outOfLine
  *   the memory of values out of line; None if the table has no such fields
  */
private[arrow] final class TableWriter(slots: Slots, val outOfLine: Option[OutOfLineMemory]):

  /** The items of an array field. */
  def items(offset: Int, count: Int, itemBytes: Int): TableWriter =
    TableWriter(slots.items(offset, count, itemBytes), outOfLine)

  /** Stores contiguous values of `size` bytes in the valid slots of a chunk. */
  def put(bytes: Array[Byte], offset: Int, size: Int, chunk: Chunk, there: Array[Boolean]): Unit =
    val source = MemorySegment.ofArray(bytes).nn
    val places = slots.places(offset, size)
    var i = 0
    while i < chunk.count do
      // One copy for each run of valid values.
      while i < chunk.count && !there(i) do i += 1
      var end = i
      while end < chunk.count && there(end) do end += 1
      while i < end do
        val count = Math.min(places.runLength(chunk.to + i), end - i).toInt
        StridedCopy.copy(
          source,
          i.toLong * size,
          size,
          slots.memory,
          places.at(chunk.to + i),
          places.step,
          size,
          count
        )
        i += count
    end while
  end put
end TableWriter

private[arrow] object TableWriter:
  def of(lanes: FieldSlices): TableWriter = TableWriter(Slots.Rows(lanes, 0), None)

  /** Stores rows of a new table, and their values out of line. */
  def of(lanes: FieldSlices, outOfLine: OutOfLineMemory): TableWriter =
    TableWriter(Slots.Rows(lanes, 0), Some(outOfLine))
