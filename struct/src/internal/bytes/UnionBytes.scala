package undercroft.struct
package internal.bytes

import scala.annotation.publicInBinary
import undercroft.memory.internal.cage.Cage
import java.lang.foreign.MemorySegment
import java.lang.invoke.VarHandle
import undercroft.struct.Union

/** The bytes of a [[Union]], on the heap and in memory. */
@publicInBinary private[undercroft] object UnionBytes:
  def over(bytes: Array[Byte]): MemorySegment = MemorySegment.ofArray(bytes).nn
  def of[M <: NamedTuple.AnyNamedTuple](bytes: Array[Byte]): Union[M] = Union.of(bytes)

  /** The union; throws if it does not have `size` bytes, which a cast can cause. */
  def sized(union: Union[?], size: Int): Union[?] =
    if union._bytes.length != size then
      throw IllegalArgumentException(
        s"the union must have $size bytes, but has ${union._bytes.length}"
      )
    union

  def zeros(size: Int): Union[?] = Union.of(new Array[Byte](size))

  def load(from: MemorySegment, at: Long, size: Int): Union[?] =
    val bytes = new Array[Byte](size)
    MemorySegment.copy(from, ValueLayouts.byte, at, bytes, 0, size)
    Union.of(bytes)

  def store(to: MemorySegment, at: Long, union: Union[?]): Unit =
    MemorySegment.copy(union._bytes, 0, to, ValueLayouts.byte, at, union._bytes.length)

  /** As [[load]], behind a checked reference: read, then checked, as for every field. */
  def loadChecked(bits: Long, at: Long, size: Int): Union[?] =
    Cage.check(bits, at, size)
    val union = load(Cage.segment, Cage.offsetOf(bits) + at, size)
    VarHandle.loadLoadFence()
    Cage.check(bits, at, size)
    union

  def storeChecked(bits: Long, at: Long, union: Union[?]): Unit =
    Cage.check(bits, at, union._bytes.length)
    store(Cage.segment, Cage.offsetOf(bits) + at, union)

  /** The result of `read` on the bytes: a member, which a loop reads in place. */
  def member[A](union: Union[?])(read: MemorySegment => A): A = read(over(union._bytes))
end UnionBytes
