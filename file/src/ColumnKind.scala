package undercroft.file

import scala.jdk.CollectionConverters.*
import undercroft.file.format.{Field, LogicalKind, Schema, Type}
import undercroft.struct.Struct

/** A field of a row, in the terms of columnar systems such as Arrow, DuckDB and Spark. Offsets are
  * schema offsets; sizes are in bytes.
  */
private[undercroft] enum ColumnKind derives CanEqual:
  def name: String

  /** The offsets of all leaf values. */
  def offsets: Vector[Int] = this match
    case Value(_, offset, _, _, _)     => Vector(offset)
    case Enumerated(_, offset, _, _)   => Vector(offset)
    case Text(_, offset, _)            => Vector(offset)
    case Elements(_, offset, _, _)     => Vector(offset)
    case Items(_, offset, _, _, _)     => Vector(offset)
    case Opaque(_, offset, _)          => Vector(offset)
    case Record(_, fields)             => fields.flatMap(_.offsets)
    case Optional(_, isDefined, value) => isDefined +: value.offsets
    case OneOf(_, tag, members)        => tag.offset +: members.flatMap(_.offsets)
    case Logical(_, _, of)             => of.offsets
    case OutOfLine(_, offset, _)       => Vector(offset)

  /** A number or a Boolean of 1, 2, 4 or 8 bytes. */
  case Value(
      name: String,
      offset: Int,
      kind: Type.Primitive,
      isUnsigned: Boolean,
      isBigEndian: Boolean
  )

  /** The unsigned number of an enum case. */
  case Enumerated(name: String, offset: Int, size: Int, cases: Vector[String])

  /** UTF-8, padded with zeros. */
  case Text(name: String, offset: Int, size: Int)

  /** An array of numbers or Booleans, with the sizes of its dimensions, outermost first. */
  case Elements(name: String, offset: Int, kind: Type.Primitive, dimensions: Vector[Int])

  /** An array of structs, Options, texts, enums or values with a meaning, with the sizes of its
    * dimensions, outermost first. Each item has `itemBytes` bytes; the offsets of `item` begin at
    * the start of an item.
    */
  case Items(
      name: String,
      offset: Int,
      dimensions: Vector[Int],
      itemBytes: Int,
      item: ColumnKind
  )

  /** Bytes of a type that has no equivalent in other systems. */
  case Opaque(name: String, offset: Int, size: Int)

  case Record(name: String, fields: Vector[ColumnKind])

  /** A value that is present if the byte at `isDefined` is not 0. */
  case Optional(name: String, isDefined: Int, value: ColumnKind)

  /** A Value or a Record that has a meaning. */
  case Logical(name: String, kind: LogicalKind, of: ColumnKind)

  /** A tagged union: the tag is the index of the active member. */
  case OneOf(name: String, tag: Enumerated, members: Vector[Record])

  /** A value of any length out of line: its address and its number of bytes, two Longs. Only tables
    * in memory have such fields.
    */
  case OutOfLine(name: String, offset: Int, content: OutOfLineContent)
end ColumnKind

/** The content of a field out of line. */
private[undercroft] enum OutOfLineContent derives CanEqual:
  /** UTF-8 without NUL. */
  case Text
  case Bytes

  /** Packed structs, after a word with the fingerprint of their layout.
    *
    * @param item
    *   a struct, whose offsets begin at its start
    */
  case Run(struct: Struct[?], item: ColumnKind)
end OutOfLineContent

/** Lets Java enums be compared under strict equality. */
private[undercroft] given CanEqual[Type.Primitive, Type.Primitive] = CanEqual.derived

