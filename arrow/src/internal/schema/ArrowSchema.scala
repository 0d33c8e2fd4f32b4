package undercroft.arrow
package internal.schema

import com.google.flatbuffers.FlatBufferBuilder
import org.apache.arrow.flatbuf.{
  Binary,
  Bool,
  Date,
  DateUnit,
  Decimal,
  DictionaryEncoding,
  DictionaryKind,
  Duration,
  Endianness,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  FloatingPoint,
  Int as ArrowInt,
  KeyValue,
  List as ListType,
  Precision,
  Schema,
  Struct_,
  Time,
  Timestamp,
  Type as ArrowType,
  Utf8
}
import undercroft.file.format.{LogicalKind, Type}
import undercroft.file.{ColumnKind, OutOfLineContent, given}

/** The columns of a table as Arrow fields. Dictionary ids follow the order of the enum fields. */
private[arrow] final class ArrowSchema(columns: Vector[ColumnKind]):

  /** The case names of each enum, indexed by dictionary id. */
  val dictionaries: Vector[Vector[String]] = columns.flatMap(enums)

  private def enums(column: ColumnKind): Vector[Vector[String]] = column match
    case ColumnKind.Enumerated(_, _, _, cases)                     => Vector(cases)
    case ColumnKind.Record(_, fields)                              => fields.flatMap(enums)
    case ColumnKind.Optional(_, _, value)                          => enums(value)
    case ColumnKind.Logical(_, _, of)                              => enums(of)
    case ColumnKind.Items(_, _, _, _, item)                        => enums(item)
    case ColumnKind.OutOfLine(_, _, OutOfLineContent.Run(_, item)) => enums(item)
    case ColumnKind.OneOf(_, tag, members) =>
      tag.cases +: ArrowSchema.shown(members).flatMap(enums)
    case _ => Vector()

  def build(builder: FlatBufferBuilder): Int =
    val numbers = dictionaries.indices.iterator.map(_.toLong)
    val fields = columns.map(field(builder, _, false, numbers)).toArray
    val vector = Schema.createFieldsVector(builder, fields)
    Schema.createSchema(builder, Endianness.Little, vector, 0, 0)

  private def field(
      builder: FlatBufferBuilder,
      column: ColumnKind,
      nullable: Boolean,
      numbers: Iterator[Long],
      metadata: Seq[(String, String)] = Seq()
  ): Int =
    val keys = metadata.map: (key, value) =>
      KeyValue.createKeyValue(builder, builder.createString(key), builder.createString(value))
    def custom: Int =
      if keys.isEmpty then 0 else Field.createCustomMetadataVector(builder, keys.toArray)
    def made(kind: Byte, tpe: Int, children: Seq[Int] = Seq(), dictionary: Int = 0): Int =
      val name = builder.createString(column.name)
      val inside = Field.createChildrenVector(builder, children.toArray)
      Field.createField(builder, name, nullable, kind, tpe, dictionary, inside, custom)
    column match
      case ColumnKind.Value(_, _, kind, unsigned, _) =>
        val (number, tpe) = ArrowSchema.number(builder, kind, unsigned)
        made(number, tpe)
      case ColumnKind.Enumerated(_, _, size, cases) =>
        // A signed index type if all case numbers fit, because readers prefer it.
        val signed = cases.size <= (1L << 8 * size - 1)
        val index = ArrowInt.createInt(builder, 8 * size, signed)
        val encoding = DictionaryEncoding.createDictionaryEncoding(
          builder,
          numbers.next(),
          index,
          false,
          DictionaryKind.DenseArray
        )
        made(ArrowType.Utf8, ArrowSchema.utf8(builder), Seq(), encoding)
      case ColumnKind.Text(_, _, _) => made(ArrowType.Utf8, ArrowSchema.utf8(builder))
      case ColumnKind.Opaque(_, _, size) =>
        made(ArrowType.FixedSizeBinary, FixedSizeBinary.createFixedSizeBinary(builder, size))
      case ColumnKind.Elements(_, offset, kind, dimensions) =>
        val of =
          if dimensions.size > 1 then ColumnKind.Elements("item", offset, kind, dimensions.tail)
          else ColumnKind.Value("item", offset, kind, kind == Type.Primitive.CHAR, false)
        val child = field(builder, of, false, numbers)
        made(
          ArrowType.FixedSizeList,
          FixedSizeList.createFixedSizeList(builder, dimensions.head),
          Seq(child)
        )
      case items: ColumnKind.Items =>
        val of =
          if items.dimensions.size == 1 then items.item
          else items.copy(name = "item", dimensions = items.dimensions.tail)
        val child = field(builder, of, false, numbers)
        val size = items.dimensions.head
        val tpe = FixedSizeList.createFixedSizeList(builder, size)
        made(ArrowType.FixedSizeList, tpe, Seq(child))
      case ColumnKind.Logical(_, kind: LogicalKind.Named, of) =>
        field(builder, of, nullable, numbers, Seq(ArrowSchema.LogicalTypeKey -> kind.name))
      case ColumnKind.Logical(_, _: LogicalKind.Uuid, _) =>
        val extension =
          Seq(
            ArrowSchema.ExtensionKey -> ArrowSchema.UuidExtension,
            "ARROW:extension:metadata" -> ""
          )
        field(
          builder,
          ColumnKind.Opaque(column.name, 0, ArrowSchema.UuidBytes),
          nullable,
          numbers,
          extension
        )
      case ColumnKind.Logical(_, kind, _) =>
        val (code, tpe) = ArrowSchema.logical(builder, kind)
        made(code, tpe)
      case ColumnKind.Record(_, fields) =>
        val children = fields.map(field(builder, _, false, numbers))
        made(ArrowType.Struct_, ArrowSchema.struct(builder), children)
      case ColumnKind.Optional(_, _, inner @ ColumnKind.Optional(_, _, _)) =>
        val child = field(builder, inner, false, numbers)
        val children = Seq(child)
        val name = builder.createString(column.name)
        val inside = Field.createChildrenVector(builder, children.toArray)
        val tpe = ArrowSchema.struct(builder)
        Field.createField(builder, name, true, ArrowType.Struct_, tpe, 0, inside, custom)
      case ColumnKind.Optional(name, _, value) =>
        field(builder, ColumnKind.named(value, name), true, numbers)
      case ColumnKind.OutOfLine(_, _, content) =>
        content match
          case OutOfLineContent.Text => made(ArrowType.Utf8, ArrowSchema.utf8(builder))
          case OutOfLineContent.Bytes =>
            Binary.startBinary(builder)
            made(ArrowType.Binary, Binary.endBinary(builder))
          case OutOfLineContent.Run(_, item) =>
            val child = field(builder, item, false, numbers)
            ListType.startList(builder)
            made(ArrowType.List, ListType.endList(builder), Seq(child))
      case ColumnKind.OneOf(_, tag, members) =>
        val number = field(builder, tag, false, numbers)
        val cases = ArrowSchema.shown(members).map(field(builder, _, true, numbers))
        made(ArrowType.Struct_, ArrowSchema.struct(builder), number +: cases)
    end match
  end field
