package undercroft.buffer

import java.lang.foreign.{MemorySegment, ValueLayout}
import undercroft.memory.Cage

/** Copies of a few bytes, for which a call of the JVM's own copy costs more than the copy. */
private[buffer] object Copies:
  /** Longer copies are the JVM's. */
  private inline val Few = 64

  /** Copies `count` bytes of an array to an offset in the cage that may be stored to; few of them
    * by words, the last of which may overlap the one before.
    */
  def toCage(from: Array[Byte], at: Int, offset: Long, count: Int): Unit =
    if count > Few then
      MemorySegment.copy(from, at, Cage.segment, ValueLayout.JAVA_BYTE, offset, count)
    else if count > 32 then
      four(from, at, offset)
      four(from, at + count - 32, offset + count - 32)
    else if count > 16 then
      two(from, at, offset)
      two(from, at + count - 16, offset + count - 16)
    else if count >= 8 then
      one(from, at, offset)
      one(from, at + count - 8, offset + count - 8)
    else if count >= 4 then
      Numbers.store(Cage.segment, offset, Numbers.int(from, at), 4, true)
      Numbers.store(Cage.segment, offset + count - 4, Numbers.int(from, at + count - 4), 4, true)
    else
      var i = 0
      while i < count do
        Cage.segment.set(ValueLayout.JAVA_BYTE, offset + i, from(at + i))
        i += 1

  private inline def four(from: Array[Byte], at: Int, offset: Long): Unit =
    two(from, at, offset)
    two(from, at + 16, offset + 16)

  private inline def two(from: Array[Byte], at: Int, offset: Long): Unit =
    one(from, at, offset)
    one(from, at + 8, offset + 8)

  private inline def one(from: Array[Byte], at: Int, offset: Long): Unit =
    Numbers.store(Cage.segment, offset, Numbers.long(from, at), 8, true)
end Copies
