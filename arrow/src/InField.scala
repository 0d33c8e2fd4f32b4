package undercroft.arrow

import org.apache.arrow.flatbuf.{
  Field,
  FixedSizeBinary,
  FixedSizeList,
  FloatingPoint,
  Int as ArrowInt,
  Precision,
  Schema,
  Type as ArrowType,
  Union,
  UnionMode
}

/** A type of a field in a file. */
private[arrow] enum InType derives CanEqual:
  case Bool
  case Number(bits: Int, signed: Boolean)
  case Real(bits: Int)

  /** Texts, with offsets of so many bytes. */
  case Utf8(offsetBytes: Int)
  case Utf8View
  case Bytes(size: Int)
  case Array(size: Int)
  case Struct

  /** One that nothing is read of, with so many buffers, and more of them if it has views. */
  case Other(name: String, buffers: Int, views: Boolean)

  /** How many buffers it has itself. */
  def bufferCount: Int = this match
    case Bool | Number(_, _) | Real(_) | Bytes(_) => 2
    case Utf8(_)                                  => 3
    case Utf8View                                 => 2
    case Array(_) | Struct                        => 1
    case Other(_, count, _)                       => count

  def hasViews: Boolean = this match
    case Utf8View           => true
    case Other(_, _, views) => views
    case _                  => false

  def show: String = this match
    case Bool                 => "bool"
    case Number(bits, signed) => if signed then s"int$bits" else s"uint$bits"
    case Real(bits)           => s"float$bits"
    case Utf8(_) | Utf8View   => "text"
    case Bytes(size)          => s"$size bytes"
    case Array(size)          => s"list of $size"
    case Struct               => "struct"
    case Other(name, _, _)    => name
end InType

/** A field in a file. One with a dictionary has numbers of values of its type. */
private[arrow] final case class InField(
    name: String,
    tpe: InType,
    children: Vector[InField],
    dictionary: Option[(Long, InType.Number)]
):
  def show: String = dictionary.fold(tpe.show)(_ => s"dictionary of ${tpe.show}")

private[arrow] object InField:
  /** How deep fields may lie in each other. */
  private val MostDepth = 64

  /** How many fields there may be: a few bytes can name one again and again. */
  private val MostFields = 100_000

  def all(schema: Schema, input: Input, at: Long): Vector[InField] =
    val reading = Reading(input, at)
    reading.some(schema.fieldsLength)(i => reading.field(schema.fields(i), 0))

  private final class Reading(input: Input, at: Long):
    private var count = 0

    def some(fields: Int)(one: Int => InField): Vector[InField] =
      count += Math.max(fields, 0)
      if fields < 0 || count > MostFields || count < 0 then
        throw input.fault(at, ArrowFault.Unsupported, s"more than $MostFields fields")
      Vector.tabulate(fields)(one)

    def field(field: Field, depth: Int): InField =
      if depth > MostDepth then
        throw input.fault(at, ArrowFault.Unsupported, s"fields more than $MostDepth deep")
      val name = if field.name == null then "" else field.name
      val children = some(field.childrenLength)(i => this.field(field.children(i), depth + 1))
      val dictionary = Option(field.dictionary).map: encoding =>
        // Without a type the numbers have 32 bits and a sign.
        val index = Option(encoding.indexType)
        val bits = index.fold(32)(_.bitWidth)
        if !Seq(8, 16, 32, 64).contains(bits) then
          throw input.damaged(at, s"`$name` has numbers of $bits bits")
        (encoding.id, new InType.Number(bits, index.forall(_.isSigned)))
      InField(name, tpe(field, name), children, dictionary)

    private def tpe(field: Field, name: String): InType = field.typeType match
      case ArrowType.Bool => InType.Bool
      case ArrowType.Int =>
        val number = ArrowInt()
        field.`type`(number)
        InType.Number(number.bitWidth, number.isSigned)
      case ArrowType.FloatingPoint =>
        val real = FloatingPoint()
        field.`type`(real)
        real.precision match
          case Precision.SINGLE => InType.Real(32)
          case Precision.DOUBLE => InType.Real(64)
          case _                => InType.Other("float16", 2, false)
      case ArrowType.Utf8      => InType.Utf8(4)
      case ArrowType.LargeUtf8 => InType.Utf8(8)
      case ArrowType.Utf8View  => InType.Utf8View
      case ArrowType.FixedSizeBinary =>
        val bytes = FixedSizeBinary()
        field.`type`(bytes)
        InType.Bytes(bytes.byteWidth)
      case ArrowType.FixedSizeList =>
        val list = FixedSizeList()
        field.`type`(list)
        InType.Array(list.listSize)
      case ArrowType.Struct_                            => InType.Struct
      case ArrowType.Null                               => InType.Other("null", 0, false)
      case ArrowType.Binary | ArrowType.LargeBinary     => InType.Other("binary", 3, false)
      case ArrowType.BinaryView                         => InType.Other("binary view", 2, true)
      case ArrowType.List | ArrowType.LargeList         => InType.Other("list", 2, false)
      case ArrowType.Map                                => InType.Other("map", 2, false)
      case ArrowType.ListView | ArrowType.LargeListView => InType.Other("list view", 3, false)
      case ArrowType.RunEndEncoded                      => InType.Other("run-end encoded", 0, false)
      case ArrowType.Union =>
        val union = Union()
        field.`type`(union)
        InType.Other("union", if union.mode == UnionMode.Dense then 2 else 1, false)
      case ArrowType.Decimal | ArrowType.Date | ArrowType.Time | ArrowType.Timestamp |
          ArrowType.Interval | ArrowType.Duration =>
        InType.Other(ArrowType.name(field.typeType.toInt).toLowerCase, 2, false)
      case other => throw input.fault(at, ArrowFault.Unsupported, s"`$name` has type $other")
  end Reading
end InField
