package undercroft.struct

import internal.bytes.OutOfLine
import undercroft.memory.internal.cage.Cage
import java.lang.foreign.MemorySegment
import java.util.Objects
import scala.annotation.publicInBinary
import undercroft.memory.{Address, Allocator}

/** Off-heap bytes of any length. In a struct they are a checked address and a length, two Longs.
  * The bytes are stored where they were allocated, usually in the region of the struct, and are
  * freed with it. Lifetime, threads and zeroed memory are as documented at [[TextRef]].
  *
  * {{{
  * import undercroft.memory.*
  * final case class Image(id: Int, pixels: BytesRef) derives Struct
  * Region.scoped:
  *   val image = Ref(Image(1, BytesRef(Array[Byte](1, 2, 3))))
  *   println(image.pixels.length)
  * }}}
  */
final class BytesRef @publicInBinary private[struct] (
    @publicInBinary private[struct] val address: Long,
    val length: Long
):
  inline def isEmpty: Boolean = length == 0
  inline def nonEmpty: Boolean = length != 0

  /** The byte at an index in `[0, length)`; outside, throws IndexOutOfBoundsException.
    *
    * {{{
    * println(BytesRef(Array[Byte](1, 2, 3))(2)) // 3
    * }}}
    */
  inline def apply(index: Long): Byte = OutOfLine.byte(address, length, index)

  /** The bytes `[from, until)` of the same memory, without a copy. A range outside `[0, length)`
    * throws IndexOutOfBoundsException with the numbers.
    *
    * {{{
    * val bytes = BytesRef(Array[Byte](1, 2, 3, 4))
    * println(bytes.slice(1, 3).toArray.toList) // List(2, 3)
    * }}}
    */
  def slice(from: Long, until: Long): BytesRef =
    Objects.checkFromToIndex(from, until, length): Unit
    new BytesRef(Cage.moved(address, from), until - from)

  /** A copy on the heap. More bytes than an array can hold throw IllegalStateException.
    *
    * {{{
    * println(BytesRef(Array[Byte](1, 2)).toArray.toList) // List(1, 2)
    * }}}
    */
  inline def toArray: Array[Byte] = OutOfLine.toArray(address, length)

  /** Whether the bytes start with `prefix`.
    *
    * {{{
    * println(BytesRef(Array[Byte](1, 2, 3)).startsWith(Array[Byte](1, 2))) // true
    * }}}
    */
  inline def startsWith(prefix: Array[Byte]): Boolean =
    OutOfLine.startsWith(address, length, prefix)

  /** Whether the bytes contain `part`.
    *
    * {{{
    * println(BytesRef(Array[Byte](1, 2, 3)).contains(Array[Byte](2, 3))) // true
    * }}}
    */
  inline def contains(part: Array[Byte]): Boolean = OutOfLine.contains(address, length, part)

  /** Whether the bytes equal `other`.
    *
    * {{{
    * println(BytesRef(Array[Byte](1, 2)).contentEquals(BytesRef(Array[Byte](1, 2)))) // true
    * }}}
    */
  inline def contentEquals(other: Array[Byte]): Boolean = OutOfLine.same(address, length, other)
  inline def contentEquals(other: BytesRef): Boolean =
    OutOfLine.same(address, length, other.address, other.length)

  /** Less than 0, 0 or more than 0, by the first differing byte, compared as unsigned; a prefix is
    * less.
    *
    * {{{
    * println(BytesRef(Array[Byte](1)).compare(BytesRef(Array[Byte](1, 2))) < 0) // true
    * }}}
    */
  inline def compare(other: BytesRef): Int =
    OutOfLine.compare(address, length, other.address, other.length)

  /** A hash of the bytes. */
  inline def hash: Int = OutOfLine.hashBytes(address, length)

  override def equals(other: Any): Boolean = other match
    case that: BytesRef => contentEquals(that)
    case _              => false
  override def hashCode: Int = hash
  override def toString: String = s"BytesRef($length)"
end BytesRef

object BytesRef:
  given CanEqual[BytesRef, BytesRef] = CanEqual.derived

  /** The empty BytesRef; it has no memory. */
  val empty: BytesRef = new BytesRef(0, 0)

  /** A copy of the bytes in memory of the allocator.
    *
    * {{{
    * val bytes = BytesRef(Array[Byte](1, 2, 3))
    * println((bytes.length, bytes(0))) // (3,1)
    * }}}
    */
  def apply(bytes: Array[Byte])(using Allocator): BytesRef = apply(MemorySegment.ofArray(bytes).nn)

  /** A copy of a segment's bytes in memory of the allocator.
    *
    * {{{
    * import java.lang.foreign.MemorySegment
    * println(BytesRef(MemorySegment.ofArray(Array[Int](1, 2))).length) // 8
    * }}}
    */
  def apply(segment: MemorySegment)(using allocator: Allocator): BytesRef =
    new BytesRef(OutOfLine.copied(segment, allocator), segment.byteSize)

  /** The address of the bytes, for `Malloc.free` and similar calls. */
  inline def address(bytes: BytesRef): Address = Address.ofBits(bytes.address)
end BytesRef
