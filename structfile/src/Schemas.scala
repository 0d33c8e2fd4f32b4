package undercroft.structfile

import java.nio.ByteOrder
import scala.jdk.CollectionConverters.*
import undercroft.file.{Field as InFile, Layout as FileLayout, Schema, Type}
import undercroft.struct.{Field, Kind, Leaf, Shape, Struct, Table}

/** Schemas of files, made of what Structs know of their types. */
private[structfile] object Schemas:

  def of(struct: Struct[?], kind: Table.Kind): Schema =
    val (name, fields) = struct.shape match
      case Shape.Record(name, fields) => (name, fields)
      case other                      => (other.name, List(Field("value", other)))
    Schema(
      name,
      layout(kind),
      ByteOrder.nativeOrder,
      kind.bytesPerRow(struct),
      Places(struct.leaves, kind).fields(fields)
    )

  private def layout(kind: Table.Kind): FileLayout = kind match
    case Table.Kind.Aligned  => FileLayout.ALIGNED
    case Table.Kind.Packed   => FileLayout.PACKED
    case Table.Kind.Columnar => FileLayout.COLUMNS

  /** The fields of a struct, whose leaves are where a layout has them. */
  private final class Places(leaves: List[Leaf], kind: Table.Kind):
    private val next = leaves.iterator

    def fields(all: List[Field]): java.util.List[InFile] =
      all.map(one => field(one.name, one.shape)).asJava

    private def field(name: String, shape: Shape): InFile = shape match
      case Shape.Primitive(stored, cases) =>
        InFile.Leaf(name, place(next.next()), typeOf(stored, cases))
      case Shape.Record(inner, parts) => InFile.Record(name, inner, fields(parts))
      case Shape.Union(inner, parts)  => InFile.Union(name, inner, fields(parts))

    private def place(leaf: Leaf): Int = kind match
      case Table.Kind.Aligned  => leaf.aligned
      case Table.Kind.Packed   => leaf.packed
      case Table.Kind.Columnar => leaf.column

    private def typeOf(stored: Kind, cases: List[String]): Type = stored match
      case Kind.Text(bytes)     => Type.Text(bytes)
      case Kind.Elements(of, n) => Type.Elements(typeOf(of, cases), n)
      case Kind.Ordinal(of)     => Type.Ordinal(primitive(of), cases.asJava)
      case Kind.BigEndian(of)   => Type.BigEndian(typeOf(of, cases))
      case Kind.Union(members) =>
        inPlace(Shape.Record("", List(Field("", Shape.Union("", members)))))
      case Kind.Structs(shape, n)  => Type.Elements(inPlace(shape), n)
      case other if cases.nonEmpty => Type.Ordinal(primitive(other), cases.asJava)
      case other                   => primitive(other)

    /** A struct in one place: in columns as the C ABI has it. */
    private def inPlace(shape: Shape): Type =
      val packed = kind == Table.Kind.Packed
      val parts = shape match
        case Shape.Record(_, fields) => fields
        case other                   => List(Field("value", other))
      val inner = if packed then Table.Kind.Packed else Table.Kind.Aligned
      val size = if packed then shape.packedSize else shape.alignedSize
      Type.Struct(shape.name, size, Places(shape.leaves, inner).fields(parts))

    private def primitive(stored: Kind): Type.Primitive = stored match
      case Kind.Boolean => Type.Primitive.BOOLEAN
      case Kind.Byte    => Type.Primitive.BYTE
      case Kind.Short   => Type.Primitive.SHORT
      case Kind.Char    => Type.Primitive.CHAR
      case Kind.Int     => Type.Primitive.INT
      case Kind.Long    => Type.Primitive.LONG
      case Kind.Float   => Type.Primitive.FLOAT
      case Kind.Double  => Type.Primitive.DOUBLE
      case other        => throw IllegalArgumentException(s"a file cannot hold a $other")
  end Places
end Schemas
