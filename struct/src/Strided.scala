package undercroft.struct

import java.util.Objects
import scala.annotation.publicInBinary

/** Rows of a table at a distance from each other, forwards or backwards: `reverse` and `strided` of
  * a table. It is as safe for threads as the table, and ends with it.
  */
final class Strided[T, L <: Layout] private[struct] (
    @publicInBinary private[struct] val table: Table[T, L],
    @publicInBinary private[struct] val from: Long,
    @publicInBinary private[struct] val step: Long,
    val size: Long
) extends View[T]:

  /** The row at an index in `[0, size)`; IndexOutOfBoundsException outside. */
  inline def apply(index: Long): T = table(row(index))

  /** The same rows from the last to the first. */
  def reverse: Strided[T, L] = new Strided(table, from + (size - 1) * step, -step, size)

  /** Every `step`-th of them, from the first one on. Below 1 is an IllegalArgumentException. */
  def strided(step: Long): Strided[T, L] =
    if step < 1 then throw IllegalArgumentException(s"rows that are $step rows apart")
    new Strided(table, from, this.step * step, Math.ceilDiv(size, step))

  @publicInBinary private[struct] def row(index: Long): Long =
    from + Objects.checkIndex(index, size) * step

  @publicInBinary private[struct] def run(f: T => Boolean): Unit =
    var i = 0L
    while i < size && f(table.load(from + i * step)) do i += 1
    table.confirm()

  override def toString: String = s"$size rows of a $table, $step apart from row $from on"
end Strided

/** Pairs of rows of two tables, of any layouts: `zip`. In a loop with function literals no pair is
  * made, and only the fields that the literals mention are read, as `(trade, quote) => trade.price -
  * quote.bid` does. Safe for the threads that both tables are for.
  */
final class Zipped[A, L <: Layout, B, M <: Layout] private[struct] (
    @publicInBinary private[struct] val left: Table[A, L],
    @publicInBinary private[struct] val right: Table[B, M]
) extends View[(A, B)]:

  /** How many pairs there are: as many as the shorter table had rows. */
  val size: Long = left.size.min(right.size)

  @publicInBinary private[struct] def run(f: ((A, B)) => Boolean): Unit =
    var i = 0L
    while i < size && f((left.load(i), right.load(i))) do i += 1
    left.confirm()
    right.confirm()
end Zipped
