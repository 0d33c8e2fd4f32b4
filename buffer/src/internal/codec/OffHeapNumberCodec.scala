package undercroft.buffer
package internal.codec

import java.lang.foreign.{MemorySegment, ValueLayout}
import java.lang.invoke.VarHandle
import java.nio.ByteOrder.LITTLE_ENDIAN

/** The same as [[NumberCodec]] in off-heap memory. An object of its own: a program with arrays only
  * does not load the JDK's classes of layouts.
  */
private[undercroft] object OffHeapNumberCodec:
  val Short: ValueLayout.OfShort = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(LITTLE_ENDIAN).nn
  val Int: ValueLayout.OfInt = ValueLayout.JAVA_INT_UNALIGNED.withOrder(LITTLE_ENDIAN).nn
  val Long: ValueLayout.OfLong = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN).nn

  val longs: VarHandle = Long.varHandle.nn

  /** Stores the low bytes of `value` in off-heap memory. */
  def store(memory: MemorySegment, at: Long, value: Long, bytes: Int, little: Boolean): Unit =
    put(memory, at, value, bytes, little)

  /** The same as `store`, inlined into the caller: see [[ByteOutput.write]]. */
  inline def put(memory: MemorySegment, at: Long, value: Long, bytes: Int, little: Boolean): Unit =
    bytes match
      case 1 => memory.set(ValueLayout.JAVA_BYTE, at, value.toByte)
      case 2 =>
        val number = value.toShort
        memory.set(Short, at, if little then number else java.lang.Short.reverseBytes(number))
      case 4 =>
        val number = value.toInt
        memory.set(Int, at, if little then number else Integer.reverseBytes(number))
      case _ => memory.set(Long, at, if little then value else java.lang.Long.reverseBytes(value))

  /** Loads a number from off-heap memory, zero-extended. */
  def load(memory: MemorySegment, at: Long, bytes: Int, little: Boolean): Long =
    bytes match
      case 1 => memory.get(ValueLayout.JAVA_BYTE, at) & 0xffL
      case 2 => NumberCodec.ordered(memory.get(Short, at) & 0xffffL, bytes, little)
      case 4 => NumberCodec.ordered(memory.get(Int, at) & 0xffffffffL, bytes, little)
      case _ => NumberCodec.ordered(long(memory, at), bytes, little)

  /** Eight bytes of off-heap memory, little-endian. */
  def long(memory: MemorySegment, at: Long): Long = memory.get(Long, at)
end OffHeapNumberCodec
