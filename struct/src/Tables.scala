package undercroft.struct

import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import scala.annotation.publicInBinary
import undercroft.memory.{Allocator, Limits}
import undercroft.struct.internal.InPlace

/** Makes tables of one layout: [[Rows]], [[PackedRows]] and [[Columns]]. They live as long as the
  * allocator's owner, usually the region around. A size below zero is an IllegalArgumentException,
  * more than a budget has a MemoryLimitException.
  */
sealed class Tables[L <: Layout] private[struct] (private[undercroft] val kind: Table.Kind):

  /** `size` zeroed rows. */
  def apply[T](size: Long)(using struct: Struct[T], allocator: Allocator): Table[T, L] =
    Table.make(kind, size, allocator.allocate)

  /** Rows that hold `f` of their indices. They are written once, and not zeroed before. */
  inline def tabulate[T](size: Long)(inline f: Long => T)(using
      struct: Struct[T],
      allocator: Allocator
  ): Table[T, L] = ${ InPlace.tabulate('this, 'size, 'f, 'struct, 'allocator) }

  /** Rows that hold the values: those of a collection, an Array, an IArray or an Iterator. Where
    * their number is not known before, they are put in a growing table first, whose memory is taken
    * from the allocator and freed at the end.
    */
  def from[T](values: IterableOnce[T])(using Struct[T], Allocator): Table[T, L] =
    val known = values match
      case view: scala.collection.View[?] => view.knownSize
      case all: Iterable[?]               => all.size
      case _                              => values.knownSize
    if known >= 0 then fromKnown(known, values)
    else
      val rows = Rows.growing[T]
      try
        rows.appendAll(values)
        val made = apply[T](rows.size)
        var i = 0L
        while i < rows.size do
          made.storeAt(i, rows.load(i))
          i += 1
        made
      finally rows.close()

  private def fromKnown[T](size: Int, values: IterableOnce[T])(using
      Struct[T],
      Allocator
  ): Table[T, L] =
    val made = apply[T](size.toLong)
    var i = 0L
    values.iterator.foreach: value =>
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
sealed class RowTables[L <: Layout] private[struct] (rows: Table.Kind) extends Tables[L](rows):

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

  /** Rows that hold the bytes between a buffer's position and its limit, as they are; the position
    * stays. Bytes that are no whole number of rows are an IllegalArgumentException.
    */
  def from[T](bytes: ByteBuffer)(using struct: Struct[T], allocator: Allocator): Table[T, L] =
    val (size, stride) = (bytes.remaining, kind.bytesPerRow(struct))
    if size % stride != 0 then
      throw IllegalArgumentException(s"$size bytes are no whole number of rows of $stride bytes")
    val made = uninit[T](size / stride)
    MemorySegment.copy(MemorySegment.ofBuffer(bytes), 0, made.memory, 0, size.toLong)
    made
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
