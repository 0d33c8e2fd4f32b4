package undercroft.duckdb
package internal.result

import internal.api.DuckDbValues
import internal.sql.SqlInterval
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Optional
import scala.jdk.CollectionConverters.*
import undercroft.file.{FieldOffsets, StoredType}
import undercroft.file.format.LogicalKind.Unit as Ticks
import undercroft.file.format.{Field, LogicalKind, Type}

/** A column whose SQL type has no type in a struct file. */
private[undercroft] final class UnstoredTypeException(val path: Vector[String])
    extends IllegalArgumentException(s"the column ${path.mkString(".")} has a type without a field")

/** Finds the fields of a struct file that stores the rows of a result, by a pass over its values:
  * whether they have nulls, the longest text, and whether larger integers fit a Long. The types are
  * those in the reference of the command `undercroft`.
  *
  * @param kinds
  *   the meanings that the source states by the paths of the columns: SQL does not have all units
  */
private[undercroft] final class ResultMeasure(kinds: Map[Vector[String], LogicalKind])
    extends ResultSink:
  private var columns = Vector[ColumnMeasure]()
  private var size = 0L

  /** The number of rows. */
  def rows: Long = size

  /** The fields in the order of the columns; their offsets are not assigned. */
  def fields: Vector[Field] = columns.map(_.field)

  /** States the result of a pass over the texts of the values.
    *
    * @param facts
    *   whether a column, which may be a VARCHAR, has nulls, and its longest text in bytes
    */
  def state(rows: Long)(facts: (Int, Boolean) => (Boolean, Long)): Unit =
    size = rows
    for (column, i) <- columns.zipWithIndex do column.state(facts(i, _))

  private[undercroft] def begin(result: Vector[ResultField]): Unit =
    columns = result.map(field => ColumnMeasure(Vector(field.name), field.tpe, kinds))
    size = 0

  private[undercroft] def add(vectors: Vector[ResultVector], count: Int): Unit =
    val range = ReadRange(size, count, null, null)
    for (column, vector) <- columns.zip(vectors) do column.add(vector, range)
    size += count

  private[undercroft] def addTexts(rows: Vector[Vector[String]]): Unit = ()
end ResultMeasure

/** What the values of a column, or of a field in a STRUCT, need to be stored. */
private final class ColumnMeasure(
    path: Vector[String],
    tpe: ResultType,
    kinds: Map[Vector[String], LogicalKind]
):
  import ColumnMeasure.*

  private var hasNulls = false
  private var longest = 0L

  /** Whether all values are in the range of the number that stores them. */
  private var fits = true

  private val children = tpe match
    case ResultType.Struct(fields) =>
      fields.map(field => ColumnMeasure(path :+ field.name, field.tpe, kinds))
    case _ => Vector()

  tpe match
    case ResultType.Listed(_) | ResultType.Fixed(_, _) | ResultType.Plain(
          DuckDbValues.Blob | DuckDbValues.Bit | DuckDbValues.Map | DuckDbValues.Union
        ) =>
      throw UnstoredTypeException(path)
    case _ => ()

  def state(facts: Boolean => (Boolean, Long)): Unit =
    val (nulls, bytes) = facts(tpe == ResultType.Plain(DuckDbValues.VarChar))
    hasNulls = nulls
    longest = bytes

  def add(vector: ResultVector, range: ReadRange): Unit =
    val present = presentIn(vector, range)
    tpe match
      case ResultType.Struct(fields) =>
        for i <- fields.indices do
          children(i).add(vector.child(i, fields(i).tpe, vector.count), present)
      case ResultType.Plain(DuckDbValues.VarChar) =>
        each(present)(i => longest = Math.max(longest, vector.textBytes(i) & 0xffffffffL))
      case ResultType.Plain(DuckDbValues.UBigInt) =>
        measured(vector, present)(i => vector.longAt(i) >= 0)(vector.longAt(_))
      case ResultType.Plain(DuckDbValues.UHugeInt) =>
        measured(vector, present)(i => isLong(vector, i) && vector.longAt(2 * i) >= 0): i =>
          vector.longAt(2 * i)
      case ResultType.Plain(DuckDbValues.HugeInt) =>
        measured(vector, present)(isLong(vector, _))(i => vector.longAt(2 * i))
      case ResultType.Decimal(width, 0) if width > LogicalKind.LONG_DIGITS =>
        each(present)(i => fits &&= isLong(vector, i))
      case ResultType.Plain(DuckDbValues.Interval) =>
        each(present): i =>
          fits &&= isDuration(vector, i)
          longest = Math.max(longest, textBytes(vector, i))
      case _ if number.isEmpty =>
        each(present)(i => longest = Math.max(longest, textBytes(vector, i)))
      case _ => ()
    end match
  end add

  private def presentIn(vector: ResultVector, range: ReadRange): ReadRange =
    if vector.isValid then range
    else
      val there = new Array[Boolean](range.count)
      each(range): i =>
        if vector.isNull(i) then hasNulls = true else there(i) = true
      range.within(there)

  private inline def each(range: ReadRange)(inline body: Int => Unit): Unit =
    var i = 0
    while i < range.count do
      if range.isThere(i) then body(i)
      i += 1

  /** Measures the texts of integers, too, which are stored if one of them is no Long. */
  private inline def measured(vector: ResultVector, range: ReadRange)(
      inline hasLong: Int => Boolean
  )(inline number: Int => Long): Unit =
    each(range): i =>
      val isLong = hasLong(i)
      fits &&= isLong
      val bytes = if isLong then number(i).toString.length.toLong else textBytes(vector, i)
      longest = Math.max(longest, bytes)

  private def textBytes(vector: ResultVector, i: Int): Long =
    vector.value(i).show.getBytes(UTF_8).nn.length.toLong

  private def isLong(vector: ResultVector, i: Int): Boolean =
    vector.longAt(2 * i + 1) == vector.longAt(2 * i) >> 63

  /** Whether an INTERVAL has no months, and no more microseconds than a Long has. */
  private def isDuration(vector: ResultVector, i: Int): Boolean =
    val (months, days) = (vector.intAt(4 * i).toLong, vector.intAt(4 * i + 1).toLong)
    val interval = SqlInterval(months, days, vector.longAt(2 * i + 1))
    interval.months == 0 && interval.micros.isValidLong

  def field: Field =
    if hasNulls then
      val flag = Field.Leaf("isDefined", 0, Type.Primitive.BOOLEAN)
      Field.Record(path.last, "Option", Seq[Field](flag, required("get")).asJava)
    else required(path.last)

  private def required(name: String): Field = tpe match
    case ResultType.Struct(_) =>
      Field.Record(name, FieldOffsets.structName(path.last), children.map(_.field).asJava)
    case _ =>
      stored match
        case logical: Type.Logical =>
          logical.of match
            case pair: Type.Struct =>
              Field.Record(name, pair.name, pair.fields, Optional.of(logical.kind))
            case _ => Field.Leaf(name, 0, logical)
        case other => Field.Leaf(name, 0, other)

  private def stored: Type = number.filter(_ => fits).orElse(wide).getOrElse:
    if longest > LongestText then
      throw IllegalArgumentException(
        s"column '${path.mkString(".")}' has a text of $longest bytes; at most $LongestText are stored"
      )
    Type.Text(Math.max(1, longest).toInt)

  /** The type of a decimal that no Long has. */
  private def wide: Option[Type] = tpe match
    case ResultType.Decimal(width, scale) => Some(StoredType.of(LogicalKind.Decimal(width, scale)))
    case _                                => None

  /** The type of values that are stored as numbers if they fit. */
  private lazy val number: Option[Type] = natural.map: stored =>
    (stored, kinds.get(path)) match
      case (logical: Type.Logical, Some(kind)) if kind.getClass.equals(logical.kind.getClass) =>
        Type.Logical(logical.of, kind)
      case (number: Type.Primitive, Some(duration: LogicalKind.Duration))
          if number.equals(Type.Primitive.LONG) =>
        Type.Logical(number, duration)
      case _ => stored

  private def natural: Option[Type] = tpe match
    case ResultType.Plain(id)             => Numbers.get(id)
    case ResultType.Decimal(_, 0)         => Some(Type.Primitive.LONG)
    case ResultType.Decimal(width, scale) => Some(StoredType.of(LogicalKind.Decimal(width, scale)))
    case ResultType.Enumerated(cases) =>
      val size =
        if cases.size <= 0x100 then Type.Primitive.BYTE
        else if cases.size <= 0x10000 then Type.Primitive.SHORT
        else Type.Primitive.INT
      Some(Type.Ordinal(size, cases.asJava))
    case _ => None
