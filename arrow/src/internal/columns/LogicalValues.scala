package undercroft.arrow
package internal.columns

import internal.rows.{Slots, ValuePlaces}
import internal.schema.ArrowSchema
import java.lang.foreign.ValueLayout
import java.nio.{ByteBuffer, ByteOrder}
import undercroft.file.format.LogicalKind
import undercroft.file.ColumnKind

/** The values of a column whose bytes in Arrow differ from the stored ones: decimals and UUIDs of
  * 128 bits, and times of day of 32 bits. Confined to one thread.
  */
private[arrow] final class LogicalValues(
    slots: Slots,
    kind: LogicalKind,
    of: ColumnKind
):
  val size: Int = kind match
    case _: LogicalKind.Time => 4
    case _                   => 16

  /** The bytes of the last loaded value. */
  val bytes: Array[Byte] = new Array[Byte](size)
  private val content = ByteBuffer.wrap(bytes).nn.order(ByteOrder.LITTLE_ENDIAN).nn
  private var last = 0L

  private val parts: Array[ColumnKind.Value] = (of match
    case ColumnKind.Record(_, fields) => fields.collect { case value: ColumnKind.Value => value }
    case value: ColumnKind.Value      => Vector(value)
    case other                        => throw IllegalStateException(other.name)
  ).toArray
  private val places: Array[ValuePlaces] = parts.map(value => slots.places(value.offset, 8))

  private def long(part: Int, row: Long): Long =
    val stored = slots.memory.get(ValueLayout.JAVA_LONG_UNALIGNED, places(part).at(row))
    if parts(part).isBigEndian then java.lang.Long.reverseBytes(stored) else stored

  /** Loads the value of a row; returns whether it is in the range of its type. */
  def load(row: Long): Boolean = kind match
    case time: LogicalKind.Time =>
      last = long(0, row)
      content.putInt(0, last.toInt)
      last >= 0 && last < 86_400L * time.unit.perSecond
    case _: LogicalKind.Uuid =>
      content.putLong(0, java.lang.Long.reverseBytes(long(0, row)))
      content.putLong(8, java.lang.Long.reverseBytes(long(1, row)))
      true
    case _ =>
      val low = long(parts.length - 1, row)
      content.putLong(0, low)
      content.putLong(8, if parts.length == 2 then long(0, row) else low >> 63)
      true

  /** The last loaded value in the words of error messages. */
  def description: String = s"$last, but a time is less than a day"
end LogicalValues

private[arrow] object LogicalValues:
  /** Whether the bytes of values in Arrow differ from the stored ones. */
  def isChanged(kind: LogicalKind): Boolean = kind match
    case time: LogicalKind.Time                      => ArrowSchema.isShort(time.unit)
    case _: (LogicalKind.Decimal | LogicalKind.Uuid) => true
    case _                                           => false
