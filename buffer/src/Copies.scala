package undercroft.buffer

import java.lang.foreign.{MemorySegment, ValueLayout}

/** Copies of a few bytes, for which a call of the JVM's own copy costs more than the copy. */
private[buffer] object Copies:
  /** Copies `count` bytes of an array to memory outside the heap; what is shorter than 17 bytes in
    * two words, which may overlap.
    */
  def toNative(from: Array[Byte], at: Int, to: MemorySegment, position: Long, count: Int): Unit =
    if count > 16 then MemorySegment.copy(from, at, to, ValueLayout.JAVA_BYTE, position, count)
    else if count >= 8 then
      Numbers.store(to, position, Numbers.long(from, at), 8, true)
      Numbers.store(to, position + count - 8, Numbers.long(from, at + count - 8), 8, true)
    else if count >= 4 then
      Numbers.store(to, position, Numbers.int(from, at), 4, true)
      Numbers.store(to, position + count - 4, Numbers.int(from, at + count - 4), 4, true)
    else
      var i = 0
      while i < count do
        to.set(ValueLayout.JAVA_BYTE, position + i, from(at + i))
        i += 1
end Copies
