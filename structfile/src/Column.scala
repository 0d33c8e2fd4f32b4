package undercroft.structfile

import scala.jdk.CollectionConverters.*
import undercroft.file.{Field, Schema, Type}

/** What a field of a row is to other systems, which have columns. Offsets are the schema's, sizes
  * are in bytes.
  */
private[undercroft] enum Column derives CanEqual:
  def name: String

  /** A number or a Boolean, of 1, 2, 4 or 8 bytes. */
  case Value(
      name: String,
      offset: Int,
      kind: Type.Primitive,
      isUnsigned: Boolean,
      isBigEndian: Boolean
  )

  /** The number of a case, without a sign. */
  case Enumerated(name: String, offset: Int, size: Int, cases: Vector[String])

  /** UTF-8, filled up with zeros. */
  case Text(name: String, offset: Int, size: Int)

  /** An array of numbers or Booleans, of several dimensions all of them. */
  case Elements(name: String, offset: Int, kind: Type.Primitive, count: Int)

  /** What has no type elsewhere: its bytes. */
  case Opaque(name: String, offset: Int, size: Int)

  case Record(name: String, fields: Vector[Column])

  /** A value that is there if the byte at `isDefined` is not 0. */
  case Optional(name: String, isDefined: Int, value: Column)

  /** A record of which the member is there whose number the tag is. */
  case OneOf(name: String, tag: Enumerated, members: Vector[Record])
end Column

/** Lets enums of Java be compared under strict equality. */
private[undercroft] given CanEqual[Type.Primitive, Type.Primitive] = CanEqual.derived

private[undercroft] object Column:

  /** The columns of a schema. */
  def all(schema: Schema): Vector[Column] = columns(schema.fields)

  private def columns(fields: java.util.List[Field]): Vector[Column] =
    fields.asScala.toVector.map(column)

  private def column(field: Field): Column = field match
    case leaf: Field.Leaf   => value(leaf, leaf.`type`)
    case union: Field.Union => Record(union.name, columns(union.members))
    case record: Field.Record =>
      record.fields.asScala.toList match
        case List(there: Field.Leaf, of) if isOption(record) =>
          Optional(record.name, there.offset, column(of))
        case List(tag: Field.Leaf, union: Field.Union) if union.name.isEmpty =>
          val members = columns(union.members).collect { case one: Record => one }
          val number = new Enumerated(tag.name, tag.offset, tag.`type`.size, members.map(_.name))
          OneOf(record.name, number, members)
        case _ => Record(record.name, columns(record.fields))

  private def isOption(record: Field.Record): Boolean =
    record.typeName.equals("Option") && record.fields.get(0).name.equals("isDefined")

  private def value(leaf: Field.Leaf, of: Type): Column =
    val (name, offset) = (leaf.name, leaf.offset)
    of match
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
        array.of match
          case kind: Type.Primitive => Elements(name, offset, kind, array.count)
          case number: Type.Ordinal if hasSign(number) =>
            Elements(name, offset, number.of, array.count)
          case _ => Opaque(name, offset, array.size)
      case other => Opaque(name, offset, other.size)
    end match
  end value

  /** Whether numbers with a sign are as good for all cases. */
  private def hasSign(number: Type.Ordinal): Boolean =
    number.cases.size <= (1L << 8 * number.size - 1)
end Column
