package undercroft.struct

import internal.macros.loops.StridedLoops
import internal.runtime.LazyViews
import java.util.Objects
import scala.annotation.publicInBinary

/** Rows of a table at a distance from each other, forwards or backwards: the result of `reverse`
  * and `strided`. They are the table's own rows: a store changes the table. As thread-safe as the
  * table, and valid as long as the table.
  *
  * {{{
  * import undercroft.memory.*
  * final case class Trade(price: Int, amount: Long) derives Struct
  * Region.scoped:
  *   val trades = Rows.tabulate[Trade](9)(i => Trade(i.toInt, 10))
  *   println(trades.reverse.map(_.price).toVector)
  *   println(trades.strided(3).sumOf(_.price)) // rows 0, 3 and 6
  * }}}
  */
final class StridedView[T, L <: Layout] private[struct] (
    @publicInBinary private[struct] val table: Table[T, L],
    @publicInBinary private[struct] val from: Long,
    @publicInBinary private[struct] val step: Long,
    val size: Long
) extends View[T]:

  def isEmpty: Boolean = size == 0
  def nonEmpty: Boolean = size != 0

  /** The row at an index in `[0, size)`; outside, throws IndexOutOfBoundsException.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](10)(i => Bill(i.toInt, 250))
    * println(bills.reverse(0)) // Bill(9,250)
    * }}}
    */
  inline def apply(index: Long): T = table(row(index))

  /** Stores every field of the row at an index, as [[Table.update]]: the table's row changes.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](10)(i => Bill(i.toInt, 250))
    * bills.reverse(0) = Bill(7, 300)
    * println(bills(9)) // Bill(7,300)
    * }}}
    */
  inline def update(index: Long, inline value: T): Unit = table(row(index)) = value

  /** Replaces a part of the row at an index by the result of `f`, as [[Table.updateAt]].
    *
    * {{{
    * val bills = Rows.tabulate[Bill](10)(i => Bill(i.toInt, 250))
    * bills.strided(4).updateAt(1)(_.price)(_ + 1)
    * println(bills(4)) // Bill(4,251)
    * }}}
    */
  inline def updateAt(index: Long)[A](inline field: T => A)(inline f: A => A): Unit =
    table.updateAt(row(index))(field)(f)

  /** Replaces the row at an index by the result of `f`, as [[Table.transformAt]].
    *
    * {{{
    * val bills = Rows.tabulate[Bill](10)(i => Bill(i.toInt, 250))
    * bills.reverse.transformAt(0)(_.copy(price = 251))
    * println(bills(9)) // Bill(9,251)
    * }}}
    */
  inline def transformAt(index: Long)(inline f: T => T): Unit = table.transformAt(row(index))(f)

  /** Replaces a part of each of these rows by the result of `f`, in their order; the rows between
    * them are not accessed.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](10)(i => Bill(i.toInt, 250))
    * bills.strided(4).updateAll(_.price)(_ + 1)
    * println(bills.filter(_.price == 251).map(_.ticket).toVector) // Vector(0, 4, 8)
    * }}}
    */
  inline def updateAll[A](inline field: T => A)(inline f: A => A): Unit =
    ${ StridedLoops.updateAll('this, 'field, 'f) }

  /** Replaces each of these rows by the result of `f`, in their order, as [[Table.transform]].
    *
    * {{{
    * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
    * var number = 0
    * bills.reverse.transform { bill => number += 1; bill.copy(price = number) }
    * println(bills.map(_.price).toVector) // Vector(4, 3, 2, 1)
    * }}}
    */
  inline def transform(inline f: T => T): Unit = ${ StridedLoops.transform('this, 'f) }

  /** Stores `value` in each of these rows.
    *
    * {{{
    * val bills = Rows[Bill](4)
    * bills.strided(2).fill(Bill(7, 250))
    * println(bills.map(_.ticket).toVector) // Vector(7, 0, 7, 0)
    * }}}
    */
  inline def fill(value: T): Unit = transform(_ => value)

  /** The same rows in reverse order.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](10)(i => Bill(i.toInt, 250))
    * println(bills.strided(4).reverse.map(_.ticket).toVector) // Vector(8, 4, 0)
    * }}}
    */
  def reverse: StridedView[T, L] = new StridedView(table, from + (size - 1) * step, -step, size)

  /** Every `step`-th of these rows, starting with the first. A step below 1 throws
    * IllegalArgumentException.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](10)(i => Bill(i.toInt, 250))
    * println(bills.reverse.strided(4).map(_.ticket).toVector) // Vector(9, 5, 1)
    * }}}
    */
  def strided(step: Long): StridedView[T, L] =
    if step < 1 then throw IllegalArgumentException(s"step must be at least 1, but is $step")
    new StridedView(table, from, this.step * step, Math.ceilDiv(size, step))

  @publicInBinary private[struct] def row(index: Long): Long =
    from + Objects.checkIndex(index, size) * step

  /** The rows in order; allocates each. */
  def iterator: Iterator[T] = LazyViews.Indices("row", size, load)

  @publicInBinary private[struct] def load(index: Long): T = table.load(row(index))

  @publicInBinary private[struct] override def run(f: T => Boolean): Unit =
    var i = 0L
    try
      while i < size && f(table.load(from + i * step)) do i += 1
      table.confirm()
    catch case error: Throwable => throw table.translate(error)

  override def toString: String = s"$size rows of a $table, $step apart from row $from on"
end StridedView

/** Pairs of rows of two tables, of any layouts: the result of `zip`. A loop with function literals
  * does not allocate pairs and reads only the fields that the literals mention, such as `(trade,
  * quote) => trade.price - quote.bid`. Safe for the threads that may use both tables.
  *
  * {{{
  * val before = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
  * val after = Rows.tabulate[Bill](3)(i => Bill(i.toInt, 250 + i.toInt))
  * println(before.zip(after).size) // 3
  * println(before.zip(after).map((a, b) => b.price - a.price).sum) // 3
  * }}}
  */
final class ZippedView[A, L <: Layout, B, M <: Layout] private[struct] (
    @publicInBinary private[struct] val left: Table[A, L],
    @publicInBinary private[struct] val right: Table[B, M]
) extends View[(A, B)]:

  /** The number of pairs: the size of the shorter table. */
  val size: Long = left.size.min(right.size)
  def isEmpty: Boolean = size == 0
  def nonEmpty: Boolean = size != 0

  /** The pairs in order; allocates each. */
  def iterator: Iterator[(A, B)] = LazyViews.Indices("pair", size, load)

  @publicInBinary private[struct] def load(index: Long): (A, B) =
    (left.load(index), right.load(index))

  @publicInBinary private[struct] override def run(f: ((A, B)) => Boolean): Unit =
    var i = 0L
    try
      while i < size && f((left.load(i), right.load(i))) do i += 1
      left.confirm()
      right.confirm()
    catch case error: Throwable => throw left.translate(right.translate(error))
end ZippedView
