package undercroft.struct
package internal.bytes

import java.lang.foreign.ValueLayout
import scala.annotation.publicInBinary

/** The value layouts of generated code: unaligned ones fit both row layouts and are read faster. */
@publicInBinary private[undercroft] object ValueLayouts:
  val byte: ValueLayout.OfByte = ValueLayout.JAVA_BYTE.nn
  val short: ValueLayout.OfShort = ValueLayout.JAVA_SHORT_UNALIGNED.nn
  val char: ValueLayout.OfChar = ValueLayout.JAVA_CHAR_UNALIGNED.nn
  val int: ValueLayout.OfInt = ValueLayout.JAVA_INT_UNALIGNED.nn
  val long: ValueLayout.OfLong = ValueLayout.JAVA_LONG_UNALIGNED.nn
  val float: ValueLayout.OfFloat = ValueLayout.JAVA_FLOAT_UNALIGNED.nn
  val double: ValueLayout.OfDouble = ValueLayout.JAVA_DOUBLE_UNALIGNED.nn

  /** A Boolean is stored as a Byte, 1 or 0; every other Byte is true. */
  def isTrue(stored: Byte): Boolean = stored != 0
  def ofBoolean(value: Boolean): Byte = if value then 1 else 0
end ValueLayouts