private[undercroft] object ColumnKind:

  /** The columns of a schema. */
  def all(schema: Schema): Vector[ColumnKind] = Columns(Map()).of(schema.fields, Nil)

  /** The columns of a schema of rows in memory.
    *
    * @param outOfLine
    *   the contents of the fields out of line by their paths in the schema
    */
  def all(
      schema: Schema,
      outOfLine: Map[List[String], OutOfLineContent]
  ): Vector[ColumnKind] = Columns(outOfLine).of(schema.fields, Nil)

  /** The name of the items of an array, as in Arrow. */
  val ItemName = "item"

  private final class Columns(outOfLine: Map[List[String], OutOfLineContent]):

    def of(fields: java.util.List[Field], path: List[String]): Vector[ColumnKind] =
      fields.asScala.toVector.map: field =>
        column(field, if field.name.isEmpty then path else path :+ field.name)

    private def column(field: Field, path: List[String]): ColumnKind = field match
      case leaf: Field.Leaf =>
        val stored = value(leaf, leaf.`type`.physical, path)
        leaf.`type` match
          case logical: Type.Logical => Logical(leaf.name, logical.kind, stored)
          case _                     => stored
      case union: Field.Union => Record(union.name, of(union.members, path))
      case record: Field.Record =>
        record.fields.asScala.toList match
          case List(there: Field.Leaf, value) if isOption(record) =>
            Optional(record.name, there.offset, column(value, path :+ value.name))
          case List(tag: Field.Leaf, union: Field.Union) if union.name.isEmpty =>
            val members = of(union.members, path).collect { case record: Record => record }
            val number = new Enumerated(tag.name, tag.offset, tag.`type`.size, members.map(_.name))
            OneOf(record.name, number, members)
          case _ =>
            val stored = Record(record.name, of(record.fields, path))
            if record.kind.isPresent then Logical(record.name, record.kind.get.nn, stored)
            else stored

    private def isOutOfLine(stored: Type, path: List[String]): Boolean = stored match
      case _: Type.Struct => outOfLine.contains(path)
      case _              => false

    private def value(leaf: Field.Leaf, of: Type, path: List[String]): ColumnKind =
      val (name, offset) = (leaf.name, leaf.offset)
      of match
        case _ if isOutOfLine(of, path) => OutOfLine(name, offset, outOfLine(path))
        case number: Type.Ordinal if !number.cases.isEmpty =>
          Enumerated(name, offset, number.size, number.cases.asScala.toVector)
        case number: Type.Ordinal => Value(name, offset, number.of, true, false)
        case kind: Type.Primitive =>
          Value(name, offset, kind, kind == Type.Primitive.CHAR, false)
        case text: Type.Text => Text(name, offset, text.size)
        case turned: Type.BigEndian =>
          turned.of match
            case kind: Type.Primitive =>
              Value(name, offset, kind, kind == Type.Primitive.CHAR, true)
            case number: Type.Ordinal => Value(name, offset, number.of, true, true)
            case other                => Opaque(name, offset, other.size)
        case array: Type.Elements =>
          val (element, dimensions) = elements(array)
          def items(item: Field): ColumnKind =
            Items(name, offset, dimensions, element.size, column(item, path))
          element match
            case kind: Type.Primitive => Elements(name, offset, kind, dimensions)
            case number: Type.Ordinal if number.cases.isEmpty && hasSign(number) =>
              Elements(name, offset, number.of, dimensions)
            case stored if isOutOfLine(stored, path) =>
              Items(name, offset, dimensions, stored.size, OutOfLine(ItemName, 0, outOfLine(path)))
            case struct: Type.Struct if !isUnion(struct) =>
              items(Field.Record(ItemName, struct.name, struct.fields))
            case logical: Type.Logical =>
              logical.of match
                case pair: Type.Struct =>
                  val kind = java.util.Optional.of(logical.kind).nn
                  items(Field.Record(ItemName, pair.name, pair.fields, kind))
                case _ => items(Field.Leaf(ItemName, 0, logical))
            case _: (Type.Text | Type.Ordinal | Type.BigEndian) =>
              items(Field.Leaf(ItemName, 0, element))
            case _ => Opaque(name, offset, array.size)
        case other => Opaque(name, offset, other.size)
      end match
    end value
  end Columns

  private def isOption(record: Field.Record): Boolean =
    record.typeName.equals("Option") && record.fields.get(0).name.equals("isDefined")

  /** A column without its meaning, which another system reads if it has no such type. */
  def physical(column: ColumnKind): ColumnKind = column match
    case Logical(_, _, of) => of
    case other             => other

  /** Copies a column under another name. */
  def named(column: ColumnKind, name: String): ColumnKind = column match
    case value: Value           => value.copy(name = name)
    case enumerated: Enumerated => enumerated.copy(name = name)
    case text: Text             => text.copy(name = name)
    case elements: Elements     => elements.copy(name = name)
    case opaque: Opaque         => opaque.copy(name = name)
    case items: Items           => items.copy(name = name)
    case record: Record         => record.copy(name = name)
    case optional: Optional     => optional.copy(name = name)
    case variants: OneOf        => variants.copy(name = name)
    case elsewhere: OutOfLine   => elsewhere.copy(name = name)
    case Logical(_, kind, of)   => Logical(name, kind, named(of, name))

  private def isUnion(struct: Type.Struct): Boolean = struct.fields.asScala.toList match
    case List(_: Field.Union) => true
    case _                    => false

  /** The innermost element type of an array, and the sizes of its dimensions. Other systems ignore
    * the name of a user's type.
    */
  private def elements(array: Type.Elements): (Type, Vector[Int]) = array.of match
    case logical: Type.Logical if !isMeaning(logical) =>
      elements(Type.Elements(logical.of, array.count))
    case inner: Type.Elements =>
      val (element, dimensions) = elements(inner)
      (element, array.count +: dimensions)
    case element => (element, Vector(array.count))

  private def isMeaning(logical: Type.Logical): Boolean = (logical.kind, logical.of) match
    case (_: LogicalKind.Named, _) | (_, _: Type.Elements) => false
    case _                                                 => true

  /** Whether all case numbers are non-negative as signed integers. */
  private def hasSign(number: Type.Ordinal): Boolean =
    number.cases.size <= (1L << 8 * number.size - 1)
end ColumnKind
