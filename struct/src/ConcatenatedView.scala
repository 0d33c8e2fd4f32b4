package undercroft.struct

import internal.macros.maps.GroupMacros
import internal.runtime.UnfinishedTable
import java.util.Objects
import scala.annotation.publicInBinary
import undercroft.memory.Allocator

/** The rows of several tables of one layout, one after the other, without a copy: the result of
  * `concat`. As thread-safe as the tables, and valid as long as all of them.
  *
  * Like [[Table.slice]] it keeps the number of rows that each table had. A loop with function
  * literals is one loop over the memory of each table in turn. Access by an index finds the table
  * in O(log n) steps for n tables.
  *
  * {{{
  * val morning = Rows.tabulate[Bill](3)(i => Bill(i.toInt, 250))
  * val evening = Rows.tabulate[Bill](2)(i => Bill(3 + i.toInt, 260))
  * val day = morning.concat(evening)
  * println(day.size) // 5
  * println(day(3)) // Bill(3,260)
  * println(day.filter(_.price > 250).sumOf(_.ticket)) // 7
  * }}}
  */
class ConcatenatedView[T, L <: Layout] private[undercroft] (
    @publicInBinary private[undercroft] var all: ConcatenatedTables[T, L]
) extends View[T]:

  /** The number of rows of all tables. */
  final def size: Long = all.size
  final def isEmpty: Boolean = size == 0
  final def nonEmpty: Boolean = size != 0

  /** The row at an index in `[0, size)`; outside, throws IndexOutOfBoundsException.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](3)(i => Bill(i.toInt, 250))
    * println(bills.concat(bills)(4)) // Bill(1,250)
    * }}}
    */
  inline def apply(index: Long): T =
    val tables = all
    val part = tables.partOf(index)
    tables.table(part)(index - tables.start(part))

  /** The rows `[from, until)` of the same memory. Rows that are not within `[0, size)` throw
    * IndexOutOfBoundsException.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](3)(i => Bill(i.toInt, 250))
    * println(bills.concat(bills).slice(2, 5).map(_.ticket).toVector) // Vector(2, 0, 1)
    * }}}
    */
  final def slice(from: Long, until: Long): ConcatenatedView[T, L] =
    new ConcatenatedView(all.slice(from, until))

  /** The first `rows` rows, or all if there are fewer. */
  final def take(rows: Long): ConcatenatedView[T, L] = slice(0, rows.max(0).min(size))

  /** All but the first `rows` rows. */
  final def drop(rows: Long): ConcatenatedView[T, L] = slice(rows.max(0).min(size), size)

  /** The rows in order; allocates each. */
  final def iterator: Iterator[T] = all.tables.iterator.flatMap(_.iterator)

  /** The last row. An empty view throws NoSuchElementException. */
  final def last: T = lastOption.getOrElse(Table.empty("last"))

  /** The last row, if there is one. */
  final def lastOption: Option[T] =
    val tables = all
    Option.when(tables.size > 0)(tables.load(tables.size - 1))

  /** These rows, and then those of `others`. */
  final def concat(others: Table[T, L]*): ConcatenatedView[T, L] =
    new ConcatenatedView(ConcatenatedTables(all.kind, all.tables.toVector ++ others))

  /** A new table of all rows, in memory of the allocator, copied as bytes: for sorting, grouping
    * and the other operations of a table.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](3)(i => Bill(i.toInt, 250))
    * println(bills.concat(bills).copy.sortBy(_.ticket).map(_.ticket).toVector)
    * // Vector(0, 0, 1, 1, 2, 2)
    * }}}
    */
  final def copy(using allocator: Allocator)(using struct: Struct[T]): Table[T, L] =
    all.copy(allocator)

  /** Folds the rows of each table in parallel, one table after the other, as [[parAggregate]] of a
    * table does, and combines the results in the order of the tables.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](3)(i => Bill(i.toInt, 250))
    * println(bills.concat(bills).parAggregate(0L)((sum, bill) => sum + bill.price)(_ + _)) // 1500
    * }}}
    */
  inline def parAggregate[B](inline zero: B, grain: Long = 0)(inline op: (B, T) => B)(
      inline combine: (B, B) => B
  ): B = ${ GroupMacros.parAggregateAll('this, 'zero, 'grain, 'op, 'combine) }

  @publicInBinary private[struct] override def run(step: T => Boolean): Unit =
    val tables = all
    var isWanted = true
    var part = 0
    while isWanted && part < tables.count do
      tables.table(part).run: row =>
        isWanted = step(row)
        isWanted
      part += 1

  override def toString: String = s"${all.count} tables with $size rows"
end ConcatenatedView

/** Several tables of one layout, with the index of the first row of each. Immutable. */
private[undercroft] final class ConcatenatedTables[T, L <: Layout] private (
    private[undercroft] val kind: Table.Kind,
    private[undercroft] val tables: Array[Table[T, L]],
    starts: Array[Long]
):
  @publicInBinary private[undercroft] def count: Int = tables.length
  @publicInBinary private[undercroft] def table(part: Int): Table[T, L] = tables(part)
  @publicInBinary private[undercroft] def start(part: Int): Long = starts(part)

  @publicInBinary private[undercroft] def size: Long = starts(tables.length)

  /** The table that has the row at an index. */
  @publicInBinary private[undercroft] def partOf(index: Long): Int =
    val _ = Objects.checkIndex(index, size)
    var (low, high) = (0, tables.length)
    while high - low > 1 do
      val middle = (low + high) >>> 1
      if starts(middle) <= index then low = middle else high = middle
    low

  @publicInBinary private[struct] def load(index: Long): T =
    val part = partOf(index)
    tables(part).load(index - starts(part))

  private[struct] def slice(from: Long, until: Long): ConcatenatedTables[T, L] =
    Table.checkRange(from, until, size)
    ConcatenatedTables(
      kind,
      for
        part <- tables.indices.toVector
        table = tables(part)
        first = (from - starts(part)).max(0).min(table.size)
        last = (until - starts(part)).max(0).min(table.size)
        if first < last
      yield table.slice(first, last)
    )

  private[struct] def copy(allocator: Allocator)(using struct: Struct[T]): Table[T, L] =
    val copied: Table[T, L] = Table.uninit(kind, size)(using struct, allocator)
    UnfinishedTable.filled(copied, allocator): target =>
      for part <- tables.indices do
        target.slice(starts(part), starts(part + 1)).copyFrom(tables(part))
end ConcatenatedTables

private[undercroft] object ConcatenatedTables:

  /** Fixes the row count of each table. */
  def apply[T, L <: Layout](
      kind: Table.Kind,
      tables: Seq[Table[T, L]]
  ): ConcatenatedTables[T, L] =
    val slices = tables.map(table => table.slice(0, table.size)).toArray[Table[T, L]]
    new ConcatenatedTables(kind, slices, slices.scanLeft(0L)((sum, table) => sum + table.size))
