package undercroft.cli

import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.{
  JAVA_BYTE,
  JAVA_DOUBLE_UNALIGNED,
  JAVA_INT_UNALIGNED,
  JAVA_LONG_UNALIGNED
}
import java.time.LocalDate
import undercroft.file.format.{LogicalKind, Type}
import undercroft.file.{ColumnKind, FieldSlices, given}

/** Stores the values of consecutive rows of a CSV file, from row `first` on, in a struct file. The
  * texts have the forms of the columns' types: one that has another was written meanwhile, and is a
  * [[BadInput]].
  */
private[cli] final class CsvStore(slices: FieldSlices, first: Long, step: Long => Unit)
    extends CsvFields:
  private val columns = slices.columns.map(CsvColumn(slices, _)).toArray
  private var row = first

  /** The number of rows that were stored. */
  def rows: Long = row - first

  def add(column: Int, bytes: Array[Byte], at: Int, length: Int): Unit =
    if row >= slices.rows then throw CsvRecords.changed
    columns(column).store(row, bytes, at, length)

  def addNull(column: Int): Unit =
    if !columns(column).hasNulls then throw CsvRecords.changed

  def addRow(): Unit =
    row += 1
    if rows % CsvStore.Step == 0 then slices.synchronized(step(CsvStore.Step))
end CsvStore

private object CsvStore:
  /** The rows between two reports of progress. */
  private inline val Step = 1L << 16

/** Stores the values of a column. */
private final class CsvColumn(slices: FieldSlices, column: ColumnKind):
  import CsvColumn.*

  private val memory = slices.memory
  private val (flag, value) = column match
    case ColumnKind.Optional(_, isDefined, value) => (slices.start(isDefined, 1), value)
    case value                                    => (-1L, value)
  private val flagStep = slices.step(1)
  private val (form, offset, size) = value match
    case ColumnKind.Text(_, offset, size) => (Text, offset, size)
    case ColumnKind.Logical(_, _: LogicalKind.Date, number: ColumnKind.Value) =>
      (Date, number.offset, 4)
    case ColumnKind.Logical(_, _, number: ColumnKind.Value) => (Timestamp, number.offset, 8)
    case ColumnKind.Value(_, offset, kind, _, _) =>
      val form =
        if kind == Type.Primitive.BOOLEAN then Bool
        else if kind == Type.Primitive.DOUBLE then Real
        else Whole
      (form, offset, kind.size)
    case other => throw IllegalArgumentException(s"no text is stored in ${other.name}")
  private val start = slices.start(offset, size)
  private val step = slices.step(size)

  def hasNulls: Boolean = flag >= 0

  def store(row: Long, bytes: Array[Byte], at: Int, length: Int): Unit =
    if hasNulls then memory.set(JAVA_BYTE, flag + row * flagStep, 1.toByte)
    val place = start + row * step
    form match
      case Text =>
        if length > size then throw CsvRecords.changed
        MemorySegment.copy(bytes, at, memory, JAVA_BYTE, place, length)
      case Whole => memory.set(JAVA_LONG_UNALIGNED, place, whole(bytes, at, length))
      case Bool =>
        memory.set(JAVA_BYTE, place, (if (bytes(at) | 0x20) == 't' then 1 else 0).toByte)
      case Real => memory.set(JAVA_DOUBLE_UNALIGNED, place, real(bytes, at, length))
      case Date => memory.set(JAVA_INT_UNALIGNED, place, day(TextBytes(bytes, at, length)).toInt)
      case _    => memory.set(JAVA_LONG_UNALIGNED, place, micros(TextBytes(bytes, at, length)))
  end store
end CsvColumn

private object CsvColumn:
  private inline val Text = 0
  private inline val Whole = 1
  private inline val Bool = 2
  private inline val Real = 3
  private inline val Date = 4
  private inline val Timestamp = 5

  private def whole(bytes: Array[Byte], at: Int, length: Int): Long =
    val isNegative = bytes(at) == '-'
    val first = if isNegative then at + 1 else at
    val end = at + length
    if end == first || end - first > TextForms.LongDigits then throw CsvRecords.changed
    var value = 0L
    var k = first
    while k < end do
      val digit = bytes(k) - '0'
      if digit < 0 || digit > 9 then throw CsvRecords.changed
      value = value * 10 + digit
      k += 1
    if isNegative then -value else value

  /** The nearest Double. It is the quotient of the digits and a power of ten, if both are Doubles.
    */
  private def real(bytes: Array[Byte], at: Int, length: Int): Double =
    val isNegative = bytes(at) == '-'
    val end = at + length
    var value = 0L
    var point = end
    var k = if isNegative then at + 1 else at
    var isShort = length <= TextForms.DoubleDigits
    while isShort && k < end do
      val digit = bytes(k) - '0'
      if digit >= 0 && digit <= 9 then value = value * 10 + digit
      else if bytes(k) == '.' && point == end then point = k
      else isShort = false
      k += 1
    if isShort then
      val double = value.toDouble / Powers(Math.max(end - point - 1, 0))
      if isNegative then -double else double
    else
      val text = TextBytes(bytes, at, length)
      if text.isWord("nan") then Double.NaN
      else if text.isWord("inf") || text.isWord("infinity") then Double.PositiveInfinity
      else if text.isWord("-inf") || text.isWord("-infinity") then Double.NegativeInfinity
      else
        try java.lang.Double.parseDouble(text.text)
        catch case _: NumberFormatException => throw CsvRecords.changed
  end real

  private val Powers = Array.iterate(1.0, TextForms.DoubleDigits)(_ * 10)

  private def day(text: TextBytes): Long =
    if text.length < 10 || !text.isDate then throw CsvRecords.changed
    LocalDate.of(text.number(0, 4), text.number(5, 7), text.number(8, 10)).toEpochDay

  private def micros(text: TextBytes): Long =
    val fraction = if text.length == 10 then 0 else text.clock(11)
    if fraction < 0 || fraction > 6 then throw CsvRecords.changed
    val seconds =
      if text.length == 10 then 0
      else text.number(11, 13) * 3600 + text.number(14, 16) * 60 + text.number(17, 19)
    val parts = if fraction == 0 then 0.0 else text.number(20, 20 + fraction) * Powers(6 - fraction)
    (day(text) * 86_400 + seconds) * 1_000_000 + parts.toLong
end CsvColumn
