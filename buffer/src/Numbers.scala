package undercroft.buffer

import java.lang.foreign.{MemorySegment, ValueLayout}
import java.lang.invoke.{MethodHandles, VarHandle}
import java.nio.ByteOrder.LITTLE_ENDIAN

/** The one place where numbers become bytes and bytes numbers: 1, 2, 4 or 8 bytes, either order. */
private[buffer] object Numbers:
  private val Short = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(LITTLE_ENDIAN)
  private val Int = ValueLayout.JAVA_INT_UNALIGNED.withOrder(LITTLE_ENDIAN)
  private val Long = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN)

  private val shorts = view(classOf[Array[Short]])
  private val ints = view(classOf[Array[Int]])
  private val longs = view(classOf[Array[Long]])

  private def view(array: Class[?]): VarHandle =
    MethodHandles.byteArrayViewVarHandle(array, LITTLE_ENDIAN)

  /** Stores the low bytes of `value` outside the heap. */
  def store(memory: MemorySegment, at: Long, value: Long, bytes: Int, little: Boolean): Unit =
    bytes match
      case 1 => memory.set(ValueLayout.JAVA_BYTE, at, value.toByte)
      case 2 => memory.set(Short, at, ordered(value, bytes, little).toShort)
      case 4 => memory.set(Int, at, ordered(value, bytes, little).toInt)
      case _ => memory.set(Long, at, ordered(value, bytes, little))

  /** Stores the low bytes of `value` in an array. */
  def store(array: Array[Byte], at: Int, value: Long, bytes: Int, little: Boolean): Unit =
    bytes match
      case 1 => array(at) = value.toByte
      case 2 => shorts.set(array, at, ordered(value, bytes, little).toShort)
      case 4 => ints.set(array, at, ordered(value, bytes, little).toInt)
      case _ => longs.set(array, at, ordered(value, bytes, little))

  /** Loads a number without its sign. */
  def load(array: Array[Byte], at: Int, bytes: Int, little: Boolean): Long =
    bytes match
      case 1 => array(at) & 0xffL
      case 2 => ordered(short(array, at) & 0xffffL, bytes, little)
      case 4 => ordered(int(array, at) & 0xffffffffL, bytes, little)
      case _ => ordered(long(array, at), bytes, little)

  /** Eight bytes of an array, the first as the lowest. */
  def long(array: Array[Byte], at: Int): Long = longs.get(array, at).asInstanceOf[Long]

  /** Four bytes of an array, the first as the lowest. */
  def int(array: Array[Byte], at: Int): Int = ints.get(array, at).asInstanceOf[Int]

  private def short(array: Array[Byte], at: Int): Short = shorts.get(array, at).asInstanceOf[Short]

  /** The low bytes of a number, turned round where their order is big-endian. */
  def ordered(value: Long, bytes: Int, little: Boolean): Long =
    if little then value else java.lang.Long.reverseBytes(value) >>> (64 - 8 * bytes)
end Numbers
