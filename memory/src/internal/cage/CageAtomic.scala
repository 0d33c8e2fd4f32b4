package undercroft.memory
package internal.cage

import java.lang.foreign.ValueLayout
import java.lang.invoke.VarHandle

/** The accesses of [[Cage]] with the memory orders of [[java.lang.invoke.VarHandle]], for aligned
  * Ints and Longs.
  *
  * As in [[Cage]], a read is checked afterwards and a store before; a read-modify-write access is
  * checked before, because it stores when it reads.
  */
@scala.annotation.publicInBinary
private[undercroft] object CageAtomic:
  private val segment = Cage.segment
  private val ints = ValueLayout.JAVA_INT.varHandle().nn
  private val longs = ValueLayout.JAVA_LONG.varHandle().nn

  def getIntVolatile(bits: Long): Int =
    val offset = readable(bits, 4)
    val value: Int = ints.getVolatile(segment, offset).asInstanceOf[Int]
    checked(bits, offset, 4)
    value

  def getIntAcquire(bits: Long): Int =
    val offset = readable(bits, 4)
    val value: Int = ints.getAcquire(segment, offset).asInstanceOf[Int]
    checked(bits, offset, 4)
    value

  def setIntVolatile(bits: Long, value: Int): Unit =
    ints.setVolatile(segment, storable(bits, 4), value)

  def setIntRelease(bits: Long, value: Int): Unit =
    ints.setRelease(segment, storable(bits, 4), value)

  def compareAndSetInt(bits: Long, expected: Int, value: Int): Boolean =
    ints.compareAndSet(segment, storable(bits, 4), expected, value)

  def getAndAddInt(bits: Long, delta: Int): Int =
    ints.getAndAdd(segment, storable(bits, 4), delta).asInstanceOf[Int]

  def getAndSetInt(bits: Long, value: Int): Int =
    ints.getAndSet(segment, storable(bits, 4), value).asInstanceOf[Int]

  def getLongVolatile(bits: Long): Long =
    val offset = readable(bits, 8)
    val value: Long = longs.getVolatile(segment, offset).asInstanceOf[Long]
    checked(bits, offset, 8)
    value

  def getLongAcquire(bits: Long): Long =
    val offset = readable(bits, 8)
    val value: Long = longs.getAcquire(segment, offset).asInstanceOf[Long]
    checked(bits, offset, 8)
    value

  def setLongVolatile(bits: Long, value: Long): Unit =
    longs.setVolatile(segment, storable(bits, 8), value)

  def setLongRelease(bits: Long, value: Long): Unit =
    longs.setRelease(segment, storable(bits, 8), value)

  def compareAndSetLong(bits: Long, expected: Long, value: Long): Boolean =
    longs.compareAndSet(segment, storable(bits, 8), expected, value)

  def getAndAddLong(bits: Long, delta: Long): Long =
    longs.getAndAdd(segment, storable(bits, 8), delta).asInstanceOf[Long]

  def getAndSetLong(bits: Long, value: Long): Long =
    longs.getAndSet(segment, storable(bits, 8), value).asInstanceOf[Long]

  private def readable(bits: Long, width: Int): Long =
    val offset = Cage.offsetOf(bits)
    if Cage.space.guarded then Cage.admit(bits, offset, width)
    offset

  private def checked(bits: Long, offset: Long, width: Int): Unit =
    VarHandle.loadLoadFence()
    if !Cage.live(bits, offset + width - 1) then Cage.recheck(bits, offset, width)

  private def storable(bits: Long, width: Int): Long =
    val offset = readable(bits, width)
    if !Cage.owned(bits, offset + width - 1) then Cage.recheck(bits, offset, width)
    offset
end CageAtomic
