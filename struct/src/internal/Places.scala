package undercroft.struct.internal

import java.lang.foreign.MemorySegment
import java.lang.invoke.VarHandle
import scala.annotation.publicInBinary
import undercroft.memory.{Allocator, Cage}
import undercroft.struct.Struct

/** Whole structs behind checked references, as bytes. As with fields, a read is checked after it
  * too and a store before it.
  */
@publicInBinary private[struct] object Places:

  /** The address of a new block for a struct. */
  @publicInBinary def block(struct: Struct[?], allocator: Allocator): Long =
    allocator.block(struct.size, struct.alignment).bits

  @publicInBinary def same(struct: Struct[?], a: Long, b: Long, packed: Boolean): Boolean =
    val (p, q) = (readable(struct, a, packed), readable(struct, b, packed))
    val result = bytes(struct, packed).same(Cage.segment, p, Cage.segment, q)
    checked(struct, a, b, packed)
    result

  @publicInBinary def compare(struct: Struct[?], a: Long, b: Long, packed: Boolean): Int =
    val (p, q) = (readable(struct, a, packed), readable(struct, b, packed))
    val result = bytes(struct, packed).compare(Cage.segment, p, Cage.segment, q)
    checked(struct, a, b, packed)
    result

  @publicInBinary def hash(struct: Struct[?], bits: Long, packed: Boolean): Int =
    val result = bytes(struct, packed).hash(Cage.segment, readable(struct, bits, packed))
    checked(struct, bits, bits, packed)
    result

  @publicInBinary def copy(struct: Struct[?], from: Long, to: Long, packed: Boolean): Unit =
    val (p, q) = (readable(struct, from, packed), readable(struct, to, packed))
    MemorySegment.copy(Cage.segment, p, Cage.segment, q, size(struct, packed))

  @publicInBinary def swap(struct: Struct[?], a: Long, b: Long, packed: Boolean): Unit =
    val (p, q) = (readable(struct, a, packed), readable(struct, b, packed))
    val size = Places.size(struct, packed)
    if p != q && Math.abs(p - q) < size then
      throw IllegalArgumentException(
        s"structs of $size bytes at offsets $p and $q overlap, so they cannot change places"
      )
    swapBytes(Cage.segment, p, q, size)

  /** Bytes at two offsets change places; they do not overlap, or are the same. */
  def swapBytes(segment: MemorySegment, p: Long, q: Long, size: Long): Unit =
    var at = 0L
    while at + 8 <= size do
      val word = segment.get(Unaligned.long, p + at)
      segment.set(Unaligned.long, p + at, segment.get(Unaligned.long, q + at))
      segment.set(Unaligned.long, q + at, word)
      at += 8
    if at + 4 <= size then
      val word = segment.get(Unaligned.int, p + at)
      segment.set(Unaligned.int, p + at, segment.get(Unaligned.int, q + at))
      segment.set(Unaligned.int, q + at, word)
      at += 4
    while at < size do
      val byte = segment.get(Unaligned.byte, p + at)
      segment.set(Unaligned.byte, p + at, segment.get(Unaligned.byte, q + at))
      segment.set(Unaligned.byte, q + at, byte)
      at += 1

  private def bytes(struct: Struct[?], packed: Boolean): Bytes =
    if packed then struct.packedBytes else struct.alignedBytes

  private def size(struct: Struct[?], packed: Boolean): Long =
    if packed then struct.packedSize else struct.size

  /** Where in the cage a struct is, all of which belongs to its reference. */
  private def readable(struct: Struct[?], bits: Long, packed: Boolean): Long =
    Cage.check(bits, 0, size(struct, packed))
    Cage.offsetOf(bits)

  private def checked(struct: Struct[?], a: Long, b: Long, packed: Boolean): Unit =
    VarHandle.loadLoadFence()
    Cage.check(a, 0, size(struct, packed))
    Cage.check(b, 0, size(struct, packed))
end Places
