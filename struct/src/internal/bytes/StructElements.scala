package undercroft.struct
package internal.bytes

import scala.annotation.publicInBinary
import undercroft.memory.internal.cage.Cage
import java.lang.foreign.MemorySegment
import java.lang.invoke.VarHandle
import undercroft.struct.Struct

/** The structs of an InlineArray on the heap, as bytes in a layout of rows; `struct` is set only if
  * the elements were encoded, in order to be stored.
  */
final class StructElements private[bytes] (
    private val bytes: Array[Byte],
    private val packed: Boolean,
    private val struct: Option[Struct[?]]
)

@publicInBinary private[undercroft] object StructElements:
  private def segment(bytes: Array[Byte]): MemorySegment = MemorySegment.ofArray(bytes).nn

  def load(from: MemorySegment, at: Long, size: Int, packed: Boolean): StructElements =
    val bytes = new Array[Byte](size)
    MemorySegment.copy(from, ValueLayouts.byte, at, bytes, 0, size)
    StructElements(bytes, packed, None)

  def zeros(size: Int): StructElements = StructElements(new Array[Byte](size), false, None)

  /** Stores into `size` bytes, without user code. Elements without a Struct are copied as bytes, as
    * many as fit.
    */
  def store(
      to: MemorySegment,
      at: Long,
      size: Int,
      elements: StructElements,
      packed: Boolean
  ): Unit =
    val bytes = elements.struct match
      case Some(struct) if packed => struct.packing.packed(elements.bytes)
      case _                      => elements.bytes
    MemorySegment.copy(bytes, 0, to, ValueLayouts.byte, at, Math.min(size, bytes.length))

  /** As [[load]], behind a checked reference: read, then checked, as for every field. */
  def loadChecked(bits: Long, at: Long, size: Int, packed: Boolean): StructElements =
    Cage.check(bits, at, size)
    val elements = load(Cage.segment, Cage.offsetOf(bits) + at, size, packed)
    VarHandle.loadLoadFence()
    Cage.check(bits, at, size)
    elements

  def storeChecked(
      bits: Long,
      at: Long,
      size: Int,
      elements: StructElements,
      packed: Boolean
  ): Unit =
    Cage.check(bits, at, size)
    store(Cage.segment, Cage.offsetOf(bits) + at, size, elements, packed)

  /** The structs as objects. */
  def decoded[A](elements: StructElements, struct: Struct[A]): Array[?] =
    val from = segment(elements.bytes)
    val stride = if elements.packed then struct.packedSize else struct.size
    Array.tabulate[Any](elements.bytes.length / stride): i =>
      if elements.packed then struct.loadPacked(from, i.toLong * stride)
      else struct.loadAligned(from, i.toLong * stride)

  /** The structs as bytes under the C ABI; any failure happens here. */
  def encoded[A](values: Array[?], struct: Struct[A]): StructElements =
    val bytes = new Array[Byte](values.length * struct.size)
    for i <- values.indices do
      struct.storeAligned(segment(bytes), i.toLong * struct.size, values(i).asInstanceOf[A])
    StructElements(bytes, false, Some(struct))
end StructElements
