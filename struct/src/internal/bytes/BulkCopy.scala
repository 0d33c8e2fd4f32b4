package undercroft.struct
package internal.bytes

import java.lang.foreign.MemorySegment

/** Copies rows as bytes from one table to another of the same layout, without reading fields.
  * Thread-safe if both tables are.
  */
private[struct] final class BulkCopy(source: Table[?, ?], target: Table[?, ?]):
  private val columnar = source.kind == Table.Kind.Columnar
  private val stride = source.stride
  private val columns = source.struct.columns

  /** Copies rows `[from, from + count)` to the rows starting at `to`. */
  def rows(from: Long, count: Long, to: Long): Unit =
    if columnar then
      var k = 0
      while k < columns.length do
        val size = columns(k).kind.size.toLong
        val (read, write) = (start(source, columns(k)), start(target, columns(k)))
        bytes(read + from * size, write + to * size, count * size)
        k += 1
    else bytes(from * stride, to * stride, count * stride)

  private def start(table: Table[?, ?], leaf: Shape.Leaf): Long =
    table.capacity * leaf.column + table.first * leaf.kind.size

  private def bytes(from: Long, to: Long, count: Long): Unit =
    val distance = target.memory.address + to - (source.memory.address + from)
    val overlapsForwards = distance > 0 && distance < count
    if count > BulkCopy.Few || overlapsForwards then
      MemorySegment.copy(source.memory, from, target.memory, to, count)
    else
      var at = 0L
      while at + 8 <= count do
        val word = source.memory.get(ValueLayouts.long, from + at)
        target.memory.set(ValueLayouts.long, to + at, word)
        at += 8
      while at < count do
        val byte = source.memory.get(ValueLayouts.byte, from + at)
        target.memory.set(ValueLayouts.byte, to + at, byte)
        at += 1
end BulkCopy

private[struct] object BulkCopy:
  /** The most bytes that are copied faster word by word than by a call. */
  private inline val Few = 64L

  /** Copies all rows to a table of the same size. Throws if the layouts of `T` differ. */
  def all[T, L <: Layout](source: Table[T, L], target: Table[T, L]): Unit =
    if source.struct.fingerprint != target.struct.fingerprint then
      Fingerprint.differ(target.struct, Fingerprint.text(source.struct.shape))
    try
      source.confirm()
      BulkCopy(source, target).rows(0, source.size, 0)
      source.confirm()
      target.confirm()
    catch case error: Throwable => throw target.translate(source.translate(error))
end BulkCopy
