package undercroft.memory

import scala.compiletime.summonInline
import scala.reflect.ClassTag

/** Arrays on the heap at the cost of a loop over `new Array`, where Scala 3 pays for a ClassTag.
  *
  * `Array.fill` and `Array.tabulate` take a ClassTag, make the array by reflection, call a function
  * object and box each element; so does `Array.ofDim` where the element type is a type parameter.
  * `toArray` takes one to make the array. Here the element type has to be known where the call is
  * compiled, through inline methods if need be, and the call becomes the bare instruction and a
  * loop. Where the type is known, `Array.ofDim[Int](n)` is the bare instruction already, and
  * `new Array[Int](n)` always.
  */
object Arrays:

  /** A new array of `size` elements; for use in inline methods whose element type is generic. */
  inline def ofDim[T](size: Int): Array[T] = make[T](size)

  /** A new array whose elements are all `element`, which is evaluated for each. */
  inline def fill[T](size: Int)(inline element: T): Array[T] =
    val array = make[T](size)
    var i = 0
    while i < size do
      array(i) = element
      i += 1
    array

  /** A new array whose elements are `element(0)`, `element(1)` and so on. */
  inline def tabulate[T](size: Int)(inline element: Int => T): Array[T] =
    val array = make[T](size)
    var i = 0
    while i < size do
      array(i) = element(i)
      i += 1
    array

  /** A new array of the elements of `from`, in their order.
    *
    * Where the library knows how to copy a collection it is the fastest already: this makes the
    * array and lets `from` copy itself. It spares the ClassTag, a few nanoseconds a call, and for a
    * List the arrays that grow. What does not know its size is left to the library's `toArray`.
    */
  inline def toArray[T](from: Iterable[T]): Array[T] =
    val size = from match
      case list: List[?] => list.length // which a List does not tell by itself
      case other         => other.knownSize
    if size < 0 then from.toArray[T](using summonInline[ClassTag[T]])
    else
      val array = make[T](size)
      from.copyToArray(array): Unit
      array

  // Once the element type is known, the compiler makes this the bare instruction.
  private inline def make[T](size: Int): Array[T] =
    Array.ofDim[T](size)(using summonInline[ClassTag[T]])
end Arrays
