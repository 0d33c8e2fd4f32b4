package undercroft.struct
package internal.bytes

import java.lang.Double.{doubleToRawLongBits, longBitsToDouble}
import java.lang.Float.{floatToRawIntBits, intBitsToFloat}
import scala.annotation.publicInBinary

/** Byte-swapped primitives. */
@publicInBinary private[undercroft] object ByteSwap:
  def short(value: Short): Short = java.lang.Short.reverseBytes(value)
  def char(value: Char): Char = Character.reverseBytes(value)
  def int(value: Int): Int = Integer.reverseBytes(value)
  def long(value: Long): Long = java.lang.Long.reverseBytes(value)
  def float(bits: Int): Float = intBitsToFloat(int(bits))
  def double(bits: Long): Double = longBitsToDouble(long(bits))
  def bits(value: Float): Int = int(floatToRawIntBits(value))
  def bits(value: Double): Long = long(doubleToRawLongBits(value))
