package undercroft.struct
package internal.sort

import scala.annotation.publicInBinary

/** Primitives as words whose unsigned order is the order of `java.lang`'s compare; narrower types
  * are in the upper bits of the word.
  */
@publicInBinary private[undercroft] object SortKey:
  def of(value: Boolean): Long = if value then 1L << 56 else 0L
  def of(value: Byte): Long = (value ^ 0x80L) << 56
  def of(value: Short): Long = (value ^ 0x8000L) << 48
  def of(value: Char): Long = value.toLong << 48
  def of(value: Int): Long = (value ^ 0x80000000L) << 32
  def of(value: Long): Long = value ^ Long.MinValue

  // Negative numbers are in the reverse order of their bits; all NaNs are equal.
  def of(value: Float): Long =
    val bits = java.lang.Float.floatToIntBits(value)
    (bits ^ ((bits >> 31) | Int.MinValue)).toLong << 32
  def of(value: Double): Long =
    val bits = java.lang.Double.doubleToLongBits(value)
    bits ^ ((bits >> 63) | Long.MinValue)

  // The inverse functions; the bits after the value are ignored.
  def boolean(word: Long): Boolean = word >>> 56 != 0
  def byte(word: Long): Byte = (word >>> 56 ^ 0x80L).toByte
  def short(word: Long): Short = (word >>> 48 ^ 0x8000L).toShort
  def char(word: Long): Char = (word >>> 48).toChar
  def int(word: Long): Int = (word >>> 32).toInt ^ Int.MinValue
  def long(word: Long): Long = word ^ Long.MinValue
  def float(word: Long): Float =
    val bits = (word >>> 32).toInt
    java.lang.Float.intBitsToFloat(bits ^ (~(bits >> 31) | Int.MinValue))
  def double(word: Long): Double =
    java.lang.Double.longBitsToDouble(word ^ (~(word >> 63) | Long.MinValue))
end SortKey
