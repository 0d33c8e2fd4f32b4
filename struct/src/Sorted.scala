package undercroft.struct

import scala.annotation.publicInBinary
import undercroft.memory.Allocator

/** What the code generated for sorting calls. */
private[struct] object Sorted:

  @publicInBinary private[struct] def inPlace(table: Table[?, ?], leaf: Int): Unit =
    SortInPlace(table, table.struct.leaves(leaf)).sort()

  /** As `inPlace`, by several threads. */
  @publicInBinary private[struct] def together(table: Table[?, ?], leaf: Int): Unit =
    try
      SortTogether(Lent(table), table.struct.leaves(leaf)).sort()
      table.confirm()
    catch case error: Throwable => throw table.explained(error)

  @publicInBinary private[struct] def put(buffer: SortBuffer, key: Long): Unit = buffer.put(key)

  /** Sorts by the keys that `fill` puts. */
  @publicInBinary private[struct] def stable[T, L <: Layout](
      table: Table[T, L],
      keyBytes: Int,
      allocator: Allocator
  )(fill: (Table[T, L], SortBuffer) => Unit): Table[T, L] =
    ordered(table, keyBytes, allocator): buffer =>
      fill(table, buffer)
      buffer.sort()

  @publicInBinary private[struct] def stableByLeaf[T, L <: Layout](
      table: Table[T, L],
      leaf: Int,
      allocator: Allocator
  ): Table[T, L] =
    val keys = SortKeys(table, table.struct.leaves(leaf))
    ordered(table, keys.bytes, allocator)(_.sortBy(keys))

  private def ordered[T, L <: Layout](
      table: Table[T, L],
      keyBytes: Int,
      allocator: Allocator
  )(sort: SortBuffer => Unit): Table[T, L] =
    val made = table.another(table.size, allocator)
    val buffer = SortBuffer(table.size, keyBytes, allocator)
    try
      sort(buffer)
      table.confirm()
      RowMoves(table).gather(buffer, made)
      table.confirm()
      made
    catch case error: Throwable => throw table.explained(error)
    finally buffer.close()
end Sorted
