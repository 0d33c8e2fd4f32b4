package undercroft.memory
package internal.cage

import java.lang.foreign.ValueLayout
import java.lang.invoke.VarHandle

/** The accesses of [[Cage]] for packed layouts, whose fields may cross a page boundary.
  *
  * An access that does not cross costs one comparison more than an aligned one.
  */
@scala.annotation.publicInBinary
private[undercroft] object CagePacked:
  private val segment = Cage.segment
  private val guarded = Cage.space.guarded

  def getShort(bits: Long, at: Long): Short =
    val offset = Cage.offsetOf(bits) + at
    if guarded then both(bits, offset, 2)
    val value = segment.get(ValueLayout.JAVA_SHORT_UNALIGNED, offset)
    VarHandle.loadLoadFence()
    both(bits, offset, 2)
    value

  def getChar(bits: Long, at: Long): Char =
    val offset = Cage.offsetOf(bits) + at
    if guarded then both(bits, offset, 2)
    val value = segment.get(ValueLayout.JAVA_CHAR_UNALIGNED, offset)
    VarHandle.loadLoadFence()
    both(bits, offset, 2)
    value

  def getInt(bits: Long, at: Long): Int =
    val offset = Cage.offsetOf(bits) + at
    if guarded then both(bits, offset, 4)
    val value = segment.get(ValueLayout.JAVA_INT_UNALIGNED, offset)
    VarHandle.loadLoadFence()
    both(bits, offset, 4)
    value

  def getLong(bits: Long, at: Long): Long =
    val offset = Cage.offsetOf(bits) + at
    if guarded then both(bits, offset, 8)
    val value = segment.get(ValueLayout.JAVA_LONG_UNALIGNED, offset)
    VarHandle.loadLoadFence()
    both(bits, offset, 8)
    value

  def getFloat(bits: Long, at: Long): Float =
    val offset = Cage.offsetOf(bits) + at
    if guarded then both(bits, offset, 4)
    val value = segment.get(ValueLayout.JAVA_FLOAT_UNALIGNED, offset)
    VarHandle.loadLoadFence()
    both(bits, offset, 4)
    value

  def getDouble(bits: Long, at: Long): Double =
    val offset = Cage.offsetOf(bits) + at
    if guarded then both(bits, offset, 8)
    val value = segment.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, offset)
    VarHandle.loadLoadFence()
    both(bits, offset, 8)
    value

  def setShort(bits: Long, at: Long, value: Short): Unit =
    val offset = Cage.offsetOf(bits) + at
    bothOwned(bits, offset, 2)
    segment.set(ValueLayout.JAVA_SHORT_UNALIGNED, offset, value)

  def setChar(bits: Long, at: Long, value: Char): Unit =
    val offset = Cage.offsetOf(bits) + at
    bothOwned(bits, offset, 2)
    segment.set(ValueLayout.JAVA_CHAR_UNALIGNED, offset, value)

  def setInt(bits: Long, at: Long, value: Int): Unit =
    val offset = Cage.offsetOf(bits) + at
    bothOwned(bits, offset, 4)
    segment.set(ValueLayout.JAVA_INT_UNALIGNED, offset, value)

  def setLong(bits: Long, at: Long, value: Long): Unit =
    val offset = Cage.offsetOf(bits) + at
    bothOwned(bits, offset, 8)
    segment.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value)

  def setFloat(bits: Long, at: Long, value: Float): Unit =
    val offset = Cage.offsetOf(bits) + at
    bothOwned(bits, offset, 4)
    segment.set(ValueLayout.JAVA_FLOAT_UNALIGNED, offset, value)

  def setDouble(bits: Long, at: Long, value: Double): Unit =
    val offset = Cage.offsetOf(bits) + at
    bothOwned(bits, offset, 8)
    segment.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, offset, value)

  private def both(bits: Long, offset: Long, width: Int): Unit =
    if guarded then Cage.admit(bits, offset, width)
    else if !Cage.live(bits, offset) then Cage.recheck(bits, offset, width)
    if (offset & (Cage.PageBytes - 1)) > Cage.PageBytes - width then crossing(bits, offset, width)

  private def bothOwned(bits: Long, offset: Long, width: Int): Unit =
    if Cage.generationOf(bits) == 0 then Cage.recheck(bits, offset, width)
    both(bits, offset, width)

  private def crossing(bits: Long, offset: Long, width: Int): Unit =
    val last = offset + width - 1
    Cage.admit(bits, last, 1)
end CagePacked
