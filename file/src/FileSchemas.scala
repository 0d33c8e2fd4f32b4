package undercroft.file

import java.lang.foreign.MemorySegment
import java.nio.ByteOrder
import java.util.Optional
import java.util.function.Supplier
import scala.jdk.CollectionConverters.*
import scala.jdk.OptionConverters.*
import undercroft.file.format.{Evolution, Field as InFile, FileLayout, LogicalKind, Schema, Type}
import undercroft.struct.{LogicalType, Shape, Struct, Table}
import undercroft.struct.internal.runtime.{FieldDefault, FieldHistory}

/** Derives the schemas of files from Structs. */
private[undercroft] object FileSchemas:

  /** The address and the number of bytes of a value out of line. */
  private val OutOfLine: Type = Type.Struct(
    "OutOfLine",
    16,
    java.util.List.of(
      InFile.Leaf("address", 0, Type.Elements(Type.Primitive.BYTE, 8)),
      InFile.Leaf("length", 8, Type.Elements(Type.Primitive.BYTE, 8))
    )
  )

  /** The name of the field of rows that are no records. */
  private val RowValue = "value"

  def of(struct: Struct[?], kind: Table.Kind): Schema =
    of(struct.shape, kinds(struct, root(struct)), kind, kind.bytesPerRow(struct))

  /** The schema of rows in memory, which no file has: texts, bytes and runs out of line are structs
    * of two Longs.
    */
  def inMemory(struct: Struct[?], kind: Table.Kind): Schema =
    val stride = kind.bytesPerRow(struct)
    of(struct.shape, kinds(struct, root(struct)), kind, stride, isInMemory = true)

  /** The schema of packed values as one field, with the fields that files can have. */
  def element(struct: Struct[?], field: String): Schema =
    val shape = Shape.Record(field, List(Shape.Field(field, struct.shape)))
    of(shape, kinds(struct, List(field)), Table.Kind.Packed, struct.packedSize)

  /** The kinds of the values out of line by the paths of their fields in the schema. */
  def outOfLine(struct: Struct[?]): Map[List[String], Shape.Kind] =
    outOfLine(struct.shape, root(struct)).toMap

  /** The Structs of the elements of runs by the paths of their fields in the schema. */
  def runs(struct: Struct[?]): Map[List[String], Struct[?]] =
    struct.runs.map((path, elements) => (root(struct) ++ path, elements))

  private def outOfLine(shape: Shape, path: List[String]): List[(List[String], Shape.Kind)] =
    def fields(parts: List[Shape.Field]) = parts.flatMap: field =>
      outOfLine(field.shape, if field.name.isEmpty then path else path :+ field.name)
    def values(kind: Shape.Kind): List[(List[String], Shape.Kind)] = kind match
      case Shape.Kind.Elements(of, _)   => values(of)
      case Shape.Kind.Structs(shape, _) => outOfLine(shape, path)
      case _ if kind.isOutOfLine        => List(path -> kind)
      case _                            => Nil
    shape match
      case Shape.Primitive(kind, _, _) => values(kind)
      case Shape.Record(_, parts)      => fields(parts)
      case Shape.Union(_, parts)       => fields(parts)

  /** The schema of rows under the C ABI, of a shape that is put together at run time.
    *
    * @param struct
    *   the Struct of the field `field`; other fields have no logical types
    */
  def aligned(shape: Shape, struct: Struct[?], field: String): Schema =
    of(shape, kinds(struct, List(field)), Table.Kind.Aligned, shape.alignedSize)

  /** The former names and the default values of the fields of a Struct. */
  def evolution(struct: Struct[?], kind: Table.Kind): Evolution =
    evolution(struct, root(struct), kind)

  /** The path of the row in the schema. */
  private def root(struct: Struct[?]): List[String] = struct.shape match
    case Shape.Record(_, _) if !isOption(struct.shape) => Nil
    case _                                             => List(RowValue)

  /** The logical types of a Struct by the paths of their fields in the schema. */
  private def kinds(struct: Struct[?], root: List[String]): Map[List[String], LogicalKind] =
    struct.logicalTypes.map((path, logicalType) => (root ++ path, kindOf(logicalType)))

  private def kindOf(logicalType: LogicalType): LogicalKind = logicalType match
    case LogicalType.Date                      => LogicalKind.Date()
    case LogicalType.Time(unit)                => LogicalKind.Time(unitOf(unit))
    case LogicalType.Timestamp(unit, isUtc)    => LogicalKind.Timestamp(unitOf(unit), isUtc)
    case LogicalType.Duration(unit)            => LogicalKind.Duration(unitOf(unit))
    case LogicalType.Decimal(precision, scale) => LogicalKind.Decimal(precision, scale)
    case LogicalType.Uuid                      => LogicalKind.Uuid()
    case LogicalType.Named(name)               => LogicalKind.Named(name)

  private def unitOf(unit: LogicalType.TimeUnit): LogicalKind.Unit = unit match
    case LogicalType.TimeUnit.Seconds => LogicalKind.Unit.SECONDS
    case LogicalType.TimeUnit.Millis  => LogicalKind.Unit.MILLIS
    case LogicalType.TimeUnit.Micros  => LogicalKind.Unit.MICROS
    case LogicalType.TimeUnit.Nanos   => LogicalKind.Unit.NANOS

  /** The same for a Struct that is a part of rows under the C ABI.
    *
    * @param field
    *   the name of its field
    */
  def alignedEvolution(struct: Struct[?], field: String): Evolution =
    evolution(struct, List(field), Table.Kind.Aligned)

  private def evolution(struct: Struct[?], root: List[String], kind: Table.Kind): Evolution =
    if struct.history eq FieldHistory.none then Evolution.NONE
    else
      val histories = struct.history().map(history => (root ++ history.path).asJava -> history)
      val former = histories.map((path, history) => path -> history.formerNames.asJava)
      val logicalKinds = kinds(struct, root)
      val defaults = histories.flatMap: (path, history) =>
        history.default.map(path -> valueOf(_, path.asScala.toList, logicalKinds, kind))
      Evolution(former.toMap.asJava, defaults.toMap.asJava)

  /** The value of a field, in the layout of a table; empty if it cannot be evaluated. */
  private def valueOf(
      default: FieldDefault,
      path: List[String],
      kinds: Map[List[String], LogicalKind],
      kind: Table.Kind
  ): Supplier[Optional[Evolution.Default]] = () =>
    val fields = List(Shape.Field(path.last, default.shape, dimensions = default.dimensions))
    val shape = Shape.Record(path.last, fields)
    val isPacked = kind == Table.Kind.Packed
    val inner = if isPacked then Table.Kind.Packed else Table.Kind.Aligned
    val value = default.store.map: store =>
      val bytes = MemorySegment.ofArray(new Array[Long](Math.ceilDiv(shape.alignedSize, 8))).nn
      store(bytes, isPacked)
      val places = Places(shape.leaves, inner, kinds)
      Evolution.Default(places.fields(fields, path.init).get(0), bytes)
    value.toJava

  private def of(
      shape: Shape,
      kinds: Map[List[String], LogicalKind],
      kind: Table.Kind,
      stride: Long,
      isInMemory: Boolean = false
  ): Schema =
    val (name, fields) = shape match
      case Shape.Record(name, fields) if !isOption(shape) => (name, fields)
      case other => (other.name, List(Shape.Field(RowValue, other)))
    Schema(
      name,
      layout(kind),
      ByteOrder.nativeOrder,
      stride,
      Places(shape.leaves, kind, kinds, isInMemory).fields(fields, Nil)
    )

  /** Whether a row is an Option: the file has one field, which may be absent. */
  private def isOption(shape: Shape): Boolean = shape match
    case Shape.Record("Option", List(isDefined, value)) =>
      isDefined.name == "isDefined" && value.name == "get" &&
      isDefined.shape == Shape.Primitive(Shape.Kind.Boolean)
    case _ => false

  private def layout(kind: Table.Kind): FileLayout = kind match
    case Table.Kind.Aligned  => FileLayout.ALIGNED
    case Table.Kind.Packed   => FileLayout.PACKED
    case Table.Kind.Columnar => FileLayout.COLUMNS

  /** Converts the fields of a struct, with the offsets of their leaves in a layout. */
  private final class Places(
      leaves: List[Shape.Leaf],
      kind: Table.Kind,
      kinds: Map[List[String], LogicalKind],
      isInMemory: Boolean = false
  ):
    private val next = leaves.iterator

    /** The fields of the record at a path. */
    def fields(members: List[Shape.Field], path: List[String]): java.util.List[InFile] =
      members
        .map: member =>
          val inside = if member.name.isEmpty then path else path :+ member.name
          field(member.name, member.shape, member.dimensions, inside)
        .asJava

    private def field(
        name: String,
        shape: Shape,
        dimensions: List[Int],
        path: List[String]
    ): InFile = shape match
      case Shape.Primitive(stored, cases, _) =>
        InFile.Leaf(name, place(next.next()), typeOf(stored, cases, path, dimensions))
      case Shape.Record(inner, parts) =>
        InFile.Record(name, inner, fields(parts, path), kinds.get(path).toJava)
      case Shape.Union(inner, parts) => InFile.Union(name, inner, fields(parts, path))

    private def place(leaf: Shape.Leaf): Int = kind match
      case Table.Kind.Aligned  => leaf.aligned
      case Table.Kind.Packed   => leaf.packed
      case Table.Kind.Columnar => leaf.column

    /** The type of a value. An array has the logical type of its path at its elements. */
    private def typeOf(
        stored: Shape.Kind,
        cases: List[String],
        path: List[String],
        dimensions: List[Int]
    ): Type =
      def meant(stored: Type): Type =
        kinds.get(path).fold(stored)(kind => Type.Logical(stored, kind))
      stored match
        case Shape.Kind.Elements(of, n)   => array(meant(physical(of, cases, path)), n, dimensions)
        case Shape.Kind.Structs(shape, n) => array(meant(inPlace(shape, path)), n, dimensions)
        case other                        => meant(physical(other, cases, path))

    private def physical(stored: Shape.Kind, cases: List[String], path: List[String]): Type =
      stored match
        case Shape.Kind.Text(bytes)   => Type.Text(bytes)
        case Shape.Kind.Ordinal(of)   => Type.Ordinal(primitive(of), cases.asJava)
        case Shape.Kind.BigEndian(of) => Type.BigEndian(physical(of, cases, path))
        case Shape.Kind.Union(members) =>
          inPlace(Shape.Record("", List(Shape.Field("", Shape.Union("", members)))), path)
        case Shape.Kind.Elements(of, n)   => Type.Elements(physical(of, cases, path), n)
        case Shape.Kind.Structs(shape, n) => Type.Elements(inPlace(shape, path), n)
        case other if cases.nonEmpty      => Type.Ordinal(primitive(other), cases.asJava)
        case other if other.isOutOfLine && isInMemory => OutOfLine
        case other                                    => primitive(other)

    /** An array type with `count` elements in all dimensions together. */
    private def array(of: Type, count: Int, dimensions: List[Int]): Type =
      if dimensions.isEmpty then Type.Elements(of, count)
      else dimensions.foldRight(of)((size, inner) => Type.Elements(inner, size))

    /** A struct that is stored as one value; columnar tables use its C ABI layout. */
    private def inPlace(shape: Shape, path: List[String]): Type =
      val packed = kind == Table.Kind.Packed
      val parts = shape match
        case Shape.Record(_, fields) => fields
        case other                   => List(Shape.Field("value", other))
      val inner = if packed then Table.Kind.Packed else Table.Kind.Aligned
      val size = if packed then shape.packedSize else shape.alignedSize
      Type.Struct(
        shape.name,
        size,
        Places(shape.leaves, inner, kinds, isInMemory).fields(parts, path)
      )

    private def primitive(stored: Shape.Kind): Type.Primitive = stored match
      case Shape.Kind.Boolean => Type.Primitive.BOOLEAN
      case Shape.Kind.Byte    => Type.Primitive.BYTE
      case Shape.Kind.Short   => Type.Primitive.SHORT
      case Shape.Kind.Char    => Type.Primitive.CHAR
      case Shape.Kind.Int     => Type.Primitive.INT
      case Shape.Kind.Long    => Type.Primitive.LONG
      case Shape.Kind.Float   => Type.Primitive.FLOAT
      case Shape.Kind.Double  => Type.Primitive.DOUBLE
      case other              => throw IllegalArgumentException(s"a file cannot hold a $other")
  end Places
end FileSchemas
