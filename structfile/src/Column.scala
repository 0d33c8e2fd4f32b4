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

  /** The columns of a schema. The names of cases are by the path of the number; where there are
    * none the column is the number.
    */
  def all(schema: Schema, names: Map[String, Vector[String]]): Vector[Column] =
    columns(schema.fields, "", names)

  private def columns(
      fields: java.util.List[Field],
      path: String,
      names: Map[String, Vector[String]]
  ): Vector[Column] = fields.asScala.toVector.map(column(_, path, names))

  private def column(field: Field, around: String, names: Map[String, Vector[String]]): Column =
    val path = if around.isEmpty || field.name.isEmpty then around + field.name
    else s"$around.${field.name}"
    field match
      case leaf: Field.Leaf   => value(leaf, leaf.`type`, names.get(path))
      case union: Field.Union => Record(union.name, columns(union.members, path, names))
      case record: Field.Record =>
        record.fields.asScala.toList match
          case List(there: Field.Leaf, of) if isOption(record) =>
            Optional(record.name, there.offset, column(of, path, names))
          case List(tag: Field.Leaf, union: Field.Union) if union.name.isEmpty =>
            val members = columns(union.members, path, names).collect { case one: Record => one }
            val number =
              new Enumerated(tag.name, tag.offset, tag.`type`.size, members.map(_.name))
            OneOf(record.name, number, members)
          case _ => Record(record.name, columns(record.fields, path, names))

  private def isOption(record: Field.Record): Boolean =
    record.typeName.equals("Option") && record.fields.get(0).name.equals("isDefined")

  private def value(leaf: Field.Leaf, of: Type, cases: Option[Vector[String]]): Column =
    val (name, offset) = (leaf.name, leaf.offset)
    (of, cases) match
      case (number: (Type.Primitive | Type.Ordinal), Some(names)) =>
        Enumerated(name, offset, number.size, names)
      case (kind: Type.Primitive, None) =>
        Value(name, offset, kind, kind == Type.Primitive.CHAR, false)
      case (number: Type.Ordinal, None) => Value(name, offset, number.of, true, false)
      case (text: Type.Text, _)         => Text(name, offset, text.size)
      case (turned: Type.BigEndian, _) =>
        turned.of match
          case kind: Type.Primitive =>
            Value(name, offset, kind, kind == Type.Primitive.CHAR, true)
          case number: Type.Ordinal => Value(name, offset, number.of, true, true)
          case other                => Opaque(name, offset, other.size)
      case (array: Type.Elements, _) =>
        array.of match
          case kind: Type.Primitive => Elements(name, offset, kind, array.count)
          case _                    => Opaque(name, offset, array.size)
      case (other, _) => Opaque(name, offset, other.size)
  end value
end Column
