package undercroft.struct

import java.lang.foreign.MemorySegment
import java.util.Objects
import scala.annotation.publicInBinary
import undercroft.memory.{Address, Allocator, Cage}
import undercroft.struct.internal.Far

/** Bytes of any number outside the heap. In a struct they are a checked address and a length, two
  * Longs; the bytes themselves lie where they were made, usually in the region of the struct, and
  * die with it. What [[TextRef]] says of lifetimes, threads and zeroed memory holds here.
  */
final class BytesRef @publicInBinary private[struct] (
    @publicInBinary private[struct] val address: Long,
    val length: Long
):
  inline def isEmpty: Boolean = length == 0
  inline def nonEmpty: Boolean = length != 0

  /** The byte at an index in `[0, length)`; outside, an IndexOutOfBoundsException. */
  inline def apply(index: Long): Byte = Far.byte(address, length, index)

  /** The bytes `[from, until)`: the same memory, and no copy. Outside of `[0, length)` an
    * IndexOutOfBoundsException with the numbers.
    */
  def slice(from: Long, until: Long): BytesRef =
    Objects.checkFromToIndex(from, until, length): Unit
    new BytesRef(Cage.moved(address, from), until - from)

  /** The bytes on the heap. More than an array holds is an IllegalStateException. */
  inline def toArray: Array[Byte] = Far.toArray(address, length)

  inline def startsWith(prefix: Array[Byte]): Boolean = Far.startsWith(address, length, prefix)

  /** Whether others are part of them. */
  inline def contains(part: Array[Byte]): Boolean = Far.contains(address, length, part)

  /** Whether they are the same as others. */
  inline def sameAs(other: Array[Byte]): Boolean = other.length == length && startsWith(other)
  inline def sameAs(other: BytesRef): Boolean =
    Far.same(address, length, other.address, other.length)

  /** Less than 0, 0 or more than 0, by the first byte that differs, without its sign. */
  inline def compare(other: BytesRef): Int =
    Far.compare(address, length, other.address, other.length)

  /** A hash of the bytes. */
  inline def hash: Int = Far.hashBytes(address, length)

  override def equals(other: Any): Boolean = other match
    case that: BytesRef => sameAs(that)
    case _              => false
  override def hashCode: Int = hash
  override def toString: String = s"BytesRef($length)"
end BytesRef

object BytesRef:
  given CanEqual[BytesRef, BytesRef] = CanEqual.derived

  /** No bytes, which lie nowhere. */
  val empty: BytesRef = new BytesRef(0, 0)

  /** A copy of the bytes in memory of the allocator. */
  def apply(bytes: Array[Byte])(using Allocator): BytesRef = apply(MemorySegment.ofArray(bytes).nn)

  /** A copy of a segment's bytes in memory of the allocator. */
  def apply(segment: MemorySegment)(using allocator: Allocator): BytesRef =
    new BytesRef(Far.copied(segment, allocator), segment.byteSize)

  /** The address of the bytes, for `Malloc.free` and the like. */
  inline def address(bytes: BytesRef): Address = Address.ofBits(bytes.address)
end BytesRef
