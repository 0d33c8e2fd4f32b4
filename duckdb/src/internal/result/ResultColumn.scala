package undercroft.duckdb
package internal.result

import internal.api.{Addresses, DuckDbValues}
import internal.sql.{SqlDates, SqlInterval}
import java.lang.foreign.{MemorySegment, ValueLayout}
import java.lang.invoke.{MethodHandles, VarHandle}
import java.nio.ByteOrder
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
    private var bytes = new Array[Byte](0)
    def apply(row: Int): Boolean = bytes(row) != 0
    protected def present(row: Int): SqlValue = SqlValue.Bool(apply(row))
    protected def reserve(rows: Int): Unit =
      if rows > bytes.length then bytes = Arrays.copyOf(bytes, grown(bytes.length, rows)).nn
    protected def store(vector: ResultVector): Unit =
      MemorySegment.copy(Addresses.memory, byte, vector.data, bytes, size, vector.count)

  /** Values that are Longs. */
  sealed abstract class Numbers extends ResultColumn:
    private var numbers = new Array[Long](0)
    final def apply(row: Int): Long = numbers(row)
    protected final def reserve(rows: Int): Unit =
      if rows > numbers.length then numbers = Arrays.copyOf(numbers, grown(numbers.length, rows)).nn

    /** Stores values of eight bytes. */
    protected final def storeLongs(vector: ResultVector): Unit =
      MemorySegment.copy(Addresses.memory, long, vector.data, numbers, size, vector.count)

    protected final inline def storeEach(vector: ResultVector)(inline number: Int => Long): Unit =
      var i = 0
      while i < vector.count do
        numbers(size + i) = number(i)
        i += 1
  end Numbers

  final class Whole(id: Int) extends Numbers:
    protected def present(row: Int): SqlValue = SqlValue.Integer(this(row))
    protected def store(vector: ResultVector): Unit =
      if id == DuckDbValues.BigInt then storeLongs(vector)
      else storeEach(vector)(vector.wholeAt(_, id))

  /** The bits of Doubles. */
  final class Reals(isFloat: Boolean) extends Numbers:
    def real(row: Int): Double = java.lang.Double.longBitsToDouble(this(row))
    protected def present(row: Int): SqlValue = SqlValue.real(real(row), isFloat)
    protected def store(vector: ResultVector): Unit =
      if isFloat then
        storeEach(vector): i =>
          val real = java.lang.Float.intBitsToFloat(vector.intAt(i))
          java.lang.Double.doubleToRawLongBits(real.toDouble)
      else storeLongs(vector)

  /** Decimals of at most 18 digits. */
  final class Decimals(width: Int, scale: Int) extends Numbers:
    def decimal(row: Int): BigDecimal = BigDecimal(this(row), scale)
    protected def present(row: Int): SqlValue = SqlValue.Decimal(decimal(row))
    protected def store(vector: ResultVector): Unit =
      storeEach(vector)(vector.unscaledAt(_, width))

  /** Days from 1970; the largest Int and its negative are infinite. */
  final class Dates extends Numbers:
    def isFinite(row: Int): Boolean = this(row).abs != Int.MaxValue
    def date(row: Int): LocalDate = LocalDate.ofEpochDay(this(row)).nn
    protected def present(row: Int): SqlValue = SqlValue.Text:
      if isFinite(row) then SqlDates.text(date(row)) else infinite(this(row))
    protected def store(vector: ResultVector): Unit =
      storeEach(vector)(vector.intAt(_).toLong)

  /** Microseconds of a day, up to its end. */
  final class Times extends Numbers:
    def isTime(row: Int): Boolean = this(row) < MicrosPerDay
    def time(row: Int): LocalTime = LocalTime.ofNanoOfDay(this(row) * 1000).nn
    protected def present(row: Int): SqlValue = SqlValue.Text:
      if isTime(row) then SqlDates.text(time(row)) else "24:00:00"
    protected def store(vector: ResultVector): Unit =
      storeLongs(vector)

  /** Microseconds from 1970; the largest Long and its negative are infinite. */
  final class Timestamps extends Numbers:
    def isFinite(row: Int): Boolean =
      this(row) != Long.MaxValue && this(row) != -Long.MaxValue
    def time(row: Int): LocalDateTime =
      val micros = this(row)
      val nanos = Math.floorMod(micros, SqlInterval.MicrosPerSecond).toInt * 1000
      LocalDateTime.ofEpochSecond(
        Math.floorDiv(micros, SqlInterval.MicrosPerSecond),
        nanos,
        ZoneOffset.UTC
      ).nn
    protected def present(row: Int): SqlValue = SqlValue.Text:
      if isFinite(row) then SqlDates.text(time(row)) else infinite(this(row))
    protected def store(vector: ResultVector): Unit =
      storeLongs(vector)

  private final val MicrosPerDay = 86_400 * SqlInterval.MicrosPerSecond

  private def infinite(number: Long): String = if number < 0 then "-infinity" else "infinity"

  /** The indices of the cases of an ENUM. */
  final class Cases(cases: Vector[String]) extends Numbers:
    def name(row: Int): String = cases(this(row).toInt)
    protected def present(row: Int): SqlValue = SqlValue.Text(name(row))
    protected def store(vector: ResultVector): Unit =
      // The index of a null is undefined.
      storeEach(vector)(vector.caseAt(_, cases.size).toLong)

  /** UTF-8, two words for each text: its length and its bytes as in a vector or, if it is longer,
    * its length and its place in the chunks.
    */
  final class Texts extends ResultColumn:
    private var words = new Array[Long](0)
    private val chunks = ArrayBuffer[Array[Byte]]()

    def text(row: Int): String =
      val (first, second) = (words(2 * row), words(2 * row + 1))
      val length = first.toInt
      if length <= ResultVector.Inlined then
        val bytes = new Array[Byte](16)
        Words.set(bytes, 0, first)
        Words.set(bytes, 8, second)
        String(bytes, 4, length, UTF_8)
      else String(chunks((second >>> 32).toInt), second.toInt, length, UTF_8)

    override def add(text: String): Unit =
      reserve(size + 1)
      val bytes = text.getBytes(UTF_8).nn
      if bytes.length <= ResultVector.Inlined then
        val inlined = new Array[Byte](16)
        System.arraycopy(bytes, 0, inlined, 4, bytes.length)
        val (first, second) = (Words.get(inlined, 0), Words.get(inlined, 8))
        words(2 * size) = first.asInstanceOf[Long] | bytes.length
        words(2 * size + 1) = second.asInstanceOf[Long]
      else
        put(size, 0, bytes.length)
        chunks += bytes
      size += 1

    protected def present(row: Int): SqlValue = SqlValue.Text(text(row))

    protected def reserve(rows: Int): Unit =
      if rows > MostTexts then
        throw IllegalStateException(s"a column must have at most $MostTexts texts; it has more")
      if 2 * rows > words.length then
        words = Arrays.copyOf(words, grown(words.length, 2 * rows)).nn

    protected def store(vector: ResultVector): Unit =
      MemorySegment.copy(Addresses.memory, long, vector.data, words, 2 * size, 2 * vector.count)
      var i = 0
      while i < vector.count do
        // The longer texts that fit in one array: a text has at most 4 GiB.
        val first = i
        var bytes = 0L
        while i < vector.count && (i == first || bytes + longerAt(vector, i) <= MostBytes) do
          bytes += longerAt(vector, i)
          i += 1
        if bytes > 0 then storeLonger(vector, first, i, new Array[Byte](Math.toIntExact(bytes)))
    end store

    private def storeLonger(
        vector: ResultVector,
        first: Int,
        until: Int,
        content: Array[Byte]
    ): Unit =
      var at = 0
      for i <- first until until do
        val length = longerAt(vector, i).toInt
        if length > 0 then
          MemorySegment.copy(Addresses.memory, byte, vector.textAt(i), content, at, length)
          put(size + i, at, length)
          at += length
      chunks += content

    /** The bytes of a text that a vector does not have in its words; 0 for another one. */
    private def longerAt(vector: ResultVector, i: Int): Long =
      val length = vector.textBytes(i) & 0xffffffffL
      if length <= ResultVector.Inlined || vector.isNull(i) then 0 else length

    private def put(row: Int, start: Int, length: Int): Unit =
      words(2 * row) = length
      words(2 * row + 1) = chunks.size.toLong << 32 | start
  end Texts

  /** The words of a text, whose bytes are in the order of DuckDB's processors. */
  private val Words: VarHandle =
    MethodHandles.byteArrayViewVarHandle(classOf[Array[Long]], ByteOrder.LITTLE_ENDIAN).nn

  private inline val MostTexts = 1_000_000_000
  private val byte: ValueLayout.OfByte = ValueLayout.JAVA_BYTE.nn
  private val long: ValueLayout.OfLong = ValueLayout.JAVA_LONG_UNALIGNED.nn
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
