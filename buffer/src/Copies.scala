package undercroft.buffer

import java.lang.foreign.{MemorySegment, ValueLayout}
import java.lang.invoke.VarHandle

/** Copies of a few bytes, for which a call of the JVM's own copy costs more than the copy. */
private[buffer] object Copies:
  /** Longer copies are the JVM's. */
  private inline val Few = 64

  /** Whether `count` bytes of an array are few, and there are 64 on both sides, of which `room`
    * bytes may be changed: then [[few]] copies them.
    */
  inline def areFew(from: Array[Byte], at: Int, count: Int, room: Long): Boolean =
    (count | at) >= 0 && count <= 64 && at <= from.length - 64 && room >= 64

  /** Copies a few bytes as 32 or 64: one branch by the length. */
  def few(from: Array[Byte], at: Int, to: MemorySegment, offset: Long, count: Int): Unit =
    two(from, at, to, offset)
    two(from, at + 16, to, offset + 16)
    if count > 32 then
      two(from, at + 32, to, offset + 32)
      two(from, at + 48, to, offset + 48)

  /** Copies eight bytes, as the caller's own code. */
  inline def eight(
      inline words: VarHandle,
      inline from: Array[Byte],
      inline at: Int,
      inline places: VarHandle,
      inline to: MemorySegment,
      inline offset: Long
  ): Unit =
    val word: Long =
      words.get(from, at).asInstanceOf[Long] // of this type: else it would be an object
    places.set(to, offset, word)

  /** Copies `count` bytes of an array to an offset in native memory, and changes no other. */
  def toMemory(from: Array[Byte], at: Int, to: MemorySegment, offset: Long, count: Int): Unit =
    if count > Few then MemorySegment.copy(from, at, to, ValueLayout.JAVA_BYTE, offset, count)
    else exactly(from, at, to, offset, count)

  /** Copies a few bytes by words, the last of which may overlap the one before. */
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
      Numbers.store(to, offset, Numbers.int(from, at), 4, true)
      Numbers.store(to, offset + count - 4, Numbers.int(from, at + count - 4), 4, true)
    else
      var i = 0
      while i < count do
        to.set(ValueLayout.JAVA_BYTE, offset + i, from(at + i))
        i += 1

  private def two(from: Array[Byte], at: Int, to: MemorySegment, offset: Long): Unit =
    one(from, at, to, offset)
    one(from, at + 8, to, offset + 8)

  private def one(from: Array[Byte], at: Int, to: MemorySegment, offset: Long): Unit =
    eight(Numbers.longs, from, at, Numbers.longsOutside, to, offset)
end Copies
