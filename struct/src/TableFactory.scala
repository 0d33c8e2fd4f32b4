package undercroft.struct

import internal.bytes.ForeignMemory
import internal.macros.loops.InPlaceLoops
import internal.runtime.UnfinishedTable
import undercroft.memory.internal.platform.Limits
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import scala.annotation.publicInBinary
import undercroft.memory.Allocator

/** Creates tables of one layout: [[Rows]], [[PackedRows]] and [[Columns]]. They live as long as the
  * allocator's owner, usually the enclosing region. A size below zero throws
  * IllegalArgumentException, a size beyond a budget MemoryLimitException.
  *
  * {{{
  * import undercroft.memory.*
  * final case class Trade(price: Int, amount: Long) derives Struct
  * Region.scoped:
  *   val zeros = Columns[Trade](1000)
  *   val steps = Rows.tabulate[Trade](1000)(i => Trade(i.toInt, 10))
  *   val copies = Rows.from(List(Trade(250, 10), Trade(251, 20)))
  *   println(zeros.size + steps.size + copies.size)
  * }}}
  *
  * An allocator that is not a given is passed by `using`; the Struct need not be:
  * {{{
  * import undercroft.memory.*
  * val shared = Region.shared("bills")
  * val bills = Rows[Bill](1000)(using shared)
  * println(bills.size) // 1000
  * shared.close()
  * }}}
  */
