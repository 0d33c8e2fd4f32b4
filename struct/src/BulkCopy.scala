package undercroft.struct

import java.lang.foreign.MemorySegment
import undercroft.struct.internal.Unaligned

/** Copies rows from one table to another of the same layout, as bytes and without a look at the
  * fields. Of tables that several threads may use, for several threads.
  */
private[struct] final class BulkCopy(source: Table[?, ?], target: Table[?, ?]):
  private val columnar = source.kind == Table.Kind.Columnar
  private val stride = source.stride
  private val columns = source.struct.columns

  /** Copies rows `[from, from + count)` to the rows from `to` on. */
  def rows(from: Long, count: Long, to: Long): Unit =
    if columnar then
      var k = 0
      while k < columns.length do
        val size = columns(k).kind.size.toLong
        val (read, write) = (start(source, columns(k)), start(target, columns(k)))
        bytes(read + from * size, write + to * size, count * size)
        k += 1
    else bytes(from * stride, to * stride, count * stride)

  private def start(table: Table[?, ?], leaf: Leaf): Long =
    table.capacity * leaf.column + table.first * leaf.kind.size

  private def bytes(from: Long, to: Long, count: Long): Unit =
    if count > BulkCopy.Few then
      MemorySegment.copy(source.memory, from, target.memory, to, count)
    else
      var at = 0L
      while at + 8 <= count do
        val word = source.memory.get(Unaligned.long, from + at)
        target.memory.set(Unaligned.long, to + at, word)
        at += 8
      while at < count do
        val byte = source.memory.get(Unaligned.byte, from + at)
        target.memory.set(Unaligned.byte, to + at, byte)
        at += 1
end BulkCopy

private[struct] object BulkCopy:
  /** Bytes that are sooner copied word by word than by a call. */
  private inline val Few = 64L

  /** Copies all rows to a table of the same size. */
  def all[T, L <: Layout](source: Table[T, L], target: Table[T, L]): Unit =
    try
      source.confirm()
      BulkCopy(source, target).rows(0, source.size, 0)
      source.confirm()
      target.confirm()
    catch case error: Throwable => throw target.explained(source.explained(error))
end BulkCopy
