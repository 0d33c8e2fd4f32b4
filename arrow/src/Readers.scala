package undercroft.arrow

import undercroft.file.Type
import undercroft.structfile.{Column, given}

/** Finds the reader of each column of a table among the fields of a batch. */
private[arrow] final class Readers(input: Input, content: Content, head: Head):

  /** The readers of columns; `rows` is what each of their fields has to have. */
  def all(
      columns: Vector[Column],
      fields: Vector[Located],
      rows: Long,
      around: String
  ): Vector[Reader] = columns.map(one(_, fields, rows, around))

  private def one(column: Column, fields: Vector[Located], rows: Long, around: String): Reader =
    val path = if around.isEmpty then column.name else s"$around.${column.name}"
    val found = fields.filter(_.field.name.equals(column.name)) match
      case Vector(one) => one
      case Vector()    => throw differs(s"there is no `$path`")
      case several     => throw differs(s"there are ${several.size} fields called `$path`")
    if found.rows != rows then
      throw input.damaged(head.at, s"`$path` has ${found.rows} rows, and there are $rows")
    column match
      case Column.Optional(_, isDefined, value) =>
        val inner = value match
          case nested: Column.Optional => all(Vector(nested), found.children, rows, path).head
          case other                   => plain(other, found, path)
        Reader.Optional(Bitmap.of(input, found), isDefined, inner)
      case other => Reader.Required(input, path, Bitmap.of(input, found), plain(other, found, path))

  /** The reader of what is there. */
  private def plain(column: Column, found: Located, path: String): Reader =
    (column, found.field.tpe) match
      case (number: Column.Enumerated, _)             => enumerated(number, found, path)
      case (_, _) if found.field.dictionary.isDefined => throw wrong(column, found, path)
      case (value: Column.Value, tpe) if matches(value.kind, value.isUnsigned, tpe) =>
        if value.kind == Type.Primitive.BOOLEAN then
          Reader.Bits(input, sized(found, 1, Math.ceilDiv(found.rows, 8L)), value.offset, 1)
        else
          val bytes = sized(found, 1, times(found.rows, value.kind.size))
          Reader.Numbers(input, bytes, value.offset, value.kind.size, value.isBigEndian)
      case (Column.Text(_, offset, size), InType.Utf8(_) | InType.Utf8View) =>
        Reader.Text(input, path, Texts.of(input, found), offset, size)
      case (Column.Opaque(_, offset, size), InType.Bytes(bytes)) if bytes == size =>
        Reader.Numbers(input, sized(found, 1, times(found.rows, size)), offset, size, false)
      case (elements: Column.Elements, InType.Array(_)) =>
        this.elements(elements, found, path)
      case (Column.Record(_, fields), InType.Struct) =>
        Reader.Record(all(fields, found.children, found.rows, path))
      case (one: Column.OneOf, InType.Struct) => oneOf(one, found, path)
      case _                                  => throw wrong(column, found, path)

  private def matches(kind: Type.Primitive, unsigned: Boolean, tpe: InType): Boolean = tpe match
    case InType.Bool => kind == Type.Primitive.BOOLEAN
    case InType.Real(bits) =>
      (kind == Type.Primitive.FLOAT && bits == 32) || (kind == Type.Primitive.DOUBLE && bits == 64)
    case InType.Number(bits, signed) =>
      val isReal = kind == Type.Primitive.FLOAT || kind == Type.Primitive.DOUBLE
      !isReal && kind != Type.Primitive.BOOLEAN && bits == 8 * kind.size && signed == !unsigned
    case _ => false

  private def enumerated(column: Column.Enumerated, found: Located, path: String): Reader.Cases =
    found.field.dictionary match
      case None => throw wrong(column, found, path)
      case Some((id, index)) =>
        val values = content
          .values(id)(Dictionary.values(input, found.field, _, path))
          .getOrElse(throw input.damaged(head.at, s"there is no dictionary $id, of `$path`"))
        val size = index.bits / 8
        val bytes = sized(found, 1, times(found.rows, size))
        Reader.Cases(input, path, bytes, index, values, column)

  private def elements(column: Column.Elements, found: Located, path: String): Reader =
    val child = (found.field.tpe, found.children) match
      case (InType.Array(size), Vector(one)) if size == column.count => one
      case _ => throw wrong(column, found, path)
    val all = times(found.rows, column.count)
    if child.rows < all then
      throw input.damaged(head.at, s"`$path` has ${child.rows} elements in ${found.rows} rows")
    val isSame = matches(column.kind, column.kind == Type.Primitive.CHAR, child.field.tpe)
    if !isSame || child.nulls > 0 || child.field.dictionary.isDefined then
      throw wrong(column, child, path)
    if column.kind == Type.Primitive.BOOLEAN then
      Reader.Bits(input, sized(child, 1, Math.ceilDiv(all, 8L)), column.offset, column.count)
    else
      val bytes = sized(child, 1, times(all, column.kind.size))
      Reader.Numbers(input, bytes, column.offset, column.kind.size * column.count, false)
  end elements

  private def oneOf(column: Column.OneOf, found: Located, path: String): Reader =
    val tag = found.children.filter(_.field.name.equals(column.tag.name)) match
      case Vector(one) if one.rows == found.rows && one.nulls == 0 =>
        enumerated(column.tag, one, s"$path.${column.tag.name}")
      case _ => throw differs(s"there is no whole `$path.${column.tag.name}`")
    val members =
      for member <- column.members yield Option.when(member.fields.nonEmpty):
        val place = found.children.filter(_.field.name.equals(member.name)) match
          case Vector(one) if one.rows == found.rows => one
          case _ => throw differs(s"there is no `$path.${member.name}`")
        (Bitmap.of(input, place), plain(member, place, s"$path.${member.name}"))
    Reader.OneOf(input, path, tag, members)

  /** A buffer that has to hold so many bytes. */
  private def sized(found: Located, index: Int, needed: Long): Extent =
    val buffer = found.buffers(index)
    if buffer.bytes < needed then
      throw input.damaged(
        buffer.at,
        s"`${found.field.name}` has ${buffer.bytes} bytes for ${found.rows} rows, which need $needed"
      )
    buffer

  private def times(rows: Long, size: Int): Long =
    try Math.multiplyExact(rows, size.toLong)
    catch case _: ArithmeticException => throw input.damaged(head.at, s"$rows rows of $size bytes")

  private def wrong(column: Column, found: Located, path: String): ArrowException =
    differs(s"`$path` is ${found.field.show}, and not ${Readers.show(column)}")

  private def differs(reason: String): ArrowException =
    input.fault(head.at, ArrowFault.WrongSchema, reason)
end Readers

private[arrow] object Readers:
  /** What a column is in a file. */
  def show(column: Column): String = column match
    case Column.Value(_, _, kind, unsigned, _)       => value(kind, unsigned)
    case Column.Enumerated(_, _, _, _)               => "dictionary of text"
    case Column.Text(_, _, _)                        => "text"
    case Column.Opaque(_, _, size)                   => s"$size bytes"
    case Column.Elements(_, _, kind, count)          => s"list of $count of ${value(kind, false)}"
    case Column.Record(_, _) | Column.OneOf(_, _, _) => "struct"
    case Column.Optional(_, _, value)                => show(value)

  private def value(kind: Type.Primitive, unsigned: Boolean): String = kind match
    case Type.Primitive.BOOLEAN                       => "bool"
    case Type.Primitive.FLOAT | Type.Primitive.DOUBLE => s"float${kind.size * 8}"
    case Type.Primitive.CHAR                          => "uint16"
    case other => InType.Number(other.size * 8, !unsigned).show
end Readers
