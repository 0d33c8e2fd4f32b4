package undercroft.struct.internal

import java.lang.foreign.{MemorySegment, ValueLayout}
import java.lang.invoke.VarHandle
import undercroft.memory.Cage
import undercroft.struct.{Inline, Kind}

/** The elements of an [[Inline]] as bytes: one copy between memory and an array. */
object ElementBytes:

  def inline[A, N <: Int](elements: Array[?], sizes: List[Int]): Inline[A, N] =
    new Inline(elements, 0, sizes)

  /** The elements on the heap; `kind` is the index of theirs. */
  def load(segment: MemorySegment, at: Long, kind: Int, count: Int): Array[?] = kind match
    case 0 =>
      copied(segment, Unaligned.byte, at, new Array[Byte](count), count).map(_ != 0)
    case 1 => copied(segment, Unaligned.byte, at, new Array[Byte](count), count)
    case 2 => copied(segment, Unaligned.short, at, new Array[Short](count), count)
    case 3 => copied(segment, Unaligned.char, at, new Array[Char](count), count)
    case 4 => copied(segment, Unaligned.int, at, new Array[Int](count), count)
    case 5 => copied(segment, Unaligned.long, at, new Array[Long](count), count)
    case 6 => copied(segment, Unaligned.float, at, new Array[Float](count), count)
    case _ => copied(segment, Unaligned.double, at, new Array[Double](count), count)

  /** No elements but zeros. */
  def zeros(kind: Int, count: Int): Array[?] =
    load(MemorySegment.ofArray(new Array[Byte](count * Kind.primitives(kind).size)), 0, kind, count)

  def store(segment: MemorySegment, at: Long, elements: Array[?]): Unit = elements match
    case values: Array[Boolean] => store(segment, at, values.map(if _ then 1.toByte else 0.toByte))
    case values: Array[Byte]    => stored(segment, Unaligned.byte, at, values)
    case values: Array[Short]   => stored(segment, Unaligned.short, at, values)
    case values: Array[Char]    => stored(segment, Unaligned.char, at, values)
    case values: Array[Int]     => stored(segment, Unaligned.int, at, values)
    case values: Array[Long]    => stored(segment, Unaligned.long, at, values)
    case values: Array[Float]   => stored(segment, Unaligned.float, at, values)
    case values: Array[Double]  => stored(segment, Unaligned.double, at, values)
    case other => throw IllegalArgumentException(s"elements of ${other.getClass.getName}")

  /** As [[load]], behind a checked reference: read, then checked, as every field is. */
  def loadChecked(bits: Long, at: Long, kind: Int, count: Int): Array[?] =
    val bytes = count.toLong * Kind.primitives(kind).size
    Cage.check(bits, at, bytes)
    val elements = load(Cage.segment, Cage.offsetOf(bits) + at, kind, count)
    VarHandle.loadLoadFence()
    Cage.check(bits, at, bytes)
    elements

  def storeChecked(bits: Long, at: Long, bytes: Int, elements: Array[?]): Unit =
    Cage.check(bits, at, bytes)
    store(Cage.segment, Cage.offsetOf(bits) + at, elements)

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
