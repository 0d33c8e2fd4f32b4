package undercroft.struct

import internal.macros.loops.FusedLoops
import scala.annotation.publicInBinary
import scala.collection.Factory
import scala.reflect.ClassTag

/** A lazy sequence of values over the rows of a table: the result of `filter` and `map`.
  *
  * A chain that ends in one of the operations below, written in one expression with function
  * literals, becomes a single loop over the memory (loop fusion): no view, function or row is
  * allocated, and only the fields that the literals mention are read. A view or a function stored
  * in a `val` gives the same results through ordinary calls. A view has no state of its own: it
  * reads the table when the operation runs, on the thread that runs it.
  *
  * {{{
  * import undercroft.memory.*
  * final case class Trade(price: Int, amount: Long) derives Struct
  * Region.scoped:
  *   val trades = Columns.tabulate[Trade](1000)(i => Trade(i.toInt, i % 7))
  *   println(trades.filter(_.amount > 3).map(_.price).sum) // one loop
  *   println(trades.count(_.price > 500))
  * }}}
  */
trait View[+A]:

  /** Passes each value to `step`, in order, until it returns false. */
  @publicInBinary private[struct] def run(step: A => Boolean): Unit

  def map[B](f: A => B): View[B] = View.Mapped(this, f)
  def filter(p: A => Boolean): View[A] = View.Filtered(this, p)
  def withFilter(p: A => Boolean): View[A] = View.Filtered(this, p)

  /** The intermediate results of a fold from the left: `zero`, and then one value for each value
    * here.
    */
  def scanLeft[B](zero: B)(op: (B, A) => B): View[B] = View.Scanned(this, zero, op)
end View

object View:
  private final class Mapped[A, B](view: View[A], f: A => B) extends View[B]:
    @publicInBinary private[struct] def run(step: B => Boolean): Unit = view.run(a => step(f(a)))

  private final class Filtered[A](view: View[A], p: A => Boolean) extends View[A]:
    @publicInBinary private[struct] def run(step: A => Boolean): Unit =
      view.run(a => !p(a) || step(a))

  private final class Scanned[A, B](view: View[A], zero: B, op: (B, A) => B) extends View[B]:
    @publicInBinary private[struct] def run(step: B => Boolean): Unit =
      var total = zero
      if step(total) then
        view.run: a =>
          total = op(total, a)
          step(total)

  /** Every operation reads all values once, in order, unless it says otherwise. */
  extension [A](inline view: View[A])
    inline def foreach(inline f: A => Any): Unit = ${ FusedLoops.foreach('view, 'f) }
    inline def foldLeft[B](zero: B)(inline op: (B, A) => B): B =
      ${ FusedLoops.foldLeft('view, 'zero, 'op) }

    /** How many values satisfy `p`. */
    inline def count(inline p: A => Boolean): Long = ${ FusedLoops.count('view, 'p) }

    /** Whether a value satisfies `p`; reads no further than the first that does. */
    inline def exists(inline p: A => Boolean): Boolean = ${ FusedLoops.exists('view, 'p) }

    /** Whether no value fails `p`; true when empty. */
    inline def forall(inline p: A => Boolean): Boolean = !view.exists(a => !p(a))

    /** The first value that satisfies `p`; allocates. */
    inline def find(inline p: A => Boolean): Option[A] = ${ FusedLoops.find('view, 'p) }

    /** The position of the first value that satisfies `p`, or -1. */
    inline def indexWhere(inline p: A => Boolean): Long = ${ FusedLoops.indexWhere('view, 'p) }

    /** The sum: a Long for Byte, Short, Int and Long (an ArithmeticException with the exact sum if
      * it does not fit: see [[exactSum]]), a Double for Float and Double; 0 when empty.
      */
    inline def sum[R](using inline sum: Summable[A, R]): R = ${ FusedLoops.sum[A, R]('view) }

    /** The sum of Byte, Short, Int or Long values, of any size; 0 when empty. */
    inline def exactSum(using inline sum: Summable[A, Long]): BigInt =
      ${ FusedLoops.exactSum('view) }

    /** The smallest primitive; NaN is the largest Double and -0.0 smaller than 0.0. Throws
      * NoSuchElementException when empty.
      */
    inline def min: A = ${ FusedLoops.extreme('view, '{ false }) }

    /** The largest primitive, in the order of [[min]]; NoSuchElementException when empty. */
    inline def max: A = ${ FusedLoops.extreme('view, '{ true }) }

    /** The first value whose key is smallest, in the order of [[min]]; NoSuchElementException when
      * empty.
      */
    inline def minBy[K](inline key: A => K): A = ${ FusedLoops.extremeBy('view, 'key, '{ false }) }

    /** The first value whose key is largest; NoSuchElementException when empty. */
    inline def maxBy[K](inline key: A => K): A = ${ FusedLoops.extremeBy('view, 'key, '{ true }) }

    inline def sumOf[N, R](inline f: A => N)(using inline sum: Summable[N, R]): R = view.map(f).sum
    inline def exactSumOf[N](inline f: A => N)(using inline sum: Summable[N, Long]): BigInt =
      view.map(f).exactSum
    inline def minOf[N](inline f: A => N): N = view.map(f).min
    inline def maxOf[N](inline f: A => N): N = view.map(f).max

    /** The values in a collection on the heap: `to(List)`, or `to(Map)` of pairs. Allocates them.
      */
    inline def to[C](factory: Factory[A, C]): C =
      val builder = factory.newBuilder
      view.foreach(a => builder += a)
      builder.result()

    /** The values in a Vector on the heap. Allocates them. */
    inline def toVector: Vector[A] =
      val builder = Vector.newBuilder[A]
      view.foreach(a => builder += a)
      builder.result()

    /** The values as a heap array. More values than an array can hold throw IllegalStateException.
      */
    inline def toArray(using tag: ClassTag[A]): Array[A] =
      var values = new Array[A](16)
      var size = 0
      view.foreach: a =>
        if size == values.length then values = View.larger(values)
        values(size) = a
        size += 1
      View.first(values, size)

    /** As `toArray`, immutable. */
    inline def toIArray(using tag: ClassTag[A]): IArray[A] = IArray.unsafeFromArray(view.toArray)
  end extension

  @publicInBinary private[struct] def larger[A: ClassTag](values: Array[A]): Array[A] =
    if values.length == View.longest then
      throw IllegalStateException(s"an array holds at most $longest elements: use a slice")
    val grown = Math.min(values.length * 2L, longest.toLong).toInt
    first(values, grown)

  /** A copy of the first `size` elements; if there are fewer, room is left at the end. */
  @publicInBinary private[struct] def first[A: ClassTag](values: Array[A], size: Int): Array[A] =
    val copy = new Array[A](size)
    System.arraycopy(values, 0, copy, 0, Math.min(values.length, size))
    copy

  /** The largest length of an array on the JVM. */
  private val longest = Int.MaxValue - 8
end View