sealed class TableFactory[L <: Layout] private[struct] (private[undercroft] val kind: Table.Kind):

  /** `size` zeroed rows.
    *
    * {{{
    * val bills = Rows[Bill](1000)
    * println(bills(999)) // Bill(0,0)
    * }}}
    */
  def apply[T](size: Long)(using allocator: Allocator)(using struct: Struct[T]): Table[T, L] =
    Table.make(kind, size, isZeroed = true)

  /** Rows that hold `f` of their indices. They are written once, without being zeroed first.
    *
    * {{{
    * val bills = Columns.tabulate[Bill](4)(i => Bill(i.toInt, 250))
    * println(bills(3)) // Bill(3,250)
    * }}}
    */
  inline def tabulate[T](size: Long)(inline f: Long => T)(using
      allocator: Allocator
  )(using struct: Struct[T]): Table[T, L] =
    ${ InPlaceLoops.tabulate('this, 'size, 'f, 'struct, 'allocator) }

  /** Rows that hold the values of a collection, an Array, an IArray or an Iterator. If the number
    * of values is not known in advance, they are put in a growing table first, whose memory is
    * taken from the allocator and freed at the end, as [[GrowingTable.close]] does. If it is known,
    * and the iterator returns fewer or more values, ConcurrentModificationException is thrown.
    *
    * {{{
    * val bills = PackedRows.from(List(Bill(1, 250), Bill(2, 251)))
    * println(bills(1)) // Bill(2,251)
    * }}}
    */
  def from[T](values: IterableOnce[T])(using Allocator)(using Struct[T]): Table[T, L] =
    val knownSize = values match
      case view: scala.collection.View[?] => view.knownSize
      case collection: Iterable[?]        => collection.size
      case _                              => values.knownSize
    if knownSize >= 0 then fromKnown(knownSize, values) else grown(_.appendAll(values))

  /** Rows that hold the values of a view, whose number is not known in advance: they are put in a
    * growing table first, whose memory is taken from the allocator and freed at the end, as
    * [[GrowingTable.close]] does.
    *
    * {{{
    * val sales = Columns.from(trades.filter(!_.buy))
    * println(sales.size) // 500
    * val bills = Rows.from(trades.map(trade => Bill(trade.ticket, trade.price)))
    * println(bills(999)) // Bill(999,99)
    * }}}
    */
  def from[T](values: View[T])(using Allocator)(using Struct[T]): Table[T, L] =
    grown: rows =>
      values.run: value =>
        rows.appendValue(value)
        true

  /** The rows that `fill` appends to a table of unknown size. */
  private def grown[T](fill: GrowingTable[T, Aligned] => Unit)(using
      allocator: Allocator
  )(using Struct[T]): Table[T, L] =
    val rows = Rows.growing[T]
    try
      fill(rows)
      UnfinishedTable.filled(apply[T](rows.size), allocator): table =>
        var i = 0L
        while i < rows.size do
          table.storeAt(i, rows.load(i))
          i += 1
    finally rows.close()

  private def fromKnown[T](size: Int, values: IterableOnce[T])(using
      allocator: Allocator
  )(using Struct[T]): Table[T, L] =
    UnfinishedTable.filled(apply[T](size.toLong), allocator): table =>
      val iterator = values.iterator
      var i = 0L
      while i < size && iterator.hasNext do
        table.store(i, iterator.next())
        i += 1
      if i < size || iterator.hasNext then
        val count = if i < size then s"$i" else s"at least ${i + 1}"
        throw java.util.ConcurrentModificationException(
          s"the collection's size is $size values, but its iterator returns $count"
        )

  @publicInBinary private[struct] def uninit[T](size: Long)(using
      allocator: Allocator
  )(using struct: Struct[T]): Table[T, L] = Table.uninit(kind, size)

  private[struct] def room(size: Long): Long = Table.room(kind, size)
end TableFactory

/** Creates tables whose rows are stored one after the other, so that a table can grow without a
  * limit given in advance.
  */
sealed class RowTableFactory[L <: Layout] private[struct] (rows: Table.Kind)
    extends TableFactory[L](rows):

  /** An empty table to append to. It takes memory as rows arrive, and address space once something
    * refers to the rows: a share of the free address space, for at most as many rows as fit in the
    * process's memory limit. Beyond that share, appending throws MemoryLimitException if the
    * addresses of the rows are fixed.
    *
    * {{{
    * val bills = Rows.growing[Bill]
    * for i <- 0 until 1000 do bills += Bill(i, 250)
    * println(bills.size) // 1000
    * }}}
    */
  def growing[T](using allocator: Allocator)(using struct: Struct[T]): GrowingTable[T, L] =
    // One row more, so that the memory limit ends the growth, with its own error.
    GrowingTable.open(kind, Limits.current / kind.bytesPerRow(struct) + 1, isBounded = false)

  /** As `growing`, for at most `maxRows` rows; reserves the address space for all of them.
    *
    * {{{
    * val bills = Rows.growingTo[Bill](maxRows = 2)
    * bills.appendAll(List(Bill(1, 250), Bill(2, 251)))
    * try bills += Bill(3, 252)
    * catch case _: IndexOutOfBoundsException => println(bills.size) // 2
    * }}}
    */
  def growingTo[T](maxRows: Long)(using
      allocator: Allocator
  )(using struct: Struct[T]): GrowingTable[T, L] =
    GrowingTable.open(kind, maxRows, isBounded = true)

  /** Rows over memory of C, without a copy: the bytes of a native segment, which has the bounds and
    * the lifetime that its creator gave it. A pointer that C returned gets both by
    * `pointer.reinterpret(bytes, arena, free)`. After the arena is closed, every access throws
    * FFM's IllegalStateException. There are no references to such rows; a parallel operation needs
    * a segment of `Arena.ofShared`. A segment of 0 bytes, on the heap, of a mapped file, or with
    * another number of bytes than a multiple of the row size throws IllegalArgumentException. Does
    * not allocate memory.
    *
    * {{{
    * import java.lang.foreign.Arena
    * val arena = Arena.ofConfined()
    * val bills = Rows.over[Bill](arena.allocate(16, 4))
    * bills(1) = Bill(1, 250)
    * println(bills.sumOf(_.price)) // 250
    * arena.close()
    * try println(bills(1))
    * catch case _: IllegalStateException => println("closed") // closed
    * }}}
    */
  def over[T](segment: MemorySegment)(using struct: Struct[T]): Table[T, L] =
    ForeignMemory.rows(kind, segment)

  /** Rows that hold the bytes between a buffer's position and its limit, copied unchanged; the
    * position does not move. A number of bytes that is not a multiple of the row size throws
    * IllegalArgumentException.
    *
    * {{{
    * import java.nio.{ByteBuffer, ByteOrder}
    * val bytes = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder).putInt(1).putInt(250).flip()
    * println(Rows.from[Bill](bytes)(0)) // Bill(1,250)
    * }}}
    */
  def from[T](bytes: ByteBuffer)(using allocator: Allocator)(using struct: Struct[T]): Table[T, L] =
    val (size, stride) = (bytes.remaining, kind.bytesPerRow(struct))
    if size % stride != 0 then
      throw IllegalArgumentException(
        s"$size bytes are not a multiple of the row size, $stride bytes"
      )
    UnfinishedTable.filled(uninit[T](size / stride), allocator): table =>
      MemorySegment.copy(MemorySegment.ofBuffer(bytes), 0, table.memory, 0, size.toLong)
end RowTableFactory

object Rows extends RowTableFactory[Aligned](Table.Kind.Aligned)
object PackedRows extends RowTableFactory[Packed](Table.Kind.Packed)

object Columns extends TableFactory[Columnar](Table.Kind.Columnar):

  /** An empty table to which up to `maxRows` rows can be appended. Memory is taken as rows arrive.
    * All of it counts against budgets once the rows take more than 16 KiB or something refers to
    * them, because each column has a fixed offset.
    *
    * {{{
    * val bills = Columns.growingTo[Bill](maxRows = 1_000_000)
    * bills += Bill(1, 250)
    * println(bills.sumOf(_.price)) // 250
    * }}}
    */
  def growingTo[T](maxRows: Long)(using
      allocator: Allocator
  )(using struct: Struct[T]): GrowingTable[T, Columnar] =
    GrowingTable.open(Table.Kind.Columnar, maxRows, isBounded = true)
end Columns
