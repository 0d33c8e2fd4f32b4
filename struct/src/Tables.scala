package undercroft.struct

import scala.annotation.publicInBinary
import undercroft.memory.{Allocator, Limits}
import undercroft.struct.internal.InPlace

/** Makes tables of one layout: [[Rows]], [[PackedRows]] and [[Columns]]. They live as long as the
  * allocator's owner, usually the region around. A size below zero is an IllegalArgumentException,
  * more than a budget has a MemoryLimitException.
  */
sealed class Tables[L <: Layout] private[struct] (kind: Table.Kind):

  /** `size` zeroed rows. */
  def apply[T](size: Long)(using struct: Struct[T], allocator: Allocator): Table[T, L] =
    Table.make(kind, size, allocator.allocate)

  /** Rows that hold `f` of their indices. They are written once, and not zeroed before. */
  inline def tabulate[T](size: Long)(inline f: Long => T)(using
      struct: Struct[T],
      allocator: Allocator
  ): Table[T, L] = ${ InPlace.tabulate('this, 'size, 'f, 'struct, 'allocator) }

  /** Rows that hold the values. */
  def from[T](values: Iterable[T])(using Struct[T], Allocator): Table[T, L] =
    val made = apply[T](values.size.toLong)
    var i = 0L
    values.foreach: value =>
      made.store(i, value)
      i += 1
    made

  @publicInBinary private[struct] def uninit[T](size: Long)(using
      struct: Struct[T],
      allocator: Allocator
  ): Table[T, L] = Table.uninit(kind, size)

  private[struct] def room(size: Long): Long = Table.room(kind, size)
end Tables

/** Tables whose rows lie one after the other, and so can be appended to without an end given. */
sealed class RowTables[L <: Layout] private[struct] (kind: Table.Kind) extends Tables[L](kind):

  /** An empty table to append to. It reserves address space for `upTo` rows, by default for as many
    * as the process's memory limit holds, and takes memory as rows arrive.
    */
  def growing[T](using struct: Struct[T], allocator: Allocator): GrowingTable[T, L] =
    // One row more: so that it is the limit that ends it, with its own error.
    growingTo(Limits.current / kind.bytesPerRow(struct) + 1)

  /** As `growing`, for `upTo` rows at the most. */
  def growingTo[T](upTo: Long)(using struct: Struct[T], allocator: Allocator): GrowingTable[T, L] =
    val capacity = room(upTo)
    val bytes = Math.multiplyExact(capacity, kind.bytesPerRow(struct))
    new GrowingTable(allocator.reserve(bytes), kind, capacity, upTo)
end RowTables

object Rows extends RowTables[Aligned](Table.Kind.Aligned)
object PackedRows extends RowTables[Packed](Table.Kind.Packed)

object Columns extends Tables[Columnar](Table.Kind.Columnar):

  /** An empty table to append up to `upTo` rows to. Memory is taken as rows arrive, but all of it
    * counts against budgets from the first row on, because each column has its own place.
    */
  def growingTo[T](upTo: Long)(using
      struct: Struct[T],
      allocator: Allocator
  ): GrowingTable[T, Columnar] =
    val capacity = room(upTo)
    val bytes = Math.multiplyExact(capacity, struct.columnarSize.toLong)
    new GrowingTable(allocator.reserve(bytes), Table.Kind.Columnar, capacity, upTo)
end Columns
