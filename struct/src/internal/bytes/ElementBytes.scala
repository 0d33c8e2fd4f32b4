package undercroft.struct
package internal.bytes

import scala.annotation.publicInBinary
import undercroft.memory.internal.cage.Cage
import java.lang.foreign.{MemorySegment, ValueLayout}
import java.lang.invoke.VarHandle
import scala.runtime.ScalaRunTime
import undercroft.struct.{BytesRef, InlineArray, Shape, TextRef, Union}

/** The elements of an [[InlineArray]] as bytes: one copy between memory and an array. */
@publicInBinary private[undercroft] object ElementBytes:

  def inline[A, N <: Int](elements: Array[?], sizes: List[Int]): InlineArray[A, N] =
    new InlineArray(elements, 0, sizes)

  /** The elements on the heap, each in its stored type. */
  def load(segment: MemorySegment, at: Long, of: Shape.Kind, count: Int): Array[?] = of match
    case Shape.Kind.Boolean =>
      copied(segment, ValueLayouts.byte, at, new Array[Byte](count), count).map(_ != 0)
    case Shape.Kind.Byte  => copied(segment, ValueLayouts.byte, at, new Array[Byte](count), count)
    case Shape.Kind.Short => copied(segment, ValueLayouts.short, at, new Array[Short](count), count)
    case Shape.Kind.Char  => copied(segment, ValueLayouts.char, at, new Array[Char](count), count)
    case Shape.Kind.Int   => copied(segment, ValueLayouts.int, at, new Array[Int](count), count)
    case Shape.Kind.Long  => copied(segment, ValueLayouts.long, at, new Array[Long](count), count)
    case Shape.Kind.Float => copied(segment, ValueLayouts.float, at, new Array[Float](count), count)
    case Shape.Kind.Double =>
      copied(segment, ValueLayouts.double, at, new Array[Double](count), count)
    case Shape.Kind.Ordinal(of) => load(segment, at, of, count)
    case Shape.Kind.Text(n) =>
      Array.tabulate[Any](count)(i => FixedText.load(segment, at + i * n, n))
    case Shape.Kind.TextRef =>
      Array.tabulate[Any](count)(i => OutOfLine.text(segment, at + i * of.size))
    case Shape.Kind.BytesRef =>
      Array.tabulate[Any](count)(i => OutOfLine.bytes(segment, at + i * of.size))
    case Shape.Kind.Union(_) =>
      Array.tabulate[Any](count)(i => UnionBytes.load(segment, at + i * of.size, of.size))
    case _ => throw IllegalArgumentException(s"an InlineArray cannot hold elements of $of")

  /** Elements that are all zero. */
  def zeros(of: Shape.Kind, count: Int): Array[?] =
    load(MemorySegment.ofArray(new Array[Byte](count * of.size)).nn, 0, of, count)

  def store(segment: MemorySegment, at: Long, of: Shape.Kind, elements: Array[?]): Unit =
    elements match
      case values: Array[Boolean] =>
        store(segment, at, of, values.map(if _ then 1.toByte else 0.toByte))
      case values: Array[Byte]   => stored(segment, ValueLayouts.byte, at, values)
      case values: Array[Short]  => stored(segment, ValueLayouts.short, at, values)
      case values: Array[Char]   => stored(segment, ValueLayouts.char, at, values)
      case values: Array[Int]    => stored(segment, ValueLayouts.int, at, values)
      case values: Array[Long]   => stored(segment, ValueLayouts.long, at, values)
      case values: Array[Float]  => stored(segment, ValueLayouts.float, at, values)
      case values: Array[Double] => stored(segment, ValueLayouts.double, at, values)
      case values =>
        for i <- values.indices do storeOne(segment, at + i * of.size, of, values(i))

  /** The elements as they are stored, for [[store]]: which neither fails nor allocates for the
    * result.
    */
  def image(of: Shape.Kind, elements: Array[?]): Array[Byte] =
    val bytes = new Array[Byte](elements.length * of.size)
    store(MemorySegment.ofArray(bytes).nn, 0, of, elements)
    bytes

  private def storeOne(segment: MemorySegment, at: Long, of: Shape.Kind, value: Any): Unit =
    value match
      case text: String    => FixedText.store(segment, at, of.size, text)
      case text: TextRef   => OutOfLine.store(segment, at, text.address, text.lengthBytes)
      case bytes: BytesRef => OutOfLine.store(segment, at, bytes.address, bytes.length)
      case union: Union[?] => UnionBytes.store(segment, at, union)
      case _               => throw IllegalArgumentException(s"$value is not an element of $of")

  /** As [[load]], behind a checked reference: read, then checked, as for every field. */
  def loadChecked(bits: Long, at: Long, of: Shape.Kind, count: Int): Array[?] =
    val bytes = count.toLong * of.size
    Cage.check(bits, at, bytes)
    val elements = load(Cage.segment, Cage.offsetOf(bits) + at, of, count)
    VarHandle.loadLoadFence()
    Cage.check(bits, at, bytes)
    elements

  def storeChecked(bits: Long, at: Long, of: Shape.Kind, count: Int, elements: Array[?]): Unit =
    Cage.check(bits, at, count.toLong * of.size)
    store(Cage.segment, Cage.offsetOf(bits) + at, of, elements)

  /** The results of `f` on the elements. */
  def mapped(elements: Array[?])(f: Any => Any): Array[?] =
    Array.from[Any](elements.iterator.map(f))

  /** The elements in an array of their stored type. */
  def typed(elements: Array[?], of: Shape.Kind)(f: Any => Any): Array[?] =
    val array = empty(of, elements.length)
    for i <- elements.indices do ScalaRunTime.array_update(array, i, f(elements(i)))
    array

  /** The elements; throws if there are not `count` of them, which a cast can cause. */
  def sized(elements: Array[?], count: Int): Array[?] =
    if elements.length != count then
      throw IllegalArgumentException(
        s"an InlineArray of $count needs $count values, but got ${elements.length}"
      )
    elements

  /** Whether an array has the primitive type that its elements are stored as. */
  def isTyped(elements: Array[?], of: Shape.Kind): Boolean =
    Shape.Kind.primitives.contains(of) && elements.getClass.equals(empty(of, 0).getClass)

  private def empty(of: Shape.Kind, count: Int): Array[?] = of match
    case Shape.Kind.Boolean     => new Array[Boolean](count)
    case Shape.Kind.Byte        => new Array[Byte](count)
    case Shape.Kind.Short       => new Array[Short](count)
    case Shape.Kind.Char        => new Array[Char](count)
    case Shape.Kind.Int         => new Array[Int](count)
    case Shape.Kind.Long        => new Array[Long](count)
    case Shape.Kind.Float       => new Array[Float](count)
    case Shape.Kind.Double      => new Array[Double](count)
    case Shape.Kind.Ordinal(of) => empty(of, count)
    case _                      => new Array[Any](count)

  private def copied[A <: AnyRef](
      from: MemorySegment,
      layout: ValueLayout,
      at: Long,
      to: A,
      count: Int
  ): A =
    MemorySegment.copy(from, layout, at, to, 0, count)
    to

  private def stored(to: MemorySegment, layout: ValueLayout, at: Long, from: Array[?]): Unit =
    MemorySegment.copy(from, 0, to, layout, at, from.length)
end ElementBytes
