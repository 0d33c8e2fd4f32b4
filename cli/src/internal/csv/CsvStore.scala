package undercroft.cli
package internal.csv

import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.invoke.MethodHandles
import java.nio.ByteOrder
import java.time.LocalDate
import java.util.concurrent.atomic.AtomicBoolean
import undercroft.file.format.{LogicalKind, Type}
import undercroft.file.{ColumnKind, FieldSlices, StridedCopy, given}

/** Stores the values of consecutive rows of a CSV file, from row `first` of `count` rows on, and
  * measures their texts. A column's type is expected from other texts: if a text does not have it,
  * `isExpected` becomes false, and nothing more is stored.
  */
private[cli] final class CsvStore(
    columns: Array[CsvColumn],
    count: Long,
    val first: Long,
    isExpected: AtomicBoolean,
    step: Long => Unit
) extends CsvRows:
  /** The forms of the texts. */
  val forms: TextForms = TextForms(columns.length)

  private val texts = forms.columns

  def add(batch: CsvBatch): Unit =
    val row = first + forms.rows
    if row + batch.rows > count then isExpected.set(false) // more rows than there were
    for i <- columns.indices do
      if !isExpected.get then texts(i).add(batch, i, 0)
      else if !columns(i).store(batch, i, row, texts(i)) then isExpected.set(false)
    forms.addRows(batch.rows)
    isExpected.synchronized(step(batch.rows)) // the threads of all ranges report progress
end CsvStore

/** Stores the values of a column. Immutable. */
private[cli] final class CsvColumn(slices: FieldSlices, column: ColumnKind):
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

  private val hasNulls = flag >= 0

  /** Adds the texts of a column of a batch to `texts`, and stores their values from `row` on;
    * returns false if one has no form of the column's type: the others may then not be stored.
    */
  def store(batch: CsvBatch, index: Int, row: Long, texts: TextForms.Column): Boolean =
    val areStored = kind match
      case Text  => storeTexts(batch, index, row, texts)
      case Whole => storeWholes(batch, index, texts)
      case _     => storeOthers(batch, index, texts)
    if kind != Text then move(batch.values, size, row, start, step, batch.rows)
    if hasNulls then move(batch.flags, 1, row, flag, flagStep, batch.rows)
    areStored

  /** Copies values, and makes their bytes zero. */
  private def move(
      values: Array[Byte],
      size: Int,
      row: Long,
      start: Long,
      step: Long,
      count: Int
  ): Unit =
    val source = MemorySegment.ofArray(values).nn
    StridedCopy.copy(source, 0, size, memory, start + row * step, step, size, count)
    java.util.Arrays.fill(values, 0, count * size, 0.toByte)

  /** Runs a body for the index, the start and the length of each text until it returns false, and
    * only measures the others.
    */
  private inline def each(batch: CsvBatch, index: Int, texts: TextForms.Column)(
      inline body: (Int, Int, Int) => Boolean
  ): Boolean =
    var text = index
    var k = 0
    var isOfType = true
    while isOfType && k < batch.rows do
      val length = batch.lengths(text)
      if length < 0 then
        texts.addNull()
        isOfType = hasNulls
      else
        isOfType = body(k, batch.starts(text), length)
        if hasNulls then batch.flags(k) = 1
      text += batch.columns
      k += 1
    if !isOfType then texts.add(batch, index, k)
    isOfType

  private def storeTexts(
      batch: CsvBatch,
      index: Int,
      row: Long,
      texts: TextForms.Column
  ): Boolean =
    each(batch, index, texts): (k, at, length) =>
      val _ = texts.add(batch.bytes, at, length)
      val isShort = length <= size
      if isShort then
        MemorySegment.copy(batch.bytes, at, memory, JAVA_BYTE, start + (row + k) * step, length)
      isShort

  private def storeWholes(batch: CsvBatch, index: Int, texts: TextForms.Column): Boolean =
    each(batch, index, texts): (k, at, length) =>
      val number = TextForms.shortWhole(batch.bytes, at, length)
      if number >= 0 then
        texts.addWhole(length)
        Longs.set(batch.values, k * 8, number)
        true
      else
        val isWhole = (texts.add(batch.bytes, at, length) & forms) != 0
        if isWhole then Longs.set(batch.values, k * 8, whole(batch.bytes, at, length))
        isWhole

  private def storeOthers(batch: CsvBatch, index: Int, texts: TextForms.Column): Boolean =
    each(batch, index, texts): (k, at, length) =>
      val isOfType = (texts.add(batch.bytes, at, length) & forms) != 0
      if isOfType then
        val text = TextBytes(batch.bytes, at, length)
        kind match
          case Bool => batch.values(k) = (if text.isWord("true") then 1 else 0).toByte
          case Real => Doubles.set(batch.values, k * 8, real(batch.bytes, at, length))
          case Date => Ints.set(batch.values, k * 4, day(text).toInt)
          case _    => Longs.set(batch.values, k * 8, micros(text))
      isOfType
end CsvColumn

private object CsvColumn:
  private inline val Text = 0
  private inline val Whole = 1
  private inline val Bool = 2
  private inline val Real = 3
  private inline val Date = 4
  private inline val Timestamp = 5

  private def view(of: Class[?]) =
    MethodHandles.byteArrayViewVarHandle(of, ByteOrder.nativeOrder).nn
  private val Longs = view(classOf[Array[Long]])
  private val Doubles = view(classOf[Array[Double]])
  private val Ints = view(classOf[Array[Int]])

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
