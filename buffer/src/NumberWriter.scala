package undercroft.buffer

import java.lang.Double.doubleToRawLongBits
import java.lang.Float.floatToRawIntBits
import scala.annotation.publicInBinary

/** Writes numbers under Okio's names: big-endian, or little-endian if the name ends in `Le`.
  *
  * Each method is one call with constant width and byte order, which the JIT folds. A byte or a
  * short is passed as an Int, as in java.io: its upper bits are ignored.
  *
  * {{{
  * val buffer = Buffer().writeByte(1).writeInt(2).writeDoubleLe(0.5)
  * println(buffer.size) // 13
  * }}}
  */
trait NumberWriter:
  /** Writes the `bytes` low bytes of `value`: 1, 2, 4 or 8 of them. */
  @publicInBinary private[buffer] def writeNumber(value: Long, bytes: Int, little: Boolean): Unit

  private inline def number(value: Long, inline bytes: Int, inline little: Boolean): this.type =
    writeNumber(value, bytes, little)
    this

  /** Writes the low byte of `value`.
    *
    * {{{
    * println(Buffer().writeByte(0x1ff).readByteString().hex) // ff
    * }}}
    */
  final def writeByte(value: Int): this.type = number(value, 1, false)

  /** Writes the two low bytes of `value`.
    *
    * {{{
    * println(Buffer().writeShort(258).readByteString().hex) // 0102
    * println(Buffer().writeShortLe(258).readByteString().hex) // 0201
    * }}}
    */
  final def writeShort(value: Int): this.type = number(value, 2, false)
  final def writeShortLe(value: Int): this.type = number(value, 2, true)

  /** Writes four bytes.
    *
    * {{{
    * println(Buffer().writeInt(258).readByteString().hex) // 00000102
    * println(Buffer().writeIntLe(258).readByteString().hex) // 02010000
    * }}}
    */
  final def writeInt(value: Int): this.type = number(value, 4, false)
  final def writeIntLe(value: Int): this.type = number(value, 4, true)

  /** Writes eight bytes.
    *
    * {{{
    * println(Buffer().writeLong(258).readByteString().hex) // 0000000000000102
    * println(Buffer().writeLongLe(258).readByteString().hex) // 0201000000000000
    * }}}
    */
  final def writeLong(value: Long): this.type = number(value, 8, false)
  final def writeLongLe(value: Long): this.type = number(value, 8, true)

  /** Writes the four bytes of a Float's bits.
    *
    * {{{
    * println(Buffer().writeFloat(1).readByteString().hex) // 3f800000
    * println(Buffer().writeFloatLe(1).readByteString().hex) // 0000803f
    * }}}
    */
  final def writeFloat(value: Float): this.type = number(floatToRawIntBits(value), 4, false)
  final def writeFloatLe(value: Float): this.type = number(floatToRawIntBits(value), 4, true)

  /** Writes the eight bytes of a Double's bits.
    *
    * {{{
    * println(Buffer().writeDouble(1).readByteString().hex) // 3ff0000000000000
    * println(Buffer().writeDoubleLe(1).readByteString().hex) // 000000000000f03f
    * }}}
    */
  final def writeDouble(value: Double): this.type = number(doubleToRawLongBits(value), 8, false)
  final def writeDoubleLe(value: Double): this.type = number(doubleToRawLongBits(value), 8, true)
end NumberWriter
