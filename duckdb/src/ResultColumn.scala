package undercroft.duckdb

import java.lang.foreign.{MemorySegment, ValueLayout}
import java.nio.charset.StandardCharsets.UTF_8
import java.time.{LocalDate, LocalDateTime, LocalTime, ZoneOffset}
import java.util.{Arrays, BitSet}
import scala.collection.mutable.ArrayBuffer

/** The values of a column of a result, on the heap: numbers and texts without an object for each.
  * Values are added by one thread; then it is immutable.
  */
private[duckdb] sealed abstract class ResultColumn:
  private val nulls = BitSet()

  /** The number of values. */
  protected var size = 0

  final def isNull(row: Int): Boolean = nulls.get(row)

  /** The value as SQL shows it. */
  final def value(row: Int): SqlValue = if isNull(row) then SqlValue.Null else present(row)

  final def add(vector: ResultVector): Unit =
    val count = vector.count
    reserve(size + count)
    if !vector.isValid then for i <- 0 until count if vector.isNull(i) do nulls.set(size + i)
    store(vector)
    size += count

  /** Adds a text, in a column of texts. */
  def add(text: String): Unit =
    throw IllegalStateException(s"a column of texts must follow a plan; this one has other values")

  protected def present(row: Int): SqlValue
  protected def reserve(rows: Int): Unit

  /** Stores values from row `size` on. */
  protected def store(vector: ResultVector): Unit
end ResultColumn