end ColumnMeasure

private object ColumnMeasure:
  /** The longest text that is stored, in bytes. */
  private val LongestText = 1 << 20

  private def timestamp(unit: Ticks, isUtc: Boolean): Type =
    StoredType.of(LogicalKind.Timestamp(unit, isUtc))

  private val Numbers = Map[Int, Type](
    DuckDbValues.Boolean -> Type.Primitive.BOOLEAN,
    DuckDbValues.TinyInt -> Type.Primitive.BYTE,
    DuckDbValues.SmallInt -> Type.Primitive.SHORT,
    DuckDbValues.UTinyInt -> Type.Primitive.SHORT,
    DuckDbValues.Integer -> Type.Primitive.INT,
    DuckDbValues.USmallInt -> Type.Primitive.INT,
    DuckDbValues.BigInt -> Type.Primitive.LONG,
    DuckDbValues.UInteger -> Type.Primitive.LONG,
    DuckDbValues.UBigInt -> Type.Primitive.LONG,
    DuckDbValues.HugeInt -> Type.Primitive.LONG,
    DuckDbValues.UHugeInt -> Type.Primitive.LONG,
    DuckDbValues.Float -> Type.Primitive.FLOAT,
    DuckDbValues.Double -> Type.Primitive.DOUBLE,
    DuckDbValues.Date -> StoredType.of(LogicalKind.Date()),
    DuckDbValues.Time -> StoredType.of(LogicalKind.Time(Ticks.MICROS)),
    DuckDbValues.TimeNs -> StoredType.of(LogicalKind.Time(Ticks.NANOS)),
    DuckDbValues.TimestampS -> timestamp(Ticks.SECONDS, isUtc = false),
    DuckDbValues.TimestampMs -> timestamp(Ticks.MILLIS, isUtc = false),
    DuckDbValues.Timestamp -> timestamp(Ticks.MICROS, isUtc = false),
    DuckDbValues.TimestampNs -> timestamp(Ticks.NANOS, isUtc = false),
    DuckDbValues.TimestampTz -> timestamp(Ticks.MICROS, isUtc = true),
    DuckDbValues.TimestampTzNs -> timestamp(Ticks.NANOS, isUtc = true),
    DuckDbValues.Interval -> StoredType.of(LogicalKind.Duration(Ticks.MICROS)),
    DuckDbValues.Uuid -> StoredType.of(LogicalKind.Uuid())
  )
end ColumnMeasure
