package undercroft.buffer
package internal.codec

import java.lang.invoke.{MethodHandles, VarHandle}
import java.nio.ByteOrder.LITTLE_ENDIAN

/** Encodes and decodes numbers of 1, 2, 4 or 8 bytes in arrays, big-endian or little-endian. */
private[undercroft] object NumberCodec:
  private val shorts = view(classOf[Array[Short]])
  private val ints = view(classOf[Array[Int]])
  val longs: VarHandle = view(classOf[Array[Long]])

  private def view(array: Class[?]): VarHandle =
    MethodHandles.byteArrayViewVarHandle(array, LITTLE_ENDIAN)

  /** Stores the low bytes of `value` in an array. */
  def store(array: Array[Byte], at: Int, value: Long, bytes: Int, little: Boolean): Unit =
    bytes match
      case 1 => array(at) = value.toByte
      case 2 => shorts.set(array, at, short(value, little))
      case 4 => ints.set(array, at, int(value, little))
      case _ => longs.set(array, at, ordered(value, bytes, little))

  /** Loads a number from an array, zero-extended. */
  def load(array: Array[Byte], at: Int, bytes: Int, little: Boolean): Long =
    bytes match
      case 1 => array(at) & 0xffL
      case 2 => ordered(short(array, at) & 0xffffL, bytes, little)
      case 4 => ordered(int(array, at) & 0xffffffffL, bytes, little)
      case _ => ordered(long(array, at), bytes, little)

  /** Eight bytes of an array, little-endian. */
  def long(array: Array[Byte], at: Int): Long = longs.get(array, at).asInstanceOf[Long]

  /** Four bytes of an array, little-endian. */
  def int(array: Array[Byte], at: Int): Int = ints.get(array, at).asInstanceOf[Int]

  private def short(array: Array[Byte], at: Int): Short = shorts.get(array, at).asInstanceOf[Short]

  // One instruction per width: reversing eight bytes and shifting them takes two more.
  private def short(value: Long, little: Boolean): Short =
    if little then value.toShort else java.lang.Short.reverseBytes(value.toShort)

  private def int(value: Long, little: Boolean): Int =
    if little then value.toInt else Integer.reverseBytes(value.toInt)

  /** The low bytes of a number, reversed if the order is big-endian. */
  def ordered(value: Long, bytes: Int, little: Boolean): Long =
    if little then value else java.lang.Long.reverseBytes(value) >>> (64 - 8 * bytes)
end NumberCodec
