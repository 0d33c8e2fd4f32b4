package undercroft.buffer

import java.lang.foreign.{MemorySegment, ValueLayout}

/** Copies of a few bytes, for which a call of the JVM's own copy costs more than the copy. */
private[buffer] object Copies:
  /** Longer copies are the JVM's. */
  private inline val Few = 64

  /** Copies `count` bytes of an array to an offset in native memory, where `room` bytes may be
    * changed. Few are copied as 32 or 64 bytes where there are 64 on both sides: one branch by the
    * length, and so little code that the JIT makes it part of the caller's loop.
    */
  def toMemory(
      from: Array[Byte],
      at: Int,
      to: MemorySegment,
      offset: Long,
      count: Int,
      room: Long
  ): Unit =
    if count > Few then MemorySegment.copy(from, at, to, ValueLayout.JAVA_BYTE, offset, count)
    else if room >= Few && at <= from.length - Few then
      four(from, at, to, offset)
      if count > 32 then four(from, at + 32, to, offset + 32)
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
      four(from, at, to, offset)
      four(from, at + count - 32, to, offset + count - 32)
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

  private inline def four(from: Array[Byte], at: Int, to: MemorySegment, offset: Long): Unit =
    two(from, at, to, offset)
    two(from, at + 16, to, offset + 16)

  private def two(from: Array[Byte], at: Int, to: MemorySegment, offset: Long): Unit =
    one(from, at, to, offset)
    one(from, at + 8, to, offset + 8)

  private inline def one(from: Array[Byte], at: Int, to: MemorySegment, offset: Long): Unit =
    Numbers.store(to, offset, Numbers.long(from, at), 8, true)
end Copies
