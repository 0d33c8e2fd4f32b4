package undercroft.cli

import java.lang.foreign.ValueLayout.{
  JAVA_BYTE,
  JAVA_DOUBLE_UNALIGNED,
  JAVA_INT_UNALIGNED,
  JAVA_LONG_UNALIGNED
}
import java.lang.invoke.MethodHandles
import java.nio.ByteOrder
import java.time.LocalDate
import java.util.concurrent.atomic.AtomicBoolean
import undercroft.file.format.{LogicalKind, Type}
import undercroft.file.{ColumnKind, FieldSlices, given}

/** Stores the values of consecutive rows of a CSV file, from row `first` on, in a struct file, and
  * measures their texts. With a value that is none of its column, whose type was expected from
  * other texts, `isExpected` becomes false, and nothing more is stored.
  */
private[cli] final class CsvStore(
    slices: FieldSlices,
    val first: Long,
    isExpected: AtomicBoolean,
    step: Long => Unit
) extends CsvFields:
  private val columns = slices.columns.map(CsvColumn(slices, _)).toArray
  private var row = first
  private var isStoring = true

  /** The forms of the texts. */
  val forms: TextForms = TextForms(columns.length)
  private val texts = forms.columns.toArray

  def add(column: Int, bytes: Array[Byte], at: Int, length: Int): Unit =
    val form = texts(column).add(bytes, at, length)
    if isStoring && !columns(column).store(row, form, bytes, at, length) then end()

  def addWhole(column: Int, number: Long, bytes: Array[Byte], at: Int, length: Int): Unit =
    texts(column).addWhole(length)
    if isStoring && !columns(column).storeWhole(row, number, bytes, at, length) then end()

  def addNull(column: Int): Unit =
    forms.addNull(column)
    if isStoring && !columns(column).hasNulls then end()

  def addRow(): Unit =
    forms.addRow()
    row += 1
    if row >= slices.rows then isStoring = false // more rows than there were
    if (row - first) % CsvStore.Step == 0 then
      isStoring &&= isExpected.get
      slices.synchronized(step(CsvStore.Step))

  private def end(): Unit =
    isExpected.set(false)
    isStoring = false
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
  private val (kind, offset, size) = value match
    case ColumnKind.Text(_, offset, size) => (Text, offset, size)
    case ColumnKind.Logical(_, _: LogicalKind.Date, number: ColumnKind.Value) =>
      (Date, number.offset, 4)
    case ColumnKind.Logical(_, _, number: ColumnKind.Value) => (Timestamp, number.offset, 8)
    case ColumnKind.Value(_, offset, primitive, _, _) =>
      val kind =
        if primitive == Type.Primitive.BOOLEAN then Bool
        else if primitive == Type.Primitive.DOUBLE then Real
        else Whole
      (kind, offset, primitive.size)
    case other => throw IllegalArgumentException(s"no text is stored in ${other.name}")
  private val start = slices.start(offset, size)
  private val step = slices.step(size)

  /** The forms of texts that are stored as numbers. */
  private val forms = kind match
    case Text  => 0L
    case Whole => TextForms.Whole | TextForms.LongWhole
    case Bool  => TextForms.Bool
    case Real  => TextForms.Whole | TextForms.Real
    case Date  => TextForms.Date
    case _     => TextForms.Date | TextForms.Timestamp | TextForms.FarTimestamp

  def hasNulls: Boolean = flag >= 0

  /** Stores a text that has a form of the column's type; returns whether it has. */
  def store(row: Long, form: Long, bytes: Array[Byte], at: Int, length: Int): Boolean =
    val isOfType = (form & forms) != 0 || kind == Text && length <= size
    if isOfType then
      setDefined(row)
      val place = start + row * step
      kind match
        case Text  => storeText(place, bytes, at, length)
        case Whole => memory.set(JAVA_LONG_UNALIGNED, place, whole(bytes, at, length))
        case Bool =>
          memory.set(JAVA_BYTE, place, (if (bytes(at) | 0x20) == 't' then 1 else 0).toByte)
        case Real => memory.set(JAVA_DOUBLE_UNALIGNED, place, real(bytes, at, length))
        case Date => memory.set(JAVA_INT_UNALIGNED, place, day(TextBytes(bytes, at, length)).toInt)
        case _    => memory.set(JAVA_LONG_UNALIGNED, place, micros(TextBytes(bytes, at, length)))
    isOfType

  /** Stores a text that is this number. */
  def storeWhole(row: Long, number: Long, bytes: Array[Byte], at: Int, length: Int): Boolean =
    if kind == Whole then
      setDefined(row)
      memory.set(JAVA_LONG_UNALIGNED, start + row * step, number)
      true
    else store(row, TextForms.Whole, bytes, at, length)

  private def setDefined(row: Long): Unit =
    if hasNulls then memory.set(JAVA_BYTE, flag + row * flagStep, 1.toByte)

  /** Stores words, of which the last two may have bytes in common: a copy costs more. */
  private def storeText(place: Long, bytes: Array[Byte], at: Int, length: Int): Unit =
    if length < java.lang.Long.BYTES then
      var k = 0
      while k < length do
        memory.set(JAVA_BYTE, place + k, bytes(at + k))
        k += 1
    else
      var k = 0
      while k < length do
        val offset = Math.min(k, length - java.lang.Long.BYTES)
        memory.set(JAVA_LONG_UNALIGNED, place + offset, word(bytes, at + offset))
        k += java.lang.Long.BYTES
end CsvColumn

private object CsvColumn:
  private inline val Text = 0
  private inline val Whole = 1
  private inline val Bool = 2
  private inline val Real = 3
  private inline val Date = 4
  private inline val Timestamp = 5

  private val Words =
    MethodHandles.byteArrayViewVarHandle(classOf[Array[Long]], ByteOrder.nativeOrder).nn

  private def word(bytes: Array[Byte], at: Int): Long =
    Words.get(bytes, at).asInstanceOf[Long]

  private def whole(bytes: Array[Byte], at: Int, length: Int): Long =
    val isNegative = bytes(at) == '-'
    val end = at + length
    var value = 0L
    var k = if isNegative then at + 1 else at
    while k < end do
      value = value * 10 + (bytes(k) - '0')
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
      else java.lang.Double.parseDouble(text.text)
  end real

  private val Powers = Array.iterate(1.0, TextForms.DoubleDigits)(_ * 10)

  private def day(text: TextBytes): Long =
    LocalDate.of(text.number(0, 4), text.number(5, 7), text.number(8, 10)).toEpochDay

  private def micros(text: TextBytes): Long =
    val fraction = if text.length == 10 then 0 else text.clock(11)
    val seconds =
      if text.length == 10 then 0
      else text.number(11, 13) * 3600 + text.number(14, 16) * 60 + text.number(17, 19)
    val parts = if fraction == 0 then 0.0 else text.number(20, 20 + fraction) * Powers(6 - fraction)
    (day(text) * 86_400 + seconds) * 1_000_000 + parts.toLong
end CsvColumn