private[duckdb] object ResultColumn:
  def of(tpe: ResultType): ResultColumn = tpe match
    case ResultType.Plain(DuckDbValues.Boolean)                => Booleans()
    case ResultType.Plain(id) if DuckDbValues.isWhole(id)      => Whole(id)
    case ResultType.Plain(DuckDbValues.Float)                  => Reals(isFloat = true)
    case ResultType.Plain(DuckDbValues.Double)                 => Reals(isFloat = false)
    case ResultType.Plain(DuckDbValues.VarChar)                => Texts()
    case ResultType.Plain(DuckDbValues.Date)                   => Dates()
    case ResultType.Plain(DuckDbValues.Time)                   => Times()
    case ResultType.Plain(DuckDbValues.Timestamp)              => Timestamps()
    case ResultType.Decimal(width, scale) if width <= MostLong => Decimals(width, scale)
    case ResultType.Enumerated(cases)                          => Cases(cases)
    case _                                                     => Others()

  /** The most digits of a decimal that is a Long. */
  private inline val MostLong = 18

  /** A column of other values, such as those of a command. */
  def of(values: Vector[SqlValue]): ResultColumn =
    val column = Others()
    values.foreach(column.add)
    column

  private def grown(size: Int, rows: Int): Int =
    Math.max(rows.toLong, Math.min(Int.MaxValue - 8L, size * 2L)).toInt

  final class Booleans extends ResultColumn:
    private val bits = BitSet()
    def apply(row: Int): Boolean = bits.get(row)
    protected def present(row: Int): SqlValue = SqlValue.Bool(bits.get(row))
    protected def reserve(rows: Int): Unit = ()
    protected def store(vector: ResultVector): Unit =
      for i <- 0 until vector.count if vector.byteAt(i) != 0 do bits.set(size + i)

  /** Values that are Longs. */
  sealed abstract class Numbers extends ResultColumn:
    protected var numbers: Array[Long] = new Array[Long](0)
    final def apply(row: Int): Long = numbers(row)
    protected final def reserve(rows: Int): Unit =
      if rows > numbers.length then numbers = Arrays.copyOf(numbers, grown(numbers.length, rows)).nn

  final class Whole(id: Int) extends Numbers:
    protected def present(row: Int): SqlValue = SqlValue.Integer(numbers(row))
    protected def store(vector: ResultVector): Unit =
      var i = 0
      while i < vector.count do
        numbers(size + i) = vector.wholeAt(i, id)
        i += 1

  /** The bits of Doubles. */
  final class Reals(isFloat: Boolean) extends Numbers:
    def real(row: Int): Double = java.lang.Double.longBitsToDouble(numbers(row))
    protected def present(row: Int): SqlValue = SqlValue.real(real(row), isFloat)
    protected def store(vector: ResultVector): Unit =
      for i <- 0 until vector.count do
        numbers(size + i) =
          if isFloat then
            java.lang.Double.doubleToRawLongBits(
              java.lang.Float.intBitsToFloat(vector.intAt(i)).toDouble
            )
          else vector.longAt(i)

  /** Decimals of at most 18 digits. */
  final class Decimals(width: Int, scale: Int) extends Numbers:
    def decimal(row: Int): BigDecimal = BigDecimal(numbers(row), scale)
    protected def present(row: Int): SqlValue = SqlValue.Decimal(decimal(row))
    protected def store(vector: ResultVector): Unit =
      for i <- 0 until vector.count do numbers(size + i) = vector.unscaledAt(i, width)

  /** Days from 1970; the largest Int and its negative are infinite. */
  final class Dates extends Numbers:
    def isFinite(row: Int): Boolean = numbers(row).abs != Int.MaxValue
    def date(row: Int): LocalDate = LocalDate.ofEpochDay(numbers(row)).nn
    protected def present(row: Int): SqlValue = SqlValue.Text:
      if isFinite(row) then SqlDates.text(date(row)) else infinite(numbers(row))
    protected def store(vector: ResultVector): Unit =
      for i <- 0 until vector.count do numbers(size + i) = vector.intAt(i).toLong

  /** Microseconds of a day, up to its end. */
  final class Times extends Numbers:
    def isTime(row: Int): Boolean = numbers(row) < MicrosPerDay
    def time(row: Int): LocalTime = LocalTime.ofNanoOfDay(numbers(row) * 1000).nn
    protected def present(row: Int): SqlValue = SqlValue.Text:
      if isTime(row) then SqlDates.text(time(row)) else "24:00:00"
    protected def store(vector: ResultVector): Unit =
      for i <- 0 until vector.count do numbers(size + i) = vector.longAt(i)

  /** Microseconds from 1970; the largest Long and its negative are infinite. */
  final class Timestamps extends Numbers:
    def isFinite(row: Int): Boolean =
      numbers(row) != Long.MaxValue && numbers(row) != -Long.MaxValue
    def time(row: Int): LocalDateTime =
      val micros = numbers(row)
      val nanos = Math.floorMod(micros, SqlInterval.MicrosPerSecond).toInt * 1000
      LocalDateTime.ofEpochSecond(
        Math.floorDiv(micros, SqlInterval.MicrosPerSecond),
        nanos,
        ZoneOffset.UTC
      ).nn
    protected def present(row: Int): SqlValue = SqlValue.Text:
      if isFinite(row) then SqlDates.text(time(row)) else infinite(numbers(row))
    protected def store(vector: ResultVector): Unit =
      for i <- 0 until vector.count do numbers(size + i) = vector.longAt(i)

  private final val MicrosPerDay = 86_400 * SqlInterval.MicrosPerSecond

  private def infinite(number: Long): String = if number < 0 then "-infinity" else "infinity"

  /** The indices of the cases of an ENUM. */
  final class Cases(cases: Vector[String]) extends Numbers:
    def name(row: Int): String = cases(numbers(row).toInt)
    protected def present(row: Int): SqlValue = SqlValue.Text(name(row))
    protected def store(vector: ResultVector): Unit =
      // The index of a null is undefined.
      for i <- 0 until vector.count do numbers(size + i) = vector.caseAt(i, cases.size).toLong

  /** UTF-8; the texts of each chunk are one after the other. */
  final class Texts extends ResultColumn:
    private val chunks = ArrayBuffer[Array[Byte]]()

    /** The index of the chunk of a text, and the text's position in it. */
    private var chunkOf = new Array[Int](0)
    private var starts = new Array[Int](0)
    private var lengths = new Array[Int](0)

    def text(row: Int): String =
      String(chunks(chunkOf(row)), starts(row), lengths(row), UTF_8)

    override def add(text: String): Unit =
      reserve(size + 1)
      put(size, 0, text.getBytes(UTF_8).nn.length)
      chunks += text.getBytes(UTF_8).nn
      size += 1

    protected def present(row: Int): SqlValue = SqlValue.Text(text(row))

    protected def reserve(rows: Int): Unit =
      if rows > starts.length then
        val length = grown(starts.length, rows)
        chunkOf = Arrays.copyOf(chunkOf, length).nn
        starts = Arrays.copyOf(starts, length).nn
        lengths = Arrays.copyOf(lengths, length).nn

    protected def store(vector: ResultVector): Unit =
      var i = 0
      while i < vector.count do
        // The texts that fit in one array: a text has at most 4 GiB.
        val first = i
        var bytes = 0L
        while i < vector.count && (i == first || bytes + lengthOf(vector, i) <= MostBytes) do
          bytes += lengthOf(vector, i)
          i += 1
        val content = new Array[Byte](Math.toIntExact(bytes))
        var at = 0
        var row = first
        while row < i do
          val length = lengthOf(vector, row)
          if length > 0 then
            MemorySegment.copy(Addresses.memory, byte, vector.textAt(row), content, at, length)
          put(size + row, at, length)
          at += length
          row += 1
        chunks += content
    end store

    private def lengthOf(vector: ResultVector, i: Int): Int =
      if vector.isNull(i) then 0 else Math.toIntExact(vector.textBytes(i) & 0xffffffffL)

    private def put(row: Int, start: Int, length: Int): Unit =
      chunkOf(row) = chunks.size
      starts(row) = start
      lengths(row) = length
  end Texts

  private val byte: ValueLayout.OfByte = ValueLayout.JAVA_BYTE.nn
  private inline val MostBytes = 1 << 30

  /** Values of all other types, each an object. */
  final class Others extends ResultColumn:
    private var values = new Array[SqlValue | Null](0)
    protected def present(row: Int): SqlValue = values(row).nn
    protected def reserve(rows: Int): Unit =
      if rows > values.length then values = values.padTo(grown(values.length, rows), null)
    protected def store(vector: ResultVector): Unit =
      for i <- 0 until vector.count do values(size + i) = vector.value(i)

    def add(value: SqlValue): Unit =
      reserve(size + 1)
      values(size) = value
      size += 1
  end Others
end ResultColumn
