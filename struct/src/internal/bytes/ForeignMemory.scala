package undercroft.struct
package internal.bytes

import java.lang.foreign.{Arena, MemorySegment}
import undercroft.memory.{Address, Region, RegionClosedException}

/** Rows in memory of C, which has no address in the cage: they are accessed through their segment
  * alone, which has the bounds and the lifetime that its creator gave it.
  */
private[struct] sealed trait ForeignMemory extends Backing:
  def name: String = "memory outside Undercroft"
  def check(): Unit = ()

/** Memory whose segment has the lifetime of an arena. */
private[struct] object ForeignMemory extends ForeignMemory:
  def translate(error: Throwable): Throwable = error

  def rows[T, L <: Layout](kind: Table.Kind, segment: MemorySegment)(using
      struct: Struct[T]
  ): Table[T, L] =
    val (bytes, stride) = (segment.byteSize, kind.bytesPerRow(struct))
    if !segment.isNative then
      throw IllegalArgumentException("the segment is on the heap: use Rows.from(buffer)")
    if segment.isMapped then
      throw IllegalArgumentException(
        "the segment maps a file, which another program can truncate: use a struct file"
      )
    if bytes == 0 then
      throw IllegalArgumentException(
        "the segment has 0 bytes: give a pointer of C its size by " +
          "`pointer.reinterpret(bytes, arena, null)`"
      )
    if bytes % stride != 0 then
      throw IllegalArgumentException(
        s"$bytes bytes are not a multiple of the row size, $stride bytes"
      )
    val size = bytes / stride
    new Table(segment, Address.ofBits(0), kind, 0, size, size, this)
  end rows

  /** Rows at a pointer, valid until the close of a region, which calls `release` once. */
  def rowsAt[T, L <: Layout](
      kind: Table.Kind,
      pointer: MemorySegment,
      count: Long,
      release: MemorySegment => Unit,
      region: Region
  )(using struct: Struct[T]): Table[T, L] =
    val bytes = bytesAt(kind, pointer, count)
    val memory = region.attach(pointer, bytes, release)
    new Table(
      memory,
      Address.ofBits(0),
      kind,
      0,
      count,
      count,
      AttachedMemory(region.name, memory)
    )

  /** The bytes of `count` rows; throws for arguments that no function of C can mean. */
  private def bytesAt(kind: Table.Kind, pointer: MemorySegment, count: Long)(using
      struct: Struct[?]
  ): Long =
    val (stride, address) = (kind.bytesPerRow(struct), pointer.address)
    val alignment = if kind == Table.Kind.Aligned then struct.alignment.toLong else 1L
    def reject(fault: String): Nothing = throw IllegalArgumentException(fault)
    if count < 0 then reject(s"count must be at least 0, but is $count")
    if !pointer.isNative || !pointer.scope.equals(Arena.global.scope) then
      reject(
        "the segment has the lifetime of an arena or is on the heap, so it is not a pointer that C " +
          "returned: use Rows.over(segment)"
      )
    if address == 0 && count > 0 then reject(s"the pointer is null, but count is $count")
    if count > (Long.MaxValue - (address & Long.MaxValue)) / stride then
      reject(s"$count rows of $stride bytes at address $address exceed the address space")
    if pointer.byteSize > 0 && count * stride > pointer.byteSize then
      reject(s"$count rows of $stride bytes exceed the segment of ${pointer.byteSize} bytes")
    if address % alignment != 0 then
      reject(
        s"address $address is not a multiple of the alignment of ${struct.shape.name}, " +
          s"$alignment bytes: use PackedRows for a struct without alignment"
      )
    count * stride
  end bytesAt
end ForeignMemory

/** Memory whose segment has the lifetime of a region. */
private final class AttachedMemory(region: String, memory: MemorySegment) extends ForeignMemory:
  def translate(error: Throwable): Throwable =
    if memory.scope.isAlive || !error.isInstanceOf[RuntimeException] then error
    else
      val closed = RegionClosedException(region)
      closed.addSuppressed(error)
      closed
