package undercroft.struct

import scala.annotation.publicInBinary
import scala.collection.Factory
import scala.reflect.ClassTag
import undercroft.struct.internal.Fused

/** A lazy sequence of values over the rows of a table: what `filter` and `map` give.
  *
  * A chain that ends in one of the operations below, written in one expression with function
  * literals, becomes a single loop over the memory: no view, no function and no row is made, and
  * only the fields that the literals mention are read. A view held in a `val`, or a function held
  * in one, gives the same answers through ordinary calls. A view has no state of its own: it reads
  * the table when the operation runs, on the thread that runs it.
  */
trait View[+A]:

  /** Hands each value to `step`, in order, until it answers false. */
  @publicInBinary private[struct] def run(step: A => Boolean): Unit

  def map[B](f: A => B): View[B] = View.Mapped(this, f)
  def filter(p: A => Boolean): View[A] = View.Filtered(this, p)
  def withFilter(p: A => Boolean): View[A] = View.Filtered(this, p)

  /** What a fold from the left comes to: `zero`, and then a value for each one here. */
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
    inline def foreach(inline f: A => Any): Unit = ${ Fused.foreach('view, 'f) }
    inline def foldLeft[B](zero: B)(inline op: (B, A) => B): B =
      ${ Fused.foldLeft('view, 'zero, 'op) }

    /** How many values satisfy `p`. */
    inline def count(inline p: A => Boolean): Long = ${ Fused.count('view, 'p) }

    /** Whether a value satisfies `p`; reads no further than the first that does. */
    inline def exists(inline p: A => Boolean): Boolean = ${ Fused.exists('view, 'p) }

    /** Whether no value fails `p`; true when empty. */
    inline def forall(inline p: A => Boolean): Boolean = !view.exists(a => !p(a))

    /** The first value that satisfies `p`, as an object. */
    inline def find(inline p: A => Boolean): Option[A] = ${ Fused.find('view, 'p) }

    /** The position of the first value that satisfies `p`, or -1. */
    inline def indexWhere(inline p: A => Boolean): Long = ${ Fused.indexWhere('view, 'p) }

    /** The sum: a Long of Byte, Short, Int and Long (an ArithmeticException with the exact sum if
      * it does not fit: see [[exactSum]]), a Double of Float and Double; 0 when empty.
      */
    inline def sum[R](using inline sum: Sum[A, R]): R = ${ Fused.sum[A, R]('view) }

    /** The sum of Byte, Short, Int or Long values, whatever its size; 0 when empty. */
    inline def exactSum(using inline sum: Sum[A, Long]): BigInt = ${ Fused.exactSum('view) }

    /** The smallest primitive; NaN is the largest Double and -0.0 smaller than 0.0. Throws
      * NoSuchElementException when empty.
      */
    inline def min: A = ${ Fused.extreme('view, '{ false }) }

    /** The largest primitive, in the order of [[min]]; NoSuchElementException when empty. */
    inline def max: A = ${ Fused.extreme('view, '{ true }) }

    /** The first value whose key is smallest, in the order of [[min]]; NoSuchElementException when
      * empty.
      */
    inline def minBy[K](inline key: A => K): A = ${ Fused.extremeBy('view, 'key, '{ false }) }

    /** The first value whose key is largest; NoSuchElementException when empty. */
    inline def maxBy[K](inline key: A => K): A = ${ Fused.extremeBy('view, 'key, '{ true }) }

    inline def sumOf[N, R](inline f: A => N)(using inline sum: Sum[N, R]): R = view.map(f).sum
    inline def exactSumOf[N](inline f: A => N)(using inline sum: Sum[N, Long]): BigInt =
      view.map(f).exactSum
    inline def minOf[N](inline f: A => N): N = view.map(f).min
    inline def maxOf[N](inline f: A => N): N = view.map(f).max

    /** The values as objects, in a collection on the heap: `to(List)`, or `to(Map)` of pairs. */
    inline def to[C](factory: Factory[A, C]): C =
      val builder = factory.newBuilder
      view.foreach(a => builder += a)
      builder.result()

    /** The values as objects, on the heap. */
    inline def toVector: Vector[A] =
      val builder = Vector.newBuilder[A]
      view.foreach(a => builder += a)
      builder.result()

    /** The values as a heap array. More than an array holds is an IllegalStateException.
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
      throw IllegalStateException(s"an array ends at $longest elements: use a slice")
    val grown = Math.min(values.length * 2L, longest.toLong).toInt
    first(values, grown)

  /** A copy of the first elements, or of all of them and room behind. */
  @publicInBinary private[struct] def first[A: ClassTag](values: Array[A], size: Int): Array[A] =
    val copy = new Array[A](size)
    System.arraycopy(values, 0, copy, 0, Math.min(values.length, size))
    copy

  /** What the JVM's arrays hold at the most. */
  private val longest = Int.MaxValue - 8
end View
