package undercroft.arrow
package internal.schema

import internal.io.FileInput
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale
import org.apache.arrow.flatbuf.{
  Date,
  DateUnit,
  Decimal,
  Duration,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  FloatingPoint,
  Int as ArrowInt,
  Precision,
  Schema,
  Time,
  Timestamp,
  Type as TypeCode,
  Union,
  UnionMode
}
import undercroft.file.format.LogicalKind

/** The type of a field in a file. */
private[arrow] enum ArrowType derives CanEqual:
  case Bool
  case Number(bits: Int, signed: Boolean)
  case Real(bits: Int)

  /** Fixed-size values that are read as text. */
  case Textual(kind: TextualType)

  /** Strings with offsets of 4 or 8 bytes. */
  case Utf8(offsetBytes: Int)
  case Utf8View

  /** Bytes of any length, with offsets of 4 or 8 bytes. */
  case Binary(offsetBytes: Int)
  case BinaryView
  case Bytes(size: Int)

  /** Amounts of time, in `ticks` per second. */
  case Duration(ticks: Long)
  case Array(size: Int)

  /** Lists of any length, with offsets of 4 or 8 bytes. */
  case Listed(offsetBytes: Int)
  case Struct

  /** Nulls alone, without buffers. */
  case Null

  /** A union, which is not read: it has a buffer of its types, and of offsets if it is dense. */
  case Union(isDense: Boolean)

  /** Runs of equal values, which are not read: it has no buffers, and the runs are its children. */
  case RunEnd

  /** A type that is not read: it has `buffers` buffers, and variadic ones if it has views. */
  case Other(name: String, buffers: Int, views: Boolean)

  /** The number of fixed buffers of the type. */
  def bufferCount: Int = this match
    case Bool | Number(_, _) | Real(_) | Bytes(_) | Textual(_) | Duration(_) => 2
    case Utf8(_) | Binary(_)                                                 => 3
    case Utf8View | BinaryView | Listed(_)                                   => 2
    case Array(_) | Struct                                                   => 1
    case Null | RunEnd                                                       => 0
    case Union(isDense)     => if isDense then 2 else 1
    case Other(_, count, _) => count

  /** The bytes of a number; 0 for any other type. */
  def numberBytes: Int = this match
    case Number(bits, _) => bits / 8
    case Real(bits)      => bits / 8
    case _               => 0

  def hasViews: Boolean = this match
    case Utf8View | BinaryView => true
    case Other(_, _, views)    => views
    case _                     => false

  def show: String = this match
    case Bool                 => "bool"
    case Number(bits, signed) => if signed then s"int$bits" else s"uint$bits"
    case Real(bits)           => s"float$bits"
    case Utf8(_) | Utf8View   => "text"
    case Binary(_)            => "binary"
    case BinaryView           => "binary view"
    case Bytes(size)          => s"$size bytes"
    case Array(size)          => s"list of $size"
    case Listed(_)            => "list"
    case Struct               => "struct"
    case Null                 => "null"
    case RunEnd               => "run-end encoded"
    case Union(_)             => "union"
    case Textual(kind)        => kind.show
    case Duration(_)          => "duration"
    case Other(name, _, _)    => name
end ArrowType

/** A field in a file. If it has a dictionary, its buffers contain dictionary indices.
  *
  * @param metadata
  *   the first value of each key, without long texts
  */
private[arrow] final case class ArrowField(
    name: String,
    tpe: ArrowType,
    children: Vector[ArrowField],
    dictionary: Option[(Long, ArrowType.Number)],
    metadata: Map[String, String]
):
  def isUuid: Boolean =
    tpe == ArrowType.Bytes(ArrowSchema.UuidBytes) &&
      metadata.get(ArrowSchema.ExtensionKey).contains(ArrowSchema.UuidExtension)

  /** It and the fields in it, in depth-first order. */
  def withChildren: Vector[ArrowField] = this +: children.flatMap(_.withChildren)

  def hasDictionary: Boolean = withChildren.exists(_.dictionary.isDefined)

  /** Whether each row has a bit at least in the buffers of a batch. */
  def hasBits: Boolean = dictionary.isDefined || (tpe match
    case ArrowType.Null | ArrowType.RunEnd | ArrowType.Bytes(0) | ArrowType.Array(0) => false
    case ArrowType.Array(_) | ArrowType.Struct => children.exists(_.hasBits)
    case _                                     => true)

  def show: String = dictionary.fold(tpe.show)(_ => s"dictionary of ${tpe.show}")
end ArrowField

