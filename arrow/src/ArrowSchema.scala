package undercroft.arrow

import com.google.flatbuffers.FlatBufferBuilder
import org.apache.arrow.flatbuf.{
  Bool,
  DictionaryEncoding,
  DictionaryKind,
  Endianness,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  FloatingPoint,
  Int as ArrowInt,
  Precision,
  Schema,
  Struct_,
  Type as ArrowType,
  Utf8
}
import undercroft.file.Type
import undercroft.structfile.{Column, given}

/** The columns of a table as Arrow's fields. Enums are numbered in the order of their fields. */
private[arrow] final class ArrowSchema(columns: Vector[Column]):

  /** The names of the cases of each enum, by its number. */
  val dictionaries: Vector[Vector[String]] = columns.flatMap(enums)

  private def enums(column: Column): Vector[Vector[String]] = column match
    case Column.Enumerated(_, _, _, cases) => Vector(cases)
    case Column.Record(_, fields)          => fields.flatMap(enums)
    case Column.Optional(_, _, value)      => enums(value)
    case Column.OneOf(_, tag, members) =>
      tag.cases +: ArrowSchema.shown(members).flatMap(enums)
    case _ => Vector()

  def build(builder: FlatBufferBuilder): Int =
    val numbers = dictionaries.indices.iterator.map(_.toLong)
    val fields = columns.map(field(builder, _, false, numbers)).toArray
    val all = Schema.createFieldsVector(builder, fields)
    Schema.createSchema(builder, Endianness.Little, all, 0, 0)

  private def field(
      builder: FlatBufferBuilder,
      column: Column,
      nullable: Boolean,
      numbers: Iterator[Long]
  ): Int =
    def made(kind: Byte, tpe: Int, children: Seq[Int] = Seq(), dictionary: Int = 0): Int =
      val name = builder.createString(column.name)
      val inside = Field.createChildrenVector(builder, children.toArray)
      Field.createField(builder, name, nullable, kind, tpe, dictionary, inside, 0)
    column match
      case Column.Value(_, _, kind, unsigned, _) =>
        val (number, tpe) = ArrowSchema.number(builder, kind, unsigned)
        made(number, tpe)
      case Column.Enumerated(_, _, size, cases) =>
        // With a sign where the numbers leave it free, as readers prefer it.
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
      case Column.Text(_, _, _) => made(ArrowType.Utf8, ArrowSchema.utf8(builder))
      case Column.Opaque(_, _, size) =>
        made(ArrowType.FixedSizeBinary, FixedSizeBinary.createFixedSizeBinary(builder, size))
      case Column.Elements(_, offset, kind, count) =>
        val of = Column.Value("item", offset, kind, kind == Type.Primitive.CHAR, false)
        val child = field(builder, of, false, numbers)
        made(
          ArrowType.FixedSizeList,
          FixedSizeList.createFixedSizeList(builder, count),
          Seq(child)
        )
      case Column.Record(_, fields) =>
        val children = fields.map(field(builder, _, false, numbers))
        made(ArrowType.Struct_, ArrowSchema.struct(builder), children)
      case Column.Optional(_, _, inner @ Column.Optional(_, _, _)) =>
        val child = field(builder, inner, false, numbers)
        val children = Seq(child)
        val name = builder.createString(column.name)
        val inside = Field.createChildrenVector(builder, children.toArray)
        val tpe = ArrowSchema.struct(builder)
        Field.createField(builder, name, true, ArrowType.Struct_, tpe, 0, inside, 0)
      case Column.Optional(name, _, value) =>
        field(builder, ArrowSchema.named(value, name), true, numbers)
      case Column.OneOf(_, tag, members) =>
        val number = field(builder, tag, false, numbers)
        val cases = ArrowSchema.shown(members).map(field(builder, _, true, numbers))
        made(ArrowType.Struct_, ArrowSchema.struct(builder), number +: cases)
    end match
  end field
end ArrowSchema

private[arrow] object ArrowSchema:

  /** The members that hold something: the others are nothing but their tag. */
  def shown(members: Vector[Column.Record]): Vector[Column.Record] =
    members.filter(_.fields.nonEmpty)

  /** A column under another name. */
  def named(column: Column, name: String): Column = column match
    case one: Column.Value      => one.copy(name = name)
    case one: Column.Enumerated => one.copy(name = name)
    case one: Column.Text       => one.copy(name = name)
    case one: Column.Elements   => one.copy(name = name)
    case one: Column.Opaque     => one.copy(name = name)
    case one: Column.Record     => one.copy(name = name)
    case one: Column.Optional   => one.copy(name = name)
    case one: Column.OneOf      => one.copy(name = name)

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
    case other => (ArrowType.Int, ArrowInt.createInt(builder, 8 * other.size, !unsigned))
end ArrowSchema
