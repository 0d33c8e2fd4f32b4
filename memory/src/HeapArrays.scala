package undercroft.memory

import scala.compiletime.summonInline
import scala.reflect.ClassTag

/** Creates heap arrays at the cost of `new Array` and a loop, without a ClassTag.
  *
  * `Array.fill` and `Array.tabulate` take a ClassTag, create the array by reflection, call a
  * function object and box each element; so does `Array.ofDim` if the element type is a type
  * parameter. `toArray` takes one to create the array. Here the element type must be known where
  * the call is compiled, through inline methods if need be, and the call compiles to the array
  * instruction and a loop. If the type is known, `Array.ofDim[Int](n)` is the bare instruction
  * already, and `new Array[Int](n)` always.
  *
  * {{{
  * val squares = HeapArrays.tabulate[Int](5)(i => i * i)
  * val copy = HeapArrays.toArray(List(1, 2, 3))
  * }}}
  */
object HeapArrays:

  /** A new array of `size` elements; for use in inline methods whose element type is generic.
    *
    * {{{
    * inline def pair[T](a: T, b: T): Array[T] =
    *   val array = HeapArrays.ofDim[T](2)
    *   array(0) = a
    *   array(1) = b
    *   array
    * println(pair(1, 2).toList) // List(1, 2)
    * }}}
    */
  inline def ofDim[T](size: Int): Array[T] = make[T](size)

  /** A new array of `rows` arrays of `columns` elements each. `Array.ofDim` of two dimensions
    * compiles to one instruction, which takes up to six times as long as this loop.
    *
    * {{{
    * println(HeapArrays.ofDim[Int](2, 3).map(_.length).toList) // List(3, 3)
    * }}}
    */
  inline def ofDim[T](rows: Int, columns: Int): Array[Array[T]] =
    fill[Array[T]](rows)(make[T](columns))

  /** A new array of `planes` arrays of `rows` arrays of `columns` elements each.
    *
    * {{{
    * println(HeapArrays.ofDim[Int](2, 3, 4).head.map(_.length).toList) // List(4, 4, 4)
    * }}}
    */
  inline def ofDim[T](planes: Int, rows: Int, columns: Int): Array[Array[Array[T]]] =
    fill[Array[Array[T]]](planes)(ofDim[T](rows, columns))

  /** A new array whose elements are all `element`, which is evaluated for each.
    *
    * {{{
    * println(HeapArrays.fill[Int](3)(7).toList) // List(7, 7, 7)
    * }}}
    */
  inline def fill[T](size: Int)(inline element: T): Array[T] =
    val array = make[T](size)
    var i = 0
    while i < size do
      array(i) = element
      i += 1
    array

  /** A new array whose elements are `element(0)`, `element(1)` and so on. An expression that
    * returns a function is evaluated for each index; store its result in a `val` first if that
    * matters.
    *
    * {{{
    * println(HeapArrays.tabulate[Int](5)(i => i * i).toList) // List(0, 1, 4, 9, 16)
    * }}}
    */
  inline def tabulate[T](size: Int)(inline element: Int => T): Array[T] =
    val array = make[T](size)
    var i = 0
    while i < size do
      array(i) = element(i)
      i += 1
    array

  /** A new array of the elements of `from`, in order.
    *
    * The library's copy of a collection is the fastest: this creates the array and lets `from` copy
    * itself. It saves the ClassTag, a few nanoseconds per call, and for a List the growing arrays.
    * A collection that does not know its size uses the library's `toArray`.
    *
    * {{{
    * println(HeapArrays.toArray(List(1, 2, 3)).length) // 3
    * }}}
    */
  inline def toArray[T](from: Iterable[T]): Array[T] =
    val size = from match
      case list: List[?] => list.length // a List's knownSize is not its length
      case collection    => collection.knownSize
    if size < 0 then from.toArray[T](using summonInline[ClassTag[T]])
    else
      val array = make[T](size)
      from.copyToArray(array): Unit
      array

  // Once the element type is known, the compiler reduces this to the bare instruction.
  private inline def make[T](size: Int): Array[T] =
    Array.ofDim[T](size)(using summonInline[ClassTag[T]])
end HeapArrays
