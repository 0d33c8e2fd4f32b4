package undercroft.struct.internal

import java.lang.foreign.{MemorySegment, ValueLayout}
import java.lang.invoke.VarHandle
import scala.runtime.ScalaRunTime
import undercroft.memory.Cage
import undercroft.struct.{BytesRef, Inline, Kind, TextRef, Union}

/** The elements of an [[Inline]] as bytes: one copy between memory and an array. */
object ElementBytes:

  def inline[A, N <: Int](elements: Array[?], sizes: List[Int]): Inline[A, N] =
    new Inline(elements, 0, sizes)

  /** The elements on the heap, as what each is stored as. */
  def load(segment: MemorySegment, at: Long, of: Kind, count: Int): Array[?] = of match
    case Kind.Boolean =>
      copied(segment, Unaligned.byte, at, new Array[Byte](count), count).map(_ != 0)
    case Kind.Byte        => copied(segment, Unaligned.byte, at, new Array[Byte](count), count)
    case Kind.Short       => copied(segment, Unaligned.short, at, new Array[Short](count), count)
    case Kind.Char        => copied(segment, Unaligned.char, at, new Array[Char](count), count)
    case Kind.Int         => copied(segment, Unaligned.int, at, new Array[Int](count), count)
    case Kind.Long        => copied(segment, Unaligned.long, at, new Array[Long](count), count)
    case Kind.Float       => copied(segment, Unaligned.float, at, new Array[Float](count), count)
    case Kind.Double      => copied(segment, Unaligned.double, at, new Array[Double](count), count)
    case Kind.Ordinal(of) => load(segment, at, of, count)
    case Kind.Text(n) =>
      Array.tabulate[Any](count)(i => TextBytes.load(segment, at + i * n, n))
    case Kind.TextRef  => Array.tabulate[Any](count)(i => Far.text(segment, at + i * of.size))
    case Kind.BytesRef => Array.tabulate[Any](count)(i => Far.bytes(segment, at + i * of.size))
    case Kind.Union(_) =>
      Array.tabulate[Any](count)(i => UnionBytes.load(segment, at + i * of.size, of.size))
    case other => throw IllegalArgumentException(s"elements of $other")

  /** No elements but zeros. */
  def zeros(of: Kind, count: Int): Array[?] =
    load(MemorySegment.ofArray(new Array[Byte](count * of.size)).nn, 0, of, count)

  def store(segment: MemorySegment, at: Long, of: Kind, elements: Array[?]): Unit =
    elements match
      case values: Array[Boolean] =>
        store(segment, at, of, values.map(if _ then 1.toByte else 0.toByte))
      case values: Array[Byte]   => stored(segment, Unaligned.byte, at, values)
      case values: Array[Short]  => stored(segment, Unaligned.short, at, values)
      case values: Array[Char]   => stored(segment, Unaligned.char, at, values)
      case values: Array[Int]    => stored(segment, Unaligned.int, at, values)
      case values: Array[Long]   => stored(segment, Unaligned.long, at, values)
      case values: Array[Float]  => stored(segment, Unaligned.float, at, values)
      case values: Array[Double] => stored(segment, Unaligned.double, at, values)
      case values =>
        for i <- values.indices do storeOne(segment, at + i * of.size, of, values(i))

  private def storeOne(segment: MemorySegment, at: Long, of: Kind, value: Any): Unit =
    value match
      case text: String    => TextBytes.store(segment, at, of.size, text)
      case text: TextRef   => Far.store(segment, at, text.address, text.length)
      case bytes: BytesRef => Far.store(segment, at, bytes.address, bytes.length)
      case union: Union[?] => UnionBytes.store(segment, at, union)
      case other           => throw IllegalArgumentException(s"an element $other of $of")

  /** As [[load]], behind a checked reference: read, then checked, as every field is. */
  def loadChecked(bits: Long, at: Long, of: Kind, count: Int): Array[?] =
    val bytes = count.toLong * of.size
    Cage.check(bits, at, bytes)
    val elements = load(Cage.segment, Cage.offsetOf(bits) + at, of, count)
    VarHandle.loadLoadFence()
    Cage.check(bits, at, bytes)
    elements

  def storeChecked(bits: Long, at: Long, of: Kind, count: Int, elements: Array[?]): Unit =
    Cage.check(bits, at, count.toLong * of.size)
    store(Cage.segment, Cage.offsetOf(bits) + at, of, elements)

  /** What `f` makes of each element. */
  def mapped(elements: Array[?])(f: Any => Any): Array[?] =
    Array.from[Any](elements.iterator.map(f))

  /** The elements in an array of what each is stored as. */
  def typed(elements: Array[?], of: Kind)(f: Any => Any): Array[?] =
    val made = empty(of, elements.length)
    for i <- elements.indices do ScalaRunTime.array_update(made, i, f(elements(i)))
    made

  /** The elements, of which there have to be `count`: a cast may have said otherwise. */
  def sized(elements: Array[?], count: Int): Array[?] =
    if elements.length != count then
      throw IllegalArgumentException(s"${elements.length} values for an Inline of $count")
    elements

  /** Whether an array is one of the primitives that its elements are stored as. */
  def isTyped(elements: Array[?], of: Kind): Boolean =
    Kind.primitives.contains(of) && elements.getClass.equals(empty(of, 0).getClass)

  private def empty(of: Kind, count: Int): Array[?] = of match
    case Kind.Boolean     => new Array[Boolean](count)
    case Kind.Byte        => new Array[Byte](count)
    case Kind.Short       => new Array[Short](count)
    case Kind.Char        => new Array[Char](count)
    case Kind.Int         => new Array[Int](count)
    case Kind.Long        => new Array[Long](count)
    case Kind.Float       => new Array[Float](count)
    case Kind.Double      => new Array[Double](count)
    case Kind.Ordinal(of) => empty(of, count)
    case _                => new Array[Any](count)

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
