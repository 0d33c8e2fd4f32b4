package undercroft.struct

import scala.annotation.publicInBinary
import scala.reflect.ClassTag
import scala.runtime.ScalaRunTime
import undercroft.struct.internal.Inlines

/** `N` values of `A`, an array of fixed length that lies inside a struct, as C's `a[N]`; `A` is a
  * primitive, a text, a struct, an enum, or an Inline of its own, and then it is C's `a[N][M]`.
  *
  * {{{
  * final case class Board(cells: Inline[Inline[Byte, 8], 8], moves: Short) derives Struct
  * val scores = Inline[Int, 3](1, 2, 3)
  * }}}
  *
  * On the heap it is immutable, and equal to one of equal values. Loading a whole one makes it an
  * object. Through a reference (`ref.cells(1)(2) = 3`) and in the function literal of a loop
  * (`rows.sumOf(_.scores(2))`) one element, or one field of it (`ref.corners(1).x = 3`), is read or
  * stored, and no object is made. An index is in `[0, N)`; outside, an IndexOutOfBoundsException
  * with both numbers, and nothing changes.
  */
final class Inline[A, N <: Int] private[struct] (
    private[struct] val flat: Array[?],
    from: Int,
    sizes: List[Int]
):
  /** How many elements there are: `N`. */
  def length: Int = sizes.head

  def apply(index: Int): A =
    val stride = sizes.tail.product
    val at = from + Inline.checked(index, length) * stride
    if sizes.tail.isEmpty then flat(at).asInstanceOf[A]
    else new Inline[Any, Int](flat, at, sizes.tail).asInstanceOf[A]

  /** The same values but for one. */
  def updated(index: Int, value: A)(using element: Inline.Element[A]): Inline[A, N] =
    val at = Inline.checked(index, length)
    Inline.made(length, i => if i == at then value else apply(i))

  def indices: Range = 0 until length
  def iterator: Iterator[A] = indices.iterator.map(apply)
  def toVector: Vector[A] = iterator.toVector
  def toIArray(using ClassTag[A]): IArray[A] = IArray.from(iterator)

  /** All primitives inside, in their order. */
  private[struct] def elements: Iterator[Any] =
    flat.iterator.slice(from, from + sizes.product)

  /** An array of exactly these elements. */
  @publicInBinary private[struct] def whole: Array[?] =
    if from == 0 && flat.length == sizes.product then flat
    else
      val copy = java.lang.reflect.Array.newInstance(flat.getClass.getComponentType, sizes.product)
      System.arraycopy(flat, from, copy, 0, sizes.product)
      copy.asInstanceOf[Array[?]]

  override def equals(other: Any): Boolean = other match
    case that: Inline[?, ?] => that.length == length && toVector.equals(that.toVector)
    case _                  => false

  override def hashCode: Int = toVector.hashCode
  override def toString: String = iterator.mkString("Inline(", ", ", ")")
end Inline

object Inline:
  /** The most bytes of a field. */
  inline val Longest = 65536

  given [A, B, N <: Int](using CanEqual[A, B]): CanEqual[Inline[A, N], Inline[B, N]] =
    CanEqual.derived

  /** As many values as `N` says; otherwise an IllegalArgumentException with both numbers. */
  def apply[A, N <: Int](values: A*)(using size: ValueOf[N], element: Element[A]): Inline[A, N] =
    if values.size != size.value then
      throw IllegalArgumentException(s"${values.size} values for an Inline of ${size.value}")
    made(size.value, values)

  /** `N` times the same value. */
  def fill[A, N <: Int](value: A)(using size: ValueOf[N], element: Element[A]): Inline[A, N] =
    made(size.value, _ => value)

  /** What a function makes of the indices. */
  def tabulate[A, N <: Int](f: Int => A)(using
      size: ValueOf[N],
      element: Element[A]
  ): Inline[A, N] = made(size.value, f)

  private[struct] def made[A, N <: Int](size: Int, f: Int => A)(using
      element: Element[A]
  ): Inline[A, N] =
    val inner = element.sizes.product
    val flat = element.array(size * inner)
    for i <- 0 until size do element.store(flat, i * inner, f(i))
    new Inline(flat, 0, size :: element.sizes)

  @publicInBinary private[struct] def checked(index: Int, length: Int): Int =
    java.util.Objects.checkIndex(index, length)

  /** How values are held on the heap: primitives as such, also those of Inlines inside. */
  sealed abstract class Element[A] private[Inline] (private[struct] val sizes: List[Int]):
    private[struct] def array(size: Int): Array[?]
    private[struct] def store(flat: Array[?], at: Int, value: A): Unit

  /** What is no primitive is held as an object. */
  sealed trait AnyElement:
    given [A]: Element[A] = Objects()

    private final class Objects[A] extends Element[A](Nil):
      private[struct] def array(size: Int): Array[?] = new Array[Any](size)
      private[struct] def store(flat: Array[?], at: Int, value: A): Unit =
        flat.asInstanceOf[Array[Any]](at) = value

  object Element extends AnyElement:
    given Element[Boolean] = Primitive()
    given Element[Byte] = Primitive()
    given Element[Short] = Primitive()
    given Element[Char] = Primitive()
    given Element[Int] = Primitive()
    given Element[Long] = Primitive()
    given Element[Float] = Primitive()
    given Element[Double] = Primitive()
    given [A, N <: Int](using size: ValueOf[N], element: Element[A]): Element[Inline[A, N]] =
      Nested(size.value, element)

    private final class Primitive[A: ClassTag] extends Element[A](Nil):
      private[struct] def array(size: Int): Array[?] = new Array[A](size)
      private[struct] def store(flat: Array[?], at: Int, value: A): Unit =
        flat.asInstanceOf[Array[A]](at) = value

    private final class Nested[A, N <: Int](size: Int, element: Element[A])
        extends Element[Inline[A, N]](size :: element.sizes):
      private[struct] def array(size: Int): Array[?] = element.array(size)
      private[struct] def store(flat: Array[?], at: Int, value: Inline[A, N]): Unit =
        val whole = value.whole
        for i <- whole.indices do ScalaRunTime.array_update(flat, at + i, whole(i))
  end Element

  extension [A, N <: Int, L <: Layout](ref: Reference[Inline[A, N], L])
    /** Reads one element, or gives a reference to it if it is an Inline. */
    transparent inline def apply(index: Int): Any = ${ Inlines.read('ref, 'index) }

    /** Stores one element. */
    inline def update(index: Int, value: A): Unit = ${ Inlines.assign('ref, 'index, 'value) }

    inline def length(using size: ValueOf[N]): Int = size.value
end Inline
