package undercroft.duckdb
package internal.result

import internal.api.{Addresses, DuckDbValues}
import internal.sql.SqlMeaning
import java.lang.foreign.{MemorySegment, ValueLayout}
import java.nio.ByteOrder
import undercroft.file.format.{LogicalKind, Type}
import undercroft.file.{ColumnKind, FieldSlices, StridedCopy, given}

/** The slots of rows, or of the items of arrays in them, that values are stored in: value `i` of a
  * field is at `start + i * step`. Their bytes are zero.
  */
private[duckdb] sealed abstract class ResultSlots(val memory: MemorySegment):
  def start(offset: Int, size: Int): Long
  def step(size: Int): Long

private[duckdb] object ResultSlots:
  /** The rows from row `from` on. */
  final class Rows(lanes: FieldSlices, from: Long) extends ResultSlots(lanes.memory):
    def start(offset: Int, size: Int): Long = lanes.start(offset, size) + from * lanes.step(size)
    def step(size: Int): Long = lanes.step(size)

  /** An item of each array: `first` is that of the first array. */
  final class Items(memory: MemorySegment, first: Long, distance: Long) extends ResultSlots(memory):
    def start(offset: Int, size: Int): Long = first + offset
    def step(size: Int): Long = distance
end ResultSlots

/** The values of a vector that are stored: value `i` is that of `index(i)`.
  *
  * @param first
  *   the number of the first row
  * @param there
  *   whether the enclosing value of each is present; null if all are
  */
private[duckdb] final class ReadRange(
    val first: Long,
    val count: Int,
    indices: Array[Int] | Null,
    val there: Array[Boolean] | Null
):
  def isWhole: Boolean = indices == null && there == null
  def index(i: Int): Int = if indices == null then i else indices(i)
  def isThere(i: Int): Boolean = there == null || there(i)
  def within(present: Array[Boolean]): ReadRange = ReadRange(first, count, indices, present)
  def at(elements: Array[Int]): ReadRange = ReadRange(first, count, elements, there)

/** A value of a result that a field cannot store. */
private[undercroft] final class RefusedValueException(
    val row: Long,
    val column: String,
    val value: SqlValue,
    tpe: String
) extends IllegalArgumentException(SqlRow.refusal(row, column, value, tpe))

/** Stores the vectors of a column in the field of rows, by the type rules of [[SqlReader]].
  *
  * @param path
  *   the name of the column and of the fields within it, for errors
  * @param tpe
  *   the field's type with its article
  */
private[duckdb] abstract class VectorReader(path: String, tpe: String):
  def store(vector: ResultVector, range: ReadRange, slots: ResultSlots): Unit

  protected final def refuse(vector: ResultVector, range: ReadRange, i: Int): Nothing =
    throw RefusedValueException(range.first + i, path, vector.value(range.index(i)), tpe)

  /** Calls `body` with the index of each present value and its index in the vector. Refuses nulls.
    */
  protected final inline def each(vector: ResultVector, range: ReadRange)(
      inline body: (Int, Int) => Unit
  ): Unit =
    val isValid = vector.isValid
    var i = 0
    while i < range.count do
      if range.isThere(i) then
        val index = range.index(i)
        if !isValid && vector.isNull(index) then refuse(vector, range, i)
        body(i, index)
      i += 1
end VectorReader

