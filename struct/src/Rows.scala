package undercroft.struct

import undercroft.memory.Allocator

/** Makes tables of one layout. */
sealed class Tables[L <: Layout] private[struct] (kind: Table.Kind):

  /** `size` zeroed rows that live as long as the allocator's owner. */
  def apply[T](size: Long)(using struct: Struct[T], allocator: Allocator): Table[T, L] =
    if size < 0 then throw IllegalArgumentException(s"a table of $size rows")
    val capacity = room(size)
    val bytes = Math.multiplyExact(capacity, kind.bytesPerRow(struct))
    new Table(allocator.allocate(bytes, 64), kind, 0, capacity, size)

  /** Columns start at multiples of 64 bytes. */
  private def room(size: Long): Long =
    if kind == Table.Kind.Columnar then Math.multiplyExact(Math.ceilDiv(size, 64L), 64L) else size
end Tables

object Rows extends Tables[Aligned](Table.Kind.Aligned)
object PackedRows extends Tables[Packed](Table.Kind.Packed)
object Columns extends Tables[Columnar](Table.Kind.Columnar)
