package undercroft.struct

import scala.annotation.publicInBinary
import undercroft.memory.CageAtomic

/** An Int field of a struct with atomic access: `ref.atomic(_.count).getAndAdd(1)`.
  *
  * The operations and their memory order are those of [[java.lang.invoke.VarHandle]]; each is
  * checked as every access through a reference is. Any thread; no object.
  */
final class AtomicIntField @publicInBinary private[struct] (private val address: Long)
    extends AnyVal:
  def getVolatile: Int = CageAtomic.getIntVolatile(address)
  def getAcquire: Int = CageAtomic.getIntAcquire(address)
  def setVolatile(value: Int): Unit = CageAtomic.setIntVolatile(address, value)
  def setRelease(value: Int): Unit = CageAtomic.setIntRelease(address, value)

  /** Stores `value` where `expected` is, and tells whether it was. */
  def compareAndSet(expected: Int, value: Int): Boolean =
    CageAtomic.compareAndSetInt(address, expected, value)

  /** Adds, and answers with what was there before. */
  def getAndAdd(delta: Int): Int = CageAtomic.getAndAddInt(address, delta)

  /** Stores, and answers with what was there before. */
  def getAndSet(value: Int): Int = CageAtomic.getAndSetInt(address, value)
end AtomicIntField

/** A Long field of a struct with atomic access; see [[AtomicIntField]]. */
final class AtomicLongField @publicInBinary private[struct] (private val address: Long)
    extends AnyVal:
  def getVolatile: Long = CageAtomic.getLongVolatile(address)
  def getAcquire: Long = CageAtomic.getLongAcquire(address)
  def setVolatile(value: Long): Unit = CageAtomic.setLongVolatile(address, value)
  def setRelease(value: Long): Unit = CageAtomic.setLongRelease(address, value)

  /** Stores `value` where `expected` is, and tells whether it was. */
  def compareAndSet(expected: Long, value: Long): Boolean =
    CageAtomic.compareAndSetLong(address, expected, value)

  /** Adds, and answers with what was there before. */
  def getAndAdd(delta: Long): Long = CageAtomic.getAndAddLong(address, delta)

  /** Stores, and answers with what was there before. */
  def getAndSet(value: Long): Long = CageAtomic.getAndSetLong(address, value)
end AtomicLongField
