package undercroft.buffer
package internal.output

import internal.codec.{NumberCodec, OffHeapNumberCodec}
import java.lang.foreign.{MemorySegment, ValueLayout}
import java.lang.invoke.VarHandle

/** Small copies, for which a call of the JVM's copy routine costs more than the copy. */
private[buffer] object SmallCopies:
  /** Largest number of bytes copied here; longer copies use the JVM's routine. */
  private inline val Few = 64

  /** Whether [[few]] can copy `count` bytes: there are at most 64, the array has 64 from `at` on,
    * and at least 64 bytes (`room`) of the target may be overwritten.
    */
  inline def areFew(from: Array[Byte], at: Int, count: Int, room: Long): Boolean =
    (count | at) >= 0 && count <= 64 && at <= from.length - 64 && room >= 64

  /** Copies up to 64 bytes as 32 or 64 bytes, with one branch. */
  def few(from: Array[Byte], at: Int, to: MemorySegment, offset: Long, count: Int): Unit =
    two(from, at, to, offset)
    two(from, at + 16, to, offset + 16)
    if count > 32 then
      two(from, at + 32, to, offset + 32)
      two(from, at + 48, to, offset + 48)

  /** Copies eight bytes, inlined into the caller. */
  inline def eight(
      inline words: VarHandle,
      inline from: Array[Byte],
      inline at: Int,
      inline places: VarHandle,
      inline to: MemorySegment,
      inline offset: Long
  ): Unit =
    val word: Long =
      words.get(from, at).asInstanceOf[Long] // the exact type avoids boxing
    places.set(to, offset, word)

  /** Copies exactly `count` bytes of an array to an offset in native memory. */
  def toMemory(from: Array[Byte], at: Int, to: MemorySegment, offset: Long, count: Int): Unit =
    if count > Few then MemorySegment.copy(from, at, to, ValueLayout.JAVA_BYTE, offset, count)
    else exactly(from, at, to, offset, count)

  /** Copies up to 64 bytes by words; the last word may overlap the one before. */
  private def exactly(
      from: Array[Byte],
      at: Int,
      to: MemorySegment,
      offset: Long,
      count: Int
  ): Unit =
    if count > 32 then
      two(from, at, to, offset)
      two(from, at + 16, to, offset + 16)
      two(from, at + count - 32, to, offset + count - 32)
      two(from, at + count - 16, to, offset + count - 16)
    else if count > 16 then
      two(from, at, to, offset)
      two(from, at + count - 16, to, offset + count - 16)
    else if count >= 8 then
      one(from, at, to, offset)
      one(from, at + count - 8, to, offset + count - 8)
    else if count >= 4 then
      OffHeapNumberCodec.store(to, offset, NumberCodec.int(from, at), 4, true)
      OffHeapNumberCodec.store(
        to,
        offset + count - 4,
        NumberCodec.int(from, at + count - 4),
        4,
        true
      )
    else
      var i = 0
      while i < count do
        to.set(ValueLayout.JAVA_BYTE, offset + i, from(at + i))
        i += 1

  private def two(from: Array[Byte], at: Int, to: MemorySegment, offset: Long): Unit =
    one(from, at, to, offset)
    one(from, at + 8, to, offset + 8)

  private def one(from: Array[Byte], at: Int, to: MemorySegment, offset: Long): Unit =
    eight(NumberCodec.longs, from, at, OffHeapNumberCodec.longs, to, offset)
end SmallCopies
