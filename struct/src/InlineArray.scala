package undercroft.struct

import internal.macros.access.InlineArrayAccess
import scala.annotation.{implicitNotFound, publicInBinary}
import scala.reflect.ClassTag
import scala.runtime.ScalaRunTime

/** `N` values of `A`: an array of fixed length that is stored inside a struct, as C's `a[N]`. `A`
  * is a primitive, a text, a struct, an enum, or another InlineArray, which gives C's `a[N][M]`.
  *
  * {{{
  * final case class Board(cells: InlineArray[InlineArray[Byte, 8], 8], moves: Short) derives Struct
  * val scores = InlineArray[Int, 3](1, 2, 3)
  * }}}
  *
  * On the heap it is immutable, and equal to an InlineArray of equal values. Loading a whole
  * InlineArray allocates. Through a reference (`ref.cells(1)(2) = 3`) and in the function literal
  * of a loop (`rows.sumOf(_.scores(2))`) one element, or one field of it (`ref.corners(1).x = 3`),
  * is read or stored without allocating. An index is in `[0, N)`; outside,
  * IndexOutOfBoundsException is thrown with both numbers, and nothing changes.
  */
final class InlineArray[A, N <: Int] private[struct] (
    private[struct] val flat: Array[?],
    from: Int,
    sizes: List[Int]
):
  /** The number of elements, `N`.
    *
    * {{{
    * println(InlineArray[Int, 3](1, 2, 3).length) // 3
    * }}}
    */
  def length: Int = sizes.head

  /** The element at an index in `[0, N)`.
    *
    * {{{
    * println(InlineArray[Int, 3](1, 2, 3)(2)) // 3
    * }}}
    */
  def apply(index: Int): A =
    val stride = sizes.tail.product
    val at = from + InlineArray.checked(index, length) * stride
    if sizes.tail.isEmpty then flat(at).asInstanceOf[A]
    else new InlineArray[Any, Int](flat, at, sizes.tail).asInstanceOf[A]

  /** A copy with one element replaced.
    *
    * {{{
    * println(InlineArray[Int, 3](1, 2, 3).updated(0, 7)) // InlineArray(7, 2, 3)
    * }}}
    */
  def updated(index: Int, value: A)(using element: InlineArray.Element[A]): InlineArray[A, N] =
    val at = InlineArray.checked(index, length)
    InlineArray.made(length, i => if i == at then value else apply(i))

  def indices: Range = 0 until length
  def iterator: Iterator[A] = indices.iterator.map(apply)
  def toVector: Vector[A] = iterator.toVector
  def toIArray(using ClassTag[A]): IArray[A] = IArray.from(iterator)

  /** All primitives inside, in order. */
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
    case that: InlineArray[?, ?] => that.length == length && toVector.equals(that.toVector)
    case _                       => false

  override def hashCode: Int = toVector.hashCode
  override def toString: String = iterator.mkString("InlineArray(", ", ", ")")
end InlineArray

object InlineArray:
  /** The largest size of a field, in bytes. */
  inline val MaxLength = 65536

  given [A, B, N <: Int](using CanEqual[A, B]): CanEqual[InlineArray[A, N], InlineArray[B, N]] =
    CanEqual.derived

  /** An InlineArray of exactly `N` values; any other number throws IllegalArgumentException with
    * both numbers.
    *
    * {{{
    * println(InlineArray[Int, 3](1, 2, 3).toVector) // Vector(1, 2, 3)
    * }}}
    */
  def apply[A, N <: Int](values: A*)(using
      @implicitNotFound(
        "the length of this InlineArray is not known here: write its types, as in InlineArray[Int, 3]"
      )
      size: ValueOf[N],
      element: Element[A]
  ): InlineArray[A, N] =
    if values.size != size.value then
      throw IllegalArgumentException(
        s"an InlineArray of ${size.value} needs ${size.value} values, but got ${values.size}"
      )
    made(size.value, values)

  /** An InlineArray that holds the same value `N` times.
    *
    * {{{
    * println(InlineArray.fill[Byte, 4](7)) // InlineArray(7, 7, 7, 7)
    * }}}
    */
  def fill[A, N <: Int](value: A)(using
      @implicitNotFound(
        "the length of this InlineArray is not known here: write its types, as in InlineArray[Int, 3]"
      )
      size: ValueOf[N],
      element: Element[A]
  ): InlineArray[A, N] =
    made(size.value, _ => value)

  /** An InlineArray of the results of `f` on the indices `[0, N)`.
    *
    * {{{
    * println(InlineArray.tabulate[Int, 4](i => i * i)) // InlineArray(0, 1, 4, 9)
    * }}}
    */
  def tabulate[A, N <: Int](f: Int => A)(using
      @implicitNotFound(
        "the length of this InlineArray is not known here: write its types, as in InlineArray[Int, 3]"
      )
      size: ValueOf[N],
      element: Element[A]
  ): InlineArray[A, N] = made(size.value, f)

  private[struct] def made[A, N <: Int](size: Int, f: Int => A)(using
      element: Element[A]
  ): InlineArray[A, N] =
    val inner = element.sizes.product
    val flat = element.array(size * inner)
    for i <- 0 until size do element.store(flat, i * inner, f(i))
    new InlineArray(flat, 0, size :: element.sizes)

  @publicInBinary private[struct] def checked(index: Int, length: Int): Int =
    java.util.Objects.checkIndex(index, length)

  /** How values are stored on the heap: primitives unboxed, also inside nested InlineArrays. */
  sealed abstract class Element[A] private[InlineArray] (private[struct] val sizes: List[Int]):
    private[struct] def array(size: Int): Array[?]
    private[struct] def store(flat: Array[?], at: Int, value: A): Unit

  /** Values that are not primitives are stored as objects. */
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
    given [A, N <: Int](using size: ValueOf[N], element: Element[A]): Element[InlineArray[A, N]] =
      Nested(size.value, element)

    private final class Primitive[A: ClassTag] extends Element[A](Nil):
      private[struct] def array(size: Int): Array[?] = new Array[A](size)
      private[struct] def store(flat: Array[?], at: Int, value: A): Unit =
        flat.asInstanceOf[Array[A]](at) = value

    private final class Nested[A, N <: Int](size: Int, element: Element[A])
        extends Element[InlineArray[A, N]](size :: element.sizes):
      private[struct] def array(size: Int): Array[?] = element.array(size)
      private[struct] def store(flat: Array[?], at: Int, value: InlineArray[A, N]): Unit =
        val whole = value.whole
        for i <- whole.indices do ScalaRunTime.array_update(flat, at + i, whole(i))
  end Element

  extension [A, N <: Int, L <: Layout](ref: Reference[InlineArray[A, N], L])
    /** Reads one element, or returns a reference to it if it is an InlineArray. */
    transparent inline def apply(index: Int): Any = ${ InlineArrayAccess.read('ref, 'index) }

    /** Stores one element.
      *
      * {{{
      * final case class Scores(values: InlineArray[Int, 3]) derives Struct
      * val scores = Ref(Scores(InlineArray(1, 2, 3)))
      * scores.values(1) = 7
      * println(scores.values(1)) // 7
      * }}}
      */
    inline def update(index: Int, value: A): Unit =
      ${ InlineArrayAccess.assign('ref, 'index, 'value) }

    inline def length(using size: ValueOf[N]): Int = size.value
end InlineArray
