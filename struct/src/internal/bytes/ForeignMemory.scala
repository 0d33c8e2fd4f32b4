package undercroft.struct
package internal.bytes

import java.lang.foreign.MemorySegment
import undercroft.memory.Address

/** Rows in memory of C, which has no address in the cage: they are accessed through their segment
  * alone, which has the bounds and the lifetime that its creator gave it.
  */
private[struct] object ForeignMemory extends Backing:
  def name: String = "memory outside Undercroft"
  def check(): Unit = ()
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
end ForeignMemory
