package undercroft.struct

import internal.runtime.UnfinishedTable
import scala.annotation.publicInBinary
import undercroft.memory.Allocator

/** Views of a table's rows: the same memory, without a copy (but `copy`, which makes one). Like
  * [[Table.slice]] they keep the number of rows that the table had, and are read when an operation
  * runs.
  */
extension [T, L <: Layout](table: Table[T, L])

  /** The first `rows` rows, or all if there are fewer, as a slice.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](10)(i => Bill(i.toInt, 250))
    * println(bills.take(3).map(_.ticket).toVector) // Vector(0, 1, 2)
    * }}}
    */
  def take(rows: Long): Table[T, L] = table.slice(0, rows.max(0).min(table.size))

  /** All but the first `rows` rows, as a slice.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](10)(i => Bill(i.toInt, 250))
    * println(bills.drop(7).map(_.ticket).toVector) // Vector(7, 8, 9)
    * }}}
    */
  def drop(rows: Long): Table[T, L] = table.slice(rows.max(0).min(table.size), table.size)

  /** Slices of `size` rows that start `step` rows apart; the last may be shorter. Allocates one
    * object for each slice. A `size` or `step` below 1 throws IllegalArgumentException.
    *
    * {{{
    * val highest = trades.sliding(10, step = 5).map(_.maxOf(_.price)).toVector
    * }}}
    */
  def sliding(size: Long, step: Long = 1): Iterator[Table[T, L]] =
    if size < 1 || step < 1 then
      throw IllegalArgumentException(s"size and step must be at least 1, but are $size and $step")
    SlidingWindows(table, size, step)

  /** Slices of `size` rows, one after the other; the last may be shorter. Allocates one object for
    * each slice. A `size` below 1 throws IllegalArgumentException.
    *
    * {{{
    * println(trades.grouped(300).map(_.size).toVector) // Vector(300, 300, 300, 100)
    * }}}
    */
  def grouped(size: Long): Iterator[Table[T, L]] = table.sliding(size, size)

  /** The rows in reverse order.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
    * println(bills.reverse.map(_.ticket).toVector) // Vector(3, 2, 1, 0)
    * }}}
    */
  def reverse: StridedView[T, L] =
    val rows = table.size
    new StridedView(table, rows - 1, -1, rows)

  /** Every `step`-th row, starting with the first. A step below 1 throws IllegalArgumentException.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](10)(i => Bill(i.toInt, 250))
    * println(bills.strided(4).map(_.ticket).toVector) // Vector(0, 4, 8)
    * }}}
    */
  def strided(step: Long): StridedView[T, L] =
    new StridedView(table, 0, 1, table.size).strided(step)

  /** Pairs of rows of this table and another, as many as the shorter table has.
    *
    * {{{
    * val steps = trades.zip(trades.drop(1)).map((before, after) => after.price - before.price)
    * }}}
    */
  def zip[S, M <: Layout](other: Table[S, M]): ZippedView[T, L, S, M] = new ZippedView(table, other)

  /** The rows of this table, and then those of the others.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
    * println(bills.take(1).concat(bills.drop(2)).map(_.ticket).toVector) // Vector(0, 2, 3)
    * }}}
    */
  def concat(others: Table[T, L]*): ConcatenatedView[T, L] =
    new ConcatenatedView(ConcatenatedTables(table.kind, table +: others))

  /** The last row. An empty table throws NoSuchElementException. */
  def last: T = if table.isEmpty then Table.empty("last") else table.load(table.size - 1)

  /** The last row, if there is one. */
  def lastOption: Option[T] = Option.when(table.nonEmpty)(table.load(table.size - 1))

  /** The rows before the first that does not satisfy `p`, as a slice.
    *
    * {{{
    * println(trades.takeWhile(_.ticket < 10).size) // 10
    * }}}
    */
  inline def takeWhile(inline p: T => Boolean): Table[T, L] = table.span(p)._1

  /** The rows from the first on that does not satisfy `p`, as a slice.
    *
    * {{{
    * println(trades.dropWhile(_.ticket < 10).size) // 990
    * }}}
    */
  inline def dropWhile(inline p: T => Boolean): Table[T, L] = table.span(p)._2

  /** The rows before the first that does not satisfy `p`, and the others, as slices.
    *
    * {{{
    * val (early, late) = trades.span(_.ticket < 10)
    * println((early.size, late.size)) // (10,990)
    * }}}
    */
  inline def span(inline p: T => Boolean): (Table[T, L], Table[T, L]) =
    // A slice, because `p` may append rows to the table.
    val rows = table.slice(0, table.size)
    TableParts.split(rows, rows.indexWhereNot(p))

  /** A new table with the same rows.
    *
    * {{{
    * val copy = trades.copy
    * copy(0) = copy(1)
    * println((trades(0).ticket, copy(0).ticket)) // (0,1)
    * }}}
    */
  def copy(using allocator: Allocator): Table[T, L] =
    // A slice, because another thread may append rows to the table.
    val rows = table.slice(0, table.size)
    UnfinishedTable.filled(rows.another(rows.size, allocator), allocator)(_.copyFrom(rows))
end extension

@publicInBinary private[struct] object TableParts:

  /** The two parts of a table before and from a row on; a negative row is its end. */
  @publicInBinary private[struct] def split[T, L <: Layout](
      table: Table[T, L],
      row: Long
  ): (Table[T, L], Table[T, L]) =
    val at = if row < 0 then table.size else row
    (table.slice(0, at), table.slice(at, table.size))

private final class SlidingWindows[T, L <: Layout](table: Table[T, L], size: Long, step: Long)
    extends Iterator[Table[T, L]]:
  private val total = table.size
  private var from = 0L

  /** False after the window that contained the last row. */
  def hasNext: Boolean = from < total && (from == 0 || size < total - from + step)
  def next(): Table[T, L] =
    if !hasNext then throw java.util.NoSuchElementException(s"no window from row $from of $total")
    val start = from
    from += step.min(total - start)
    table.slice(start, start + size.min(total - start))
end SlidingWindows
