package undercroft.struct
package internal.bytes

import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary

/** Loads primitives from a slot, `at` bytes after its base. A call of these is shorter in byte code
  * than an access to the segment, so that the JIT still inlines methods with many of them. The
  * segment bounds each access.
  */
@publicInBinary private[undercroft] object SlotBytes:
  def getBoolean(segment: MemorySegment, base: Long, at: Int): Boolean =
    segment.get(ValueLayouts.byte, base + at) != 0
  def getByte(segment: MemorySegment, base: Long, at: Int): Byte =
    segment.get(ValueLayouts.byte, base + at)
  def getShort(segment: MemorySegment, base: Long, at: Int): Short =
    segment.get(ValueLayouts.short, base + at)
  def getChar(segment: MemorySegment, base: Long, at: Int): Char =
    segment.get(ValueLayouts.char, base + at)
  def getInt(segment: MemorySegment, base: Long, at: Int): Int =
    segment.get(ValueLayouts.int, base + at)
  def getLong(segment: MemorySegment, base: Long, at: Int): Long =
    segment.get(ValueLayouts.long, base + at)
  def getFloat(segment: MemorySegment, base: Long, at: Int): Float =
    segment.get(ValueLayouts.float, base + at)
  def getDouble(segment: MemorySegment, base: Long, at: Int): Double =
    segment.get(ValueLayouts.double, base + at)
end SlotBytes
