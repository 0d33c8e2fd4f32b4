package undercroft.struct

import java.lang.foreign.MemorySegment

/** Copies between tables of one layout, without a look at the fields. */
private[struct] object BulkCopy:

  def rows[T, L <: Layout](source: Table[T, L], target: Table[T, L]): Unit =
    try
      if source.kind == Table.Kind.Columnar then
        source.struct.leaves.distinctBy(_.column).foreach: leaf =>
          val size = leaf.kind.size.toLong
          copy(source, start(source, leaf), target, start(target, leaf), source.size * size)
      else copy(source, 0, target, 0, source.size * source.stride)
    catch case error: RuntimeException => throw target.explained(source.explained(error))

  private def start(table: Table[?, ?], leaf: Leaf): Long =
    table.capacity * leaf.column + table.first * leaf.kind.size

  private def copy(
      source: Table[?, ?],
      from: Long,
      target: Table[?, ?],
      to: Long,
      bytes: Long
  ): Unit = MemorySegment.copy(source.memory, from, target.memory, to, bytes)
end BulkCopy
