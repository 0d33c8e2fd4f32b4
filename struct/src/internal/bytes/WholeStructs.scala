package undercroft.struct
package internal.bytes

import undercroft.memory.internal.alloc.Pins
import undercroft.memory.internal.cage.Cage
import java.lang.foreign.MemorySegment
import java.lang.invoke.VarHandle
import scala.annotation.publicInBinary
import undercroft.memory.Allocator
import undercroft.struct.Struct

/** Operations on whole structs behind checked references, as bytes. As for fields, a read is also
  * checked after it, and a store before it.
  */
@publicInBinary private[struct] object WholeStructs:

  /** The address of a new block for a struct. */
  @publicInBinary def block(struct: Struct[?], allocator: Allocator): Long =
    allocator.allocateBlock(struct.size, struct.alignment).bits

  /** The struct at an address, by its own load. */
  def load[T](struct: Struct[T], bits: Long, packed: Boolean): T =
    val bytes = size(struct, packed)
    Cage.check(bits, 0, bytes)
    val offset = Cage.offsetOf(bits)
    val value =
      try
        if packed then struct.loadPacked(Cage.segment, offset)
        else struct.loadAligned(Cage.segment, offset)
      catch
        case error: RuntimeException =>
          Cage.check(bits, 0, bytes)
          throw error
    VarHandle.loadLoadFence()
    Cage.check(bits, 0, bytes)
    value

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
    checked(struct, from, to, packed)

  @publicInBinary def swap(struct: Struct[?], a: Long, b: Long, packed: Boolean): Unit =
    val (p, q) = (readable(struct, a, packed), readable(struct, b, packed))
    val size = WholeStructs.size(struct, packed)
    if p != q && Math.abs(p - q) < size then
      throw IllegalArgumentException(
        s"structs of $size bytes at offsets $p and $q overlap, so they cannot change places"
      )
    swapBytes(Cage.segment, p, q, size)
    checked(struct, a, b, packed)

  /** Runs `f` on exactly the bytes of a struct, which cannot be freed meanwhile. */
  @publicInBinary def withPointer[A](
      struct: Struct[?],
      bits: Long,
      packed: Boolean,
      f: MemorySegment => A
  ): A =
    val pin = Pins.open(bits, size(struct, packed))
    try f(pin.segment)
    finally pin.close()

  /** Swaps the bytes at two offsets; the ranges do not overlap, or are the same. */
  def swapBytes(segment: MemorySegment, p: Long, q: Long, size: Long): Unit =
    var at = 0L
    while at + 8 <= size do
      val word = segment.get(ValueLayouts.long, p + at)
      segment.set(ValueLayouts.long, p + at, segment.get(ValueLayouts.long, q + at))
      segment.set(ValueLayouts.long, q + at, word)
      at += 8
    if at + 4 <= size then
      val word = segment.get(ValueLayouts.int, p + at)
      segment.set(ValueLayouts.int, p + at, segment.get(ValueLayouts.int, q + at))
      segment.set(ValueLayouts.int, q + at, word)
      at += 4
    while at < size do
      val byte = segment.get(ValueLayouts.byte, p + at)
      segment.set(ValueLayouts.byte, p + at, segment.get(ValueLayouts.byte, q + at))
      segment.set(ValueLayouts.byte, q + at, byte)
      at += 1

  private def bytes(struct: Struct[?], packed: Boolean): StructBytes =
    if packed then struct.packedBytes else struct.alignedBytes

  private def size(struct: Struct[?], packed: Boolean): Long =
    if packed then struct.packedSize else struct.size

  /** The offset of a struct in the cage, after a check that all of it belongs to its reference. */
  private def readable(struct: Struct[?], bits: Long, packed: Boolean): Long =
    Cage.check(bits, 0, size(struct, packed))
    Cage.offsetOf(bits)

  private def checked(struct: Struct[?], a: Long, b: Long, packed: Boolean): Unit =
    VarHandle.loadLoadFence()
    Cage.check(a, 0, size(struct, packed))
    Cage.check(b, 0, size(struct, packed))
end WholeStructs