private[duckdb] object VectorReader:
  private val byte: ValueLayout.OfByte = ValueLayout.JAVA_BYTE.nn
  private val short: ValueLayout.OfShort = ValueLayout.JAVA_SHORT_UNALIGNED.nn
  private val int: ValueLayout.OfInt = ValueLayout.JAVA_INT_UNALIGNED.nn
  private val long: ValueLayout.OfLong = ValueLayout.JAVA_LONG_UNALIGNED.nn
  private val float: ValueLayout.OfFloat = ValueLayout.JAVA_FLOAT_UNALIGNED.nn
  private val double: ValueLayout.OfDouble = ValueLayout.JAVA_DOUBLE_UNALIGNED.nn

  /** Throws IllegalArgumentException for a field that no column of a query is read as.
    *
    * @param isConverted
    *   whether values of types without a field are read, too: as texts, whole decimals as Longs,
    *   and Longs as durations
    */
  def of(column: ColumnKind, path: String, isConverted: Boolean = false): VectorReader =
    Fields(isConverted).of(column, path)

  private final class Fields(isConverted: Boolean):
    def of(column: ColumnKind, path: String): VectorReader = SqlMeaning.of(column) match
      case ColumnKind.Optional(_, isDefined, value) => Optional(isDefined, of(value, path), path)
      case value: ColumnKind.Value                  => number(value, path)
      case ColumnKind.Text(_, offset, size)         => Texts(offset, size, path, isConverted)
      case cases: ColumnKind.Enumerated             => Cases(cases, path)
      case ColumnKind.Logical(_, kind, value: ColumnKind.Value) =>
        Meanings(kind, Numbers(value, path, name(kind)), path, isConverted)
      case ColumnKind.Logical(
            _,
            kind,
            ColumnKind.Record(_, Vector(high: ColumnKind.Value, low: ColumnKind.Value))
          ) =>
        Pairs(kind, high.offset, low.offset, path)
      case ColumnKind.Record(_, fields) =>
        val readers = fields.map(field => of(field, s"$path.${field.name}"))
        Record(readers, fields.map(_.name).toList, path)
      case ColumnKind.Elements(_, offset, kind, dimensions) =>
        val item =
          ColumnKind.Value(ColumnKind.ItemName, 0, kind, kind == Type.Primitive.CHAR, false)
        arrays(offset, dimensions, kind.size, of(item, s"$path[]"), path)
      case ColumnKind.Items(_, offset, dimensions, bytes, item) =>
        arrays(offset, dimensions, bytes, of(item, s"$path[]"), path)
      case _ =>
        throw IllegalArgumentException(
          s"the field $path has a type that no column of a query is read as; a field can be a " +
            "number, Boolean, text, date, time, duration, UUID, an enum without fields, and an " +
            "Option, a struct and an InlineArray of these"
        )

    private def number(value: ColumnKind.Value, path: String): VectorReader = value.kind match
      case Type.Primitive.BOOLEAN => Booleans(value.offset, path)
      case Type.Primitive.FLOAT   => Reals(value, path, "a Float")
      case Type.Primitive.DOUBLE  => Reals(value, path, "a Double")
      case Type.Primitive.BYTE    => Numbers(value, path, "a Byte")
      case Type.Primitive.SHORT   => Numbers(value, path, "a Short")
      case Type.Primitive.CHAR    => Numbers(value, path, "a Char")
      case Type.Primitive.INT     => Numbers(value, path, "an Int")
      case Type.Primitive.LONG    => Numbers(value, path, "a Long", isConverted)

    private def arrays(
        offset: Int,
        dimensions: Vector[Int],
        itemBytes: Int,
        item: VectorReader,
        path: String
    ): VectorReader =
      val inner =
        if dimensions.size == 1 then item
        else arrays(0, dimensions.tail, itemBytes, item, s"$path[]")
      Arrays(offset, dimensions.head, itemBytes * dimensions.tail.product, inner, path)
  end Fields

  private def name(kind: LogicalKind): String = kind match
    case _: LogicalKind.Date => "a LocalDate"
    case _: LogicalKind.Time => "a LocalTime"
    case timestamp: LogicalKind.Timestamp =>
      if timestamp.isUtc then "an Instant" else "a LocalDateTime"
    case _: LogicalKind.Duration => "a Duration"
    case decimal: LogicalKind.Decimal =>
      s"a BigDecimal of ${decimal.precision} digits, ${decimal.scale} of them after the point"
    case _ => "a UUID"

  private final class Booleans(offset: Int, path: String) extends VectorReader(path, "a Boolean"):
    def store(vector: ResultVector, range: ReadRange, slots: ResultSlots): Unit =
      val (start, step) = (slots.start(offset, 1), slots.step(1))
      vector.tpe match
        case ResultType.Plain(DuckDbValues.Boolean) =>
          each(vector, range): (i, index) =>
            slots.memory.set(byte, start + i * step, vector.byteAt(index))
        case _ => each(vector, range)((i, _) => refuse(vector, range, i))

  /** Whole numbers. */
  final class Numbers(
      column: ColumnKind.Value,
      path: String,
      tpe: String,
      isConverted: Boolean = false
  ) extends VectorReader(path, tpe):
    private val size = column.kind.size
    private val bits = 8 * size
    private val (least, most) =
      if column.isUnsigned && size < 8 then (0L, (1L << bits) - 1)
      else (-1L << bits - 1, (1L << bits - 1) - 1)

    def store(vector: ResultVector, range: ReadRange, slots: ResultSlots): Unit = vector.tpe match
      case ResultType.Plain(id) if DuckDbValues.isWhole(id) =>
        val isSame = DuckDbValues.sizeOf(id) == size &&
          DuckDbValues.isSigned(id) == (least < 0) && !column.isBigEndian
        if isSame && range.isWhole && vector.isValid then
          StridedCopy.copy(
            Addresses.memory,
            vector.data,
            size,
            slots.memory,
            slots.start(column.offset, size),
            slots.step(size),
            size,
            range.count
          )
        else
          put(vector, range, slots): index =>
            vector.wholeAt(index, id)
      case ResultType.Plain(DuckDbValues.UBigInt) =>
        val (start, step) = (slots.start(column.offset, size), slots.step(size))
        each(vector, range): (i, index) =>
          val value = vector.longAt(index)
          if value < 0 || value > most then refuse(vector, range, i)
          set(slots.memory, start + i * step, value)
      case _ =>
        putValues(vector, range, slots):
          case SqlValue.Integer(number) if number.isValidLong                => Some(number.toLong)
          case SqlValue.Decimal(number) if isConverted && number.isValidLong => Some(number.toLong)
          case _                                                             => None

    /** Stores the number of each value. */
    inline def put(vector: ResultVector, range: ReadRange, slots: ResultSlots)(
        inline number: Int => Long
    ): Unit =
      val (start, step) = (slots.start(column.offset, size), slots.step(size))
      each(vector, range): (i, index) =>
        val value = number(index)
        if value < least || value > most then refuse(vector, range, i)
        set(slots.memory, start + i * step, value)

    /** Stores the numbers that `from` finds; other values are refused. */
    def putValues(vector: ResultVector, range: ReadRange, slots: ResultSlots)(
        from: SqlValue => Option[Long]
    ): Unit =
      val (start, step) = (slots.start(column.offset, size), slots.step(size))
      each(vector, range): (i, index) =>
        val found = from(vector.value(index)).filter(number => number >= least && number <= most)
        set(slots.memory, start + i * step, found.getOrElse(refuse(vector, range, i)))

    /** Stores the quotients of numbers within a range; others, and numbers with a remainder, are
      * refused.
      */
    def putScaled(
        vector: ResultVector,
        range: ReadRange,
        slots: ResultSlots,
        allowed: SqlMeaning.StoredRange,
        divisor: Long
    )(number: Int => Long): Unit =
      val (start, step) = (slots.start(column.offset, size), slots.step(size))
      each(vector, range): (i, index) =>
        val value = number(index)
        if value < allowed.least || value > allowed.most || value % divisor != 0 then
          refuse(vector, range, i)
        val stored = value / divisor * allowed.factor
        if stored < least || stored > most then refuse(vector, range, i)
        set(slots.memory, start + i * step, stored)

    private def set(memory: MemorySegment, at: Long, value: Long): Unit =
      val number =
        if column.isBigEndian then java.lang.Long.reverseBytes(value) >>> 64 - bits else value
      size match
        case 1 => memory.set(byte, at, number.toByte)
        case 2 => memory.set(short, at, number.toShort)
        case 4 => memory.set(int, at, number.toInt)
        case _ => memory.set(long, at, number)
  end Numbers

  private final class Reals(column: ColumnKind.Value, path: String, tpe: String)
      extends VectorReader(path, tpe):
    private val isFloat = column.kind == Type.Primitive.FLOAT
    private val size = column.kind.size
    private val order =
      if column.isBigEndian then ByteOrder.BIG_ENDIAN else ByteOrder.nativeOrder.nn
    private val floats: ValueLayout.OfFloat = float.withOrder(order).nn
    private val doubles: ValueLayout.OfDouble = double.withOrder(order).nn

    def store(vector: ResultVector, range: ReadRange, slots: ResultSlots): Unit =
      val (start, step) = (slots.start(column.offset, size), slots.step(size))
      each(vector, range): (i, index) =>
        val value = vector.tpe match
          case ResultType.Plain(DuckDbValues.Double) =>
            java.lang.Double.longBitsToDouble(vector.longAt(index))
          case ResultType.Plain(DuckDbValues.Float) =>
            java.lang.Float.intBitsToFloat(vector.intAt(index)).toDouble
          case _ if isFloat => refuse(vector, range, i)
          case _ =>
            try summon[SqlReader[Double]].read(vector.value(index))
            catch case _: IllegalArgumentException => refuse(vector, range, i)
        if isFloat then
          if !value.isNaN && value != value.toFloat.toDouble then refuse(vector, range, i)
          slots.memory.set(floats, start + i * step, value.toFloat)
        else slots.memory.set(doubles, start + i * step, value)
    end store
  end Reals

  /** UTF-8 without U+0000, padded with zeros. */
  private final class Texts(offset: Int, size: Int, path: String, isConverted: Boolean)
      extends VectorReader(path, s"a Text[$size]"):
    def store(vector: ResultVector, range: ReadRange, slots: ResultSlots): Unit =
      val (start, step) = (slots.start(offset, size), slots.step(size))
      vector.tpe match
        case ResultType.Plain(DuckDbValues.VarChar) =>
          each(vector, range): (i, index) =>
            val (length, from) = (vector.textBytes(index), vector.textAt(index))
            if length < 0 || length > size || hasZero(from, length) then refuse(vector, range, i)
            copy(from, slots.memory, start + i * step, length)
        case ResultType.Enumerated(cases) =>
          val texts = cases.map(_.getBytes("UTF-8").nn)
          each(vector, range): (i, index) =>
            val text = texts(vector.caseAt(index, cases.size))
            if text.length > size || text.contains(0.toByte) then refuse(vector, range, i)
            MemorySegment.copy(text, 0, slots.memory, byte, start + i * step, text.length)
        case _ =>
          each(vector, range): (i, index) =>
            val text = vector.value(index) match
              case SqlValue.Text(value) => value.getBytes("UTF-8").nn
              case other if isConverted => other.show.getBytes("UTF-8").nn
              case _                    => refuse(vector, range, i)
            if text.length > size || text.contains(0.toByte) then refuse(vector, range, i)
            MemorySegment.copy(text, 0, slots.memory, byte, start + i * step, text.length)
      end match
    end store

    private def hasZero(from: Long, length: Int): Boolean =
      val memory = Addresses.memory
      var i = 0
      while i <= length - 8 && !hasZeroByte(memory.get(long, from + i)) do i += 8
      if i > length - 8 then
        while i < length && memory.get(byte, from + i) != 0 do i += 1
      i < length

    private def hasZeroByte(word: Long): Boolean =
      ((word - 0x0101010101010101L) & ~word & 0x8080808080808080L) != 0

    /** A copy of a few bytes by words: a call for each text would cost more. */
    private def copy(from: Long, target: MemorySegment, at: Long, length: Int): Unit =
      if length > MostWords then
        MemorySegment.copy(Addresses.memory, from, target, at, length.toLong)
      else
        var i = 0
        while i <= length - 8 do
          target.set(long, at + i, Addresses.memory.get(long, from + i))
          i += 8
        while i < length do
          target.set(byte, at + i, Addresses.memory.get(byte, from + i))
          i += 1
  end Texts

  private inline val MostWords = 32

  private final class Cases(column: ColumnKind.Enumerated, path: String)
      extends VectorReader(path, s"one of ${column.cases.mkString(", ")}"):
    private val numbers = column.cases.zipWithIndex.toMap
    private val stored = Numbers(
      ColumnKind.Value(column.name, column.offset, kindOf(column.size), true, false),
      path,
      s"one of ${column.cases.mkString(", ")}"
    )

    def store(vector: ResultVector, range: ReadRange, slots: ResultSlots): Unit = vector.tpe match
      case ResultType.Enumerated(cases) =>
        // -1 for a case that the field's enum does not have, which is refused.
        val found = cases.map(numbers.getOrElse(_, -1).toLong).toArray
        stored.put(vector, range, slots)(index => found(vector.caseAt(index, cases.size)))
      case _ =>
        stored.putValues(vector, range, slots):
          case SqlValue.Text(text) => numbers.get(text).map(_.toLong)
          case _                   => None
  end Cases

  private def kindOf(size: Int): Type.Primitive = size match
    case 1 => Type.Primitive.BYTE
    case 2 => Type.Primitive.SHORT
    case 4 => Type.Primitive.INT
    case _ => Type.Primitive.LONG

  /** Dates, times, durations and decimals of up to 64 bits. */
  private final class Meanings(
      kind: LogicalKind,
      stored: Numbers,
      path: String,
      isConverted: Boolean
  ) extends VectorReader(path, name(kind)):
    def store(vector: ResultVector, range: ReadRange, slots: ResultSlots): Unit =
      (kind, vector.tpe) match
        case (_: LogicalKind.Date, ResultType.Plain(DuckDbValues.Date)) =>
          // The largest Int and its negative are infinite.
          val finite = SqlMeaning.range(kind)
          stored.putScaled(vector, range, slots, finite, 1)(vector.intAt(_).toLong)
        case (time: LogicalKind.Time, ResultType.Plain(DuckDbValues.Time)) =>
          ticks(vector, range, slots, Micros, time.unit, 0, SecondsPerDay * Micros - 1)
        case (time: LogicalKind.Time, ResultType.Plain(DuckDbValues.TimeNs)) =>
          ticks(vector, range, slots, Nanos, time.unit, 0, SecondsPerDay * Nanos - 1)
        case (timestamp: LogicalKind.Timestamp, ResultType.Plain(id))
            if perSecond(id, timestamp.isUtc) > 0 =>
          // The largest Long and its negative are infinite.
          val from = perSecond(id, timestamp.isUtc)
          ticks(vector, range, slots, from, timestamp.unit, Long.MinValue + 2, Long.MaxValue - 1)
        case (_: LogicalKind.Duration, ResultType.Plain(DuckDbValues.BigInt)) if isConverted =>
          stored.put(vector, range, slots)(vector.longAt)
        case (decimal: LogicalKind.Decimal, ResultType.Decimal(width, scale))
            if width <= LogicalKind.LONG_DIGITS && scale == decimal.scale =>
          val most = power(decimal.precision) - 1
          val digits = SqlMeaning.StoredRange(-most, most, 1)
          stored.putScaled(vector, range, slots, digits, 1)(vector.unscaledAt(_, width))
        case (decimal: LogicalKind.Decimal, _) =>
          val limit = power(decimal.precision)
          stored.putValues(vector, range, slots):
            case value: (SqlValue.Integer | SqlValue.Decimal) =>
              SqlMeaning.stored(kind, value.show).filter(n => -limit < n && n < limit)
            case _ => None
        case _ =>
          stored.putValues(vector, range, slots):
            case SqlValue.Text(text) => SqlMeaning.stored(kind, text)
            case _                   => None
    end store

    /** Stores times in another unit; a time that the unit does not have is refused. */
    private def ticks(
        vector: ResultVector,
        range: ReadRange,
        slots: ResultSlots,
        perSecond: Long,
        unit: LogicalKind.Unit,
        least: Long,
        most: Long
    ): Unit =
      val factor = Math.max(1, unit.perSecond / perSecond)
      val allowed = SqlMeaning.StoredRange(
        Math.max(least, Long.MinValue / factor),
        Math.min(most, Long.MaxValue / factor),
        factor
      )
      val divisor = Math.max(1, perSecond / unit.perSecond)
      stored.putScaled(vector, range, slots, allowed, divisor)(vector.longAt)
  end Meanings

  /** The units of a timestamp in a second; 0 for another type. */
  private def perSecond(id: Int, isUtc: Boolean): Long = id match
    case DuckDbValues.TimestampS if !isUtc   => 1
    case DuckDbValues.TimestampMs if !isUtc  => 1000
    case DuckDbValues.Timestamp if !isUtc    => Micros
    case DuckDbValues.TimestampNs if !isUtc  => Nanos
    case DuckDbValues.TimestampTz if isUtc   => Micros
    case DuckDbValues.TimestampTzNs if isUtc => Nanos
    case _                                   => 0

  private def power(digits: Int): Long =
    if digits > LogicalKind.LONG_DIGITS then Long.MaxValue
    else (1 to digits).foldLeft(1L)((product, _) => product * 10)

  private final val SecondsPerDay = 86_400L
  private final val Micros = 1_000_000L
  private final val Nanos = 1_000_000_000L

  /** Decimals of more than 18 digits, and UUIDs, whose highest bit is inverted in DuckDB. */
  private final class Pairs(kind: LogicalKind, high: Int, low: Int, path: String)
      extends VectorReader(path, name(kind)):
    def store(vector: ResultVector, range: ReadRange, slots: ResultSlots): Unit =
      val (highStart, lowStart) = (slots.start(high, 8), slots.start(low, 8))
      val step = slots.step(8)
      def set(i: Int, upper: Long, lower: Long): Unit =
        slots.memory.set(long, highStart + i * step, upper)
        slots.memory.set(long, lowStart + i * step, lower)
      (kind, vector.tpe) match
        case (_: LogicalKind.Uuid, ResultType.Plain(DuckDbValues.Uuid)) =>
          each(vector, range): (i, index) =>
            set(i, vector.longAt(2 * index + 1) ^ Long.MinValue, vector.longAt(2 * index))
        case (decimal: LogicalKind.Decimal, ResultType.Decimal(width, scale))
            if width > LogicalKind.LONG_DIGITS && width <= decimal.precision &&
              scale == decimal.scale =>
          each(vector, range): (i, index) =>
            set(i, vector.longAt(2 * index + 1), vector.longAt(2 * index))
        case (decimal: LogicalKind.Decimal, _) =>
          each(vector, range): (i, index) =>
            val digits = unscaled(vector.value(index), decimal).getOrElse(refuse(vector, range, i))
            set(i, digits.shiftRight(64).nn.longValue, digits.longValue)
        case _ =>
          each(vector, range): (i, index) =>
            val uuid =
              try summon[SqlReader[java.util.UUID]].read(vector.value(index))
              catch case _: IllegalArgumentException => refuse(vector, range, i)
            set(i, uuid.getMostSignificantBits, uuid.getLeastSignificantBits)
      end match
    end store

    private def unscaled(value: SqlValue, decimal: LogicalKind.Decimal) =
      val number = value match
        case SqlValue.Integer(whole)  => Some(BigDecimal(whole))
        case SqlValue.Decimal(number) => Some(number)
        case _                        => None
      number.filter(number =>
        number.scale <= decimal.scale || number == number.setScale(
          decimal.scale,
          BigDecimal.RoundingMode.DOWN
        )
      )
        .map(_.setScale(decimal.scale))
        .filter(_.precision <= decimal.precision)
        .map(_.bigDecimal.unscaledValue.nn)
  end Pairs

  /** A value that may be null. */
  private final class Optional(isDefined: Int, value: VectorReader, path: String)
      extends VectorReader(path, "an Option"):
    def store(vector: ResultVector, range: ReadRange, slots: ResultSlots): Unit =
      val (start, step) = (slots.start(isDefined, 1), slots.step(1))
      var isWhole = range.there == null
      val present = new Array[Boolean](range.count)
      var i = 0
      while i < range.count do
        if range.isThere(i) && !vector.isNull(range.index(i)) then
          present(i) = true
          slots.memory.set(byte, start + i * step, 1.toByte)
        else isWhole = false
        i += 1
      value.store(vector, if isWhole then range else range.within(present), slots)
  end Optional

  /** STRUCTs, whose fields are found by their names. */
  private final class Record(readers: Vector[VectorReader], names: List[String], path: String)
      extends VectorReader(path, "a struct"):

    def store(vector: ResultVector, range: ReadRange, slots: ResultSlots): Unit = vector.tpe match
      case ResultType.Struct(parts) =>
        each(vector, range)((_, _) => ())
        val indices = SqlRow.byName(parts.map(_.name), names, s"column $path")
        for (index, reader) <- indices.zip(readers) do
          reader.store(vector.child(index, parts(index).tpe, vector.count), range, slots)
      case _ => each(vector, range)((i, _) => refuse(vector, range, i))

  /** ARRAYs, and LISTs of the array's size. */
  private final class Arrays(
      offset: Int,
      size: Int,
      itemBytes: Int,
      item: VectorReader,
      path: String
  ) extends VectorReader(path, s"an array of $size elements"):
    def store(vector: ResultVector, range: ReadRange, slots: ResultSlots): Unit =
      val firsts = new Array[Int](range.count)
      val (element, count) = vector.tpe match
        case ResultType.Fixed(element, length) if length == size =>
          each(vector, range)((i, index) => firsts(i) = Math.multiplyExact(index, size))
          (element, Math.multiplyExact(vector.count, size))
        case ResultType.Listed(element) =>
          var end = 0L
          each(vector, range): (i, index) =>
            // A position and a length, two Longs.
            if vector.longAt(2 * index + 1) != size then refuse(vector, range, i)
            firsts(i) = Math.toIntExact(vector.longAt(2 * index))
            end = Math.max(end, firsts(i).toLong + size)
          (element, Math.toIntExact(end))
        case other =>
          each(vector, range)((i, _) => refuse(vector, range, i))
          (other, 0)
      if count > 0 then
        val items = vector.child(0, element, count)
        val bytes = itemBytes * size
        val (start, step) = (slots.start(offset, bytes), slots.step(bytes))
        for k <- 0 until size do
          val target = ResultSlots.Items(slots.memory, start + k.toLong * itemBytes, step)
          item.store(items, range.at(firsts.map(_ + k)), target)
    end store
  end Arrays
end VectorReader
