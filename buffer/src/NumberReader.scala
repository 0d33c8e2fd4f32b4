package undercroft.buffer

import java.lang.Double.longBitsToDouble
import java.lang.Float.intBitsToFloat

/** Reads numbers under Okio's names: big-endian, or little-endian if the name ends in `Le`. If the
  * input ends too early they throw an [[EndOfInputException]] and consume nothing.
  *
  * {{{
  * val buffer = Buffer().writeShort(7).writeIntLe(42)
  * println(buffer.readShort()) // big-endian
  * println(buffer.readIntLe())
  * }}}
  */
trait NumberReader:
  /** Reads a number of 1, 2, 4 or 8 bytes, zero-extended. */
  private[buffer] def readNumber(bytes: Int, little: Boolean): Long

  final def readByte(): Byte = readNumber(1, false).toByte
  final def readShort(): Short = readNumber(2, false).toShort
  final def readShortLe(): Short = readNumber(2, true).toShort
  final def readInt(): Int = readNumber(4, false).toInt
  final def readIntLe(): Int = readNumber(4, true).toInt
  final def readLong(): Long = readNumber(8, false)
  final def readLongLe(): Long = readNumber(8, true)
  final def readFloat(): Float = intBitsToFloat(readNumber(4, false).toInt)
  final def readFloatLe(): Float = intBitsToFloat(readNumber(4, true).toInt)
  final def readDouble(): Double = longBitsToDouble(readNumber(8, false))
  final def readDoubleLe(): Double = longBitsToDouble(readNumber(8, true))

  /** Unsigned numbers, as the next wider type. */
  final def readUByte(): Int = readNumber(1, false).toInt
  final def readUShort(): Int = readNumber(2, false).toInt
  final def readUShortLe(): Int = readNumber(2, true).toInt
  final def readUInt(): Long = readNumber(4, false)
  final def readUIntLe(): Long = readNumber(4, true)
end NumberReader