private[arrow] object ArrowField:
  /** The deepest nesting of fields. */
  private val MostDepth = 64

  /** The most fields of a schema: a forged file can refer to the same bytes many times. */
  private val MostFields = 100_000

  /** The most digits of a decimal, and the most after its point or of zeros before it. */
  private val MostDigits = 76

  /** The properties of a field's type. */
  def typed[A <: com.google.flatbuffers.Table](field: Field, table: A): A =
    field.`type`(table)
    table

  def all(schema: Schema, input: FileInput, at: Long): Vector[ArrowField] =
    val reading = Reading(input, at)
    reading.some(schema.fieldsLength)(i => reading.field(schema.fields(i), 0))

  private final class Reading(input: FileInput, at: Long):
    private var count = 0

    def some[A](fields: Int)(entry: Int => A): Vector[A] =
      count += Math.max(fields, 0)
      if fields < 0 || count > MostFields || count < 0 then
        throw input.error(
          at,
          ArrowErrorKind.Unsupported,
          s"it has more than $MostFields fields and metadata"
        )
      Vector.tabulate(fields)(entry)

    def field(field: Field, depth: Int): ArrowField =
      if depth > MostDepth then
        throw input.error(at, ArrowErrorKind.Unsupported, s"its fields nest deeper than $MostDepth")
      val name = if field.name == null then "" else field.name
      val children = some(field.childrenLength)(i => this.field(field.children(i), depth + 1))
      val dictionary = Option(field.dictionary).map: encoding =>
        // Without an index type, indices are signed 32-bit integers.
        val index = Option(encoding.indexType)
        val bits = index.fold(32)(_.bitWidth)
        if !Seq(8, 16, 32, 64).contains(bits) then
          throw input.corrupt(
            at,
            s"the dictionary indices of `$name` must have 8, 16, 32 or 64 bits, but have $bits"
          )
        (encoding.id, new ArrowType.Number(bits, index.forall(_.isSigned)))
      ArrowField(name, tpe(field, name), children, dictionary, metadata(field))

    private def metadata(field: Field): Map[String, String] =
      val pairs = some(field.customMetadataLength): i =>
        val pair = field.customMetadata(i).nn
        for key <- short(pair.keyAsByteBuffer); value <- short(pair.valueAsByteBuffer)
        yield (key, value)
      pairs.flatten.reverse.toMap

    /** A text, unless it is long: a forged file can refer to one text many times. */
    private def short(text: ByteBuffer | Null): Option[String] =
      Option(text).filter(_.remaining <= LogicalKind.LONGEST_NAME).map(UTF_8.decode(_).toString)

    private def tpe(field: Field, name: String): ArrowType = field.typeType match
      case TypeCode.Bool => ArrowType.Bool
      case TypeCode.Int =>
        val number = typed(field, ArrowInt())
        ArrowType.Number(number.bitWidth, number.isSigned)
      case TypeCode.FloatingPoint =>
        val real = typed(field, FloatingPoint())
        real.precision match
          case Precision.SINGLE => ArrowType.Real(32)
          case Precision.DOUBLE => ArrowType.Real(64)
          case _                => ArrowType.Real(16)
      case TypeCode.Utf8      => ArrowType.Utf8(4)
      case TypeCode.LargeUtf8 => ArrowType.Utf8(8)
      case TypeCode.Utf8View  => ArrowType.Utf8View
      case TypeCode.FixedSizeBinary =>
        val bytes = typed(field, FixedSizeBinary())
        ArrowType.Bytes(bytes.byteWidth)
      case TypeCode.FixedSizeList =>
        val list = typed(field, FixedSizeList())
        ArrowType.Array(list.listSize)
      case TypeCode.Struct_                           => ArrowType.Struct
      case TypeCode.Null                              => ArrowType.Null
      case TypeCode.Binary                            => ArrowType.Binary(4)
      case TypeCode.LargeBinary                       => ArrowType.Binary(8)
      case TypeCode.BinaryView                        => ArrowType.BinaryView
      case TypeCode.List                              => ArrowType.Listed(4)
      case TypeCode.LargeList                         => ArrowType.Listed(8)
      case TypeCode.Map                               => ArrowType.Other("map", 2, false)
      case TypeCode.ListView | TypeCode.LargeListView => ArrowType.Other("list view", 3, false)
      case TypeCode.RunEndEncoded                     => ArrowType.RunEnd
      case TypeCode.Union =>
        val union = typed(field, Union())
        ArrowType.Union(union.mode == UnionMode.Dense)
      case TypeCode.Date =>
        val date = typed(field, Date())
        ArrowType.Textual(TextualType.Date(if date.unit == DateUnit.DAY then 4 else 8))
      case TypeCode.Time =>
        val time = typed(field, Time())
        ArrowType.Textual(TextualType.Time(if time.bitWidth == 32 then 4 else 8, ticks(time.unit)))
      case TypeCode.Timestamp =>
        val timestamp = typed(field, Timestamp())
        val isUtc = timestamp.timezone != null && !timestamp.timezone.isEmpty
        ArrowType.Textual(TextualType.Timestamp(ticks(timestamp.unit), isUtc))
      case TypeCode.Decimal =>
        val decimal = typed(field, Decimal())
        val (bits, precision, scale) = (decimal.bitWidth, decimal.precision, decimal.scale)
        if !Seq(32, 64, 128, 256).contains(bits) || Math.abs(scale.toLong) > MostDigits ||
          precision < 1 || precision > MostDigits
        then
          throw input.corrupt(
            at,
            s"`$name` is a decimal of $bits bits with $precision digits and a scale of $scale"
          )
        ArrowType.Textual(TextualType.Decimal(bits / 8, precision, scale))
      case TypeCode.Duration =>
        val duration = typed(field, Duration())
        ArrowType.Duration(ticks(duration.unit))
      case TypeCode.Interval =>
        ArrowType.Other(TypeCode.name(field.typeType.toInt).toLowerCase(Locale.ROOT), 2, false)
      case code => throw input.error(at, ArrowErrorKind.Unsupported, s"`$name` has type $code")

    /** The ticks per second of a unit: seconds, milliseconds, microseconds or nanoseconds. */
    private def ticks(unit: Short): Long =
      if unit < 0 || unit > 3 then throw input.corrupt(at, s"$unit is not a unit of time")
      Seq(1L, 1_000L, 1_000_000L, 1_000_000_000L)(unit)
  end Reading
end ArrowField