end ArrowSchema

private[arrow] object ArrowSchema:

  /** The members that have fields: a member without fields is represented by its tag alone. */
  def shown(members: Vector[ColumnKind.Record]): Vector[ColumnKind.Record] =
    members.filter(_.fields.nonEmpty)

  /** The key of the name of a logical type in the metadata of a field. */
  final val LogicalTypeKey = "undercroft.logicalType"

  /** The key of the name of an extension type in the metadata of a field. */
  final val ExtensionKey = "ARROW:extension:name"
  final val UuidExtension = "arrow.uuid"
  final val UuidBytes = 16

  private final val DecimalBits = 128

  /** The Arrow type of a logical type. Milliseconds and seconds since midnight have 32 bits. */
  private def logical(builder: FlatBufferBuilder, kind: LogicalKind): (Byte, Int) = kind match
    case _: LogicalKind.Date => (ArrowType.Date, Date.createDate(builder, DateUnit.DAY))
    case time: LogicalKind.Time =>
      val bits = if isShort(time.unit) then 32 else 64
      (ArrowType.Time, Time.createTime(builder, unit(time.unit), bits))
    case timestamp: LogicalKind.Timestamp =>
      val zone = if timestamp.isUtc then builder.createString("UTC") else 0
      (ArrowType.Timestamp, Timestamp.createTimestamp(builder, unit(timestamp.unit), zone))
    case duration: LogicalKind.Duration =>
      (ArrowType.Duration, Duration.createDuration(builder, unit(duration.unit)))
    case decimal: LogicalKind.Decimal =>
      val tpe = Decimal.createDecimal(builder, decimal.precision, decimal.scale, DecimalBits)
      (ArrowType.Decimal, tpe)
    case other => throw IllegalStateException(other.description)

  /** Whether a time of day has 32 bits in Arrow. */
  def isShort(unit: LogicalKind.Unit): Boolean = unit.perSecond <= 1000

  private def unit(unit: LogicalKind.Unit): Short = unit.ordinal.toShort

  private def utf8(builder: FlatBufferBuilder): Int =
    Utf8.startUtf8(builder)
    Utf8.endUtf8(builder)

  private def struct(builder: FlatBufferBuilder): Int =
    Struct_.startStruct_(builder)
    Struct_.endStruct_(builder)

  private def number(
      builder: FlatBufferBuilder,
      kind: Type.Primitive,
      unsigned: Boolean
  ): (Byte, Int) = kind match
    case Type.Primitive.BOOLEAN =>
      Bool.startBool(builder)
      (ArrowType.Bool, Bool.endBool(builder))
    case Type.Primitive.FLOAT =>
      (ArrowType.FloatingPoint, FloatingPoint.createFloatingPoint(builder, Precision.SINGLE))
    case Type.Primitive.DOUBLE =>
      (ArrowType.FloatingPoint, FloatingPoint.createFloatingPoint(builder, Precision.DOUBLE))
    case integer => (ArrowType.Int, ArrowInt.createInt(builder, 8 * integer.size, !unsigned))
end ArrowSchema
