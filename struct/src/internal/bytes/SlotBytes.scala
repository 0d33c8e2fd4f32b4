package undercroft.struct
package internal.bytes

import java.lang.foreign.MemorySegment

/** Primitives in a slot, `at` bytes after its base. A call of these is half as long in byte code as
  * an access to the segment, so that the JIT still inlines methods with many of them. The segment
  * bounds each access.
  */
object SlotBytes:
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

  def setBoolean(segment: MemorySegment, base: Long, at: Int, value: Boolean): Unit =
    segment.set(ValueLayouts.byte, base + at, if value then 1.toByte else 0.toByte)
  def setByte(segment: MemorySegment, base: Long, at: Int, value: Byte): Unit =
    segment.set(ValueLayouts.byte, base + at, value)
  def setShort(segment: MemorySegment, base: Long, at: Int, value: Short): Unit =
    segment.set(ValueLayouts.short, base + at, value)
  def setChar(segment: MemorySegment, base: Long, at: Int, value: Char): Unit =
    segment.set(ValueLayouts.char, base + at, value)
  def setInt(segment: MemorySegment, base: Long, at: Int, value: Int): Unit =
    segment.set(ValueLayouts.int, base + at, value)
  def setLong(segment: MemorySegment, base: Long, at: Int, value: Long): Unit =
    segment.set(ValueLayouts.long, base + at, value)
  def setFloat(segment: MemorySegment, base: Long, at: Int, value: Float): Unit =
    segment.set(ValueLayouts.float, base + at, value)
  def setDouble(segment: MemorySegment, base: Long, at: Int, value: Double): Unit =
    segment.set(ValueLayouts.double, base + at, value)
end SlotBytes
