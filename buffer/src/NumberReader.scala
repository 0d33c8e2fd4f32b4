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

  /** Reads a byte, from -128 to 127.
    *
    * {{{
    * println(Buffer().writeByte(255).readByte()) // -1
    * }}}
    */
  final def readByte(): Byte = readNumber(1, false).toByte

  /** Reads two bytes.
    *
    * {{{
    * val buffer = Buffer().write(Array[Byte](1, 2, 1, 2))
    * println(buffer.readShort()) // 258
    * println(buffer.readShortLe()) // 513
    * }}}
    */
  final def readShort(): Short = readNumber(2, false).toShort
  final def readShortLe(): Short = readNumber(2, true).toShort

  /** Reads four bytes.
    *
    * {{{
    * val buffer = Buffer().write(Array[Byte](0, 0, 1, 2, 0, 0, 1, 2))
    * println(buffer.readInt()) // 258
    * println(buffer.readIntLe()) // 33619968
    * }}}
    */
  final def readInt(): Int = readNumber(4, false).toInt
  final def readIntLe(): Int = readNumber(4, true).toInt

  /** Reads eight bytes.
    *
    * {{{
    * val buffer = Buffer().writeLong(251).writeLongLe(251)
    * println(buffer.readLong()) // 251
    * println(buffer.readLongLe()) // 251
    * }}}
    */
  final def readLong(): Long = readNumber(8, false)
  final def readLongLe(): Long = readNumber(8, true)

  /** Reads four bytes, the bits of a Float.
    *
    * {{{
    * val buffer = Buffer().writeInt(0x3f800000).writeFloatLe(0.5f)
    * println(buffer.readFloat()) // 1.0
    * println(buffer.readFloatLe()) // 0.5
    * }}}
    */
  final def readFloat(): Float = intBitsToFloat(readNumber(4, false).toInt)
  final def readFloatLe(): Float = intBitsToFloat(readNumber(4, true).toInt)

  /** Reads eight bytes, the bits of a Double.
    *
    * {{{
    * val buffer = Buffer().writeDouble(0.1).writeDoubleLe(0.1)
    * println(buffer.readDouble()) // 0.1
    * println(buffer.readDoubleLe()) // 0.1
    * }}}
    */
  final def readDouble(): Double = longBitsToDouble(readNumber(8, false))
  final def readDoubleLe(): Double = longBitsToDouble(readNumber(8, true))

  /** Unsigned numbers, as the next wider type.
    *
    * {{{
    * val buffer = Buffer().writeByte(255).writeShortLe(65535).writeInt(-1)
    * println(buffer.readUByte()) // 255
    * println(buffer.readUShortLe()) // 65535
    * println(buffer.readUInt()) // 4294967295
    * }}}
    */
  final def readUByte(): Int = readNumber(1, false).toInt
  final def readUShort(): Int = readNumber(2, false).toInt
  final def readUShortLe(): Int = readNumber(2, true).toInt
  final def readUInt(): Long = readNumber(4, false)
  final def readUIntLe(): Long = readNumber(4, true)
end NumberReader
