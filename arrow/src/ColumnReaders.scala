package undercroft.arrow

import undercroft.file.format.Type
import undercroft.file.{ColumnKind, given}

/** Finds the reader of each column of a table among the fields of a batch. */
private[arrow] final class ColumnReaders(input: FileInput, content: FileContent, head: BatchHeader):

  /** The readers of columns; `rows` is the row count that each field must have. */
  def all(
      columns: Vector[ColumnKind],
      fields: Vector[FieldBuffers],
      rows: Long,
      around: String
  ): Vector[ColumnReader] = columns.map(one(_, fields, rows, around))

  private def one(
      column: ColumnKind,
      fields: Vector[FieldBuffers],
      rows: Long,
      around: String
  ): ColumnReader =
    val path = if around.isEmpty then column.name else s"$around.${column.name}"
    val node = fields.filter(_.field.name.equals(column.name)) match
      case Vector(single) => single
      case Vector()       => throw differs(s"there is no `$path`")
      case several        => throw differs(s"there are ${several.size} fields called `$path`")
    if node.rows != rows then
      throw input.corrupt(head.at, s"`$path` must have $rows rows, but has ${node.rows}")
    column match
      case ColumnKind.Optional(_, isDefined, value) =>
        val inner = value match
          case nested: ColumnKind.Optional => all(Vector(nested), node.children, rows, path).head
          case single                      => plain(single, node, path)
        ColumnReader.Optional(ValidityBitmap.of(input, node), isDefined, inner)
      case required => ColumnReader.Required(
          input,
          path,
          ValidityBitmap.of(input, node),
          plain(required, node, path)
        )
  end one

  /** The reader of the values of a field, ignoring its own nulls. */
  private def plain(column: ColumnKind, node: FieldBuffers, path: String): ColumnReader =
    (column, node.field.tpe) match
      case (number: ColumnKind.Enumerated, _)        => enumerated(number, node, path)
      case (_, _) if node.field.dictionary.isDefined => throw wrong(column, node, path)
      case (value: ColumnKind.Value, tpe) if matches(value.kind, value.isUnsigned, tpe) =>
        if value.kind == Type.Primitive.BOOLEAN then
          ColumnReader.Bits(input, sized(node, 1, Math.ceilDiv(node.rows, 8L)), value.offset, 1)
        else
          val bytes = sized(node, 1, times(node.rows, value.kind.size))
          ColumnReader.Numbers(input, bytes, value.offset, value.kind.size, value.isBigEndian)
      case (value: ColumnKind.Value, tpe: ArrowType.Number) if isWider(value, tpe) =>
        val size = tpe.bits / 8
        val bytes = sized(node, 1, times(node.rows, size))
        ColumnReader.Widened(input, bytes, value.offset, size, value.kind.size, tpe.signed)
      case (
            ColumnKind.Elements(_, offset, Type.Primitive.BYTE, Vector(count)),
            ArrowType.Bytes(size)
          )
          if size == count =>
        ColumnReader.Numbers(input, sized(node, 1, times(node.rows, size)), offset, size, false)
      case (ColumnKind.Text(_, offset, size), ArrowType.Utf8(_) | ArrowType.Utf8View) =>
        ColumnReader.Text(input, path, TextBuffers.of(input, node), offset, size)
      case (ColumnKind.Opaque(_, offset, size), ArrowType.Bytes(bytes)) if bytes == size =>
        ColumnReader.Numbers(input, sized(node, 1, times(node.rows, size)), offset, size, false)
      case (elements: ColumnKind.Elements, ArrowType.Array(_)) =>
        this.elements(elements, node, path)
      case (ColumnKind.Record(_, fields), ArrowType.Struct) =>
        ColumnReader.Record(all(fields, node.children, node.rows, path))
      case (variants: ColumnKind.OneOf, ArrowType.Struct) => oneOf(variants, node, path)
      case _                                              => throw wrong(column, node, path)

  private def matches(kind: Type.Primitive, unsigned: Boolean, tpe: ArrowType): Boolean = tpe match
    case ArrowType.Bool => kind == Type.Primitive.BOOLEAN
    case ArrowType.Real(bits) =>
      (kind == Type.Primitive.FLOAT && bits == 32) || (kind == Type.Primitive.DOUBLE && bits == 64)
    case ArrowType.Number(bits, signed) =>
      val isReal = kind == Type.Primitive.FLOAT || kind == Type.Primitive.DOUBLE
      !isReal && kind != Type.Primitive.BOOLEAN && bits == 8 * kind.size && signed == !unsigned
    case _ => false

  /** Whether a signed integer field has room for all values of an integer type of fewer bits. */
  private def isWider(value: ColumnKind.Value, tpe: ArrowType.Number): Boolean =
    val isInteger = value.kind match
      case Type.Primitive.SHORT | Type.Primitive.INT | Type.Primitive.LONG => true
      case _                                                               => false
    // A forged file has any number of bits.
    val isNarrower = Seq(8, 16, 32).contains(tpe.bits) && tpe.bits < 8 * value.kind.size
    isInteger && isNarrower && !value.isUnsigned && !value.isBigEndian

  private def enumerated(
      column: ColumnKind.Enumerated,
      node: FieldBuffers,
      path: String
  ): ColumnReader.Cases =
    node.field.dictionary match
      case None => throw wrong(column, node, path)
      case Some((id, index)) =>
        val values = content
          .values(id)(Dictionary.values(input, node.field, _, path))
          .getOrElse(throw input.corrupt(head.at, s"dictionary $id of `$path` is missing"))
        val size = index.bits / 8
        val bytes = sized(node, 1, times(node.rows, size))
        ColumnReader.Cases(input, path, bytes, index, values, column)

  private def elements(
      column: ColumnKind.Elements,
      node: FieldBuffers,
      path: String
  ): ColumnReader =
    val count = column.dimensions.product
    val valueCount = times(node.rows, count)
    var needed = node.rows
    val child = column.dimensions.foldLeft(node): (outer, size) =>
      needed *= size
      (outer.field.tpe, outer.children) match
        case (ArrowType.Array(`size`), Vector(inner)) =>
          if inner.rows < needed then
            throw input.corrupt(
              head.at,
              s"`$path` must have $needed elements, but has ${inner.rows}"
            )
          if inner.nulls > 0 then throw wrong(column, node, path)
          inner
        case _ => throw wrong(column, node, path)
    val isSame = matches(column.kind, column.kind == Type.Primitive.CHAR, child.field.tpe)
    if !isSame || child.nulls > 0 || child.field.dictionary.isDefined then
      throw wrong(column, child, path)
    if column.kind == Type.Primitive.BOOLEAN then
      ColumnReader.Bits(input, sized(child, 1, Math.ceilDiv(valueCount, 8L)), column.offset, count)
    else
      val bytes = sized(child, 1, times(valueCount, column.kind.size))
      ColumnReader.Numbers(input, bytes, column.offset, column.kind.size * count, false)
  end elements

  private def oneOf(column: ColumnKind.OneOf, node: FieldBuffers, path: String): ColumnReader =
    val tag = node.children.filter(_.field.name.equals(column.tag.name)) match
      case Vector(child) if child.rows == node.rows && child.nulls == 0 =>
        enumerated(column.tag, child, s"$path.${column.tag.name}")
      case _ =>
        throw differs(s"`$path.${column.tag.name}` is missing, contains nulls or lacks rows")
    val members =
      for member <- column.members yield Option.when(member.fields.nonEmpty):
        val place = node.children.filter(_.field.name.equals(member.name)) match
          case Vector(child) if child.rows == node.rows => child
          case _ => throw differs(s"`$path.${member.name}` is missing or lacks rows")
        (ValidityBitmap.of(input, place), plain(member, place, s"$path.${member.name}"))
    ColumnReader.OneOf(input, path, tag, members)

  /** Returns a buffer; throws if it has fewer than `needed` bytes. */
  private def sized(node: FieldBuffers, index: Int, needed: Long): FileRange =
    val buffer = node.buffers(index)
    if buffer.bytes < needed then
      throw input.corrupt(
        buffer.at,
        s"`${node.field.name}` has ${buffer.bytes} bytes for ${node.rows} rows, which need $needed"
      )
    buffer

  private def times(rows: Long, size: Int): Long =
    try Math.multiplyExact(rows, size.toLong)
    catch
      case _: ArithmeticException =>
        throw input.corrupt(head.at, s"$rows rows of $size bytes exceed ${Long.MaxValue} bytes")

  private def wrong(column: ColumnKind, node: FieldBuffers, path: String): ArrowException =
    differs(s"`$path` must be ${ColumnReaders.show(column)}, but is ${node.field.show}")

  private def differs(reason: String): ArrowException =
    input.error(head.at, ArrowErrorKind.WrongSchema, reason)
end ColumnReaders

private[arrow] object ColumnReaders:
  /** The Arrow type of a column, for error messages. */
  def show(column: ColumnKind): String = column match
    case ColumnKind.Value(_, _, kind, unsigned, _) => value(kind, unsigned)
    case ColumnKind.Enumerated(_, _, _, _)         => "dictionary of text"
    case ColumnKind.Text(_, _, _)                  => "text"
    case ColumnKind.Opaque(_, _, size)             => s"$size bytes"
    case ColumnKind.Elements(_, _, kind, dimensions) =>
      dimensions.map(size => s"list of $size of ").mkString + value(kind, false)
    case ColumnKind.Record(_, _) | ColumnKind.OneOf(_, _, _) => "struct"
    case ColumnKind.Optional(_, _, value)                    => show(value)

  private def value(kind: Type.Primitive, unsigned: Boolean): String = kind match
    case Type.Primitive.BOOLEAN                       => "bool"
    case Type.Primitive.FLOAT | Type.Primitive.DOUBLE => s"float${kind.size * 8}"
    case Type.Primitive.CHAR                          => "uint16"
    case integer => ArrowType.Number(integer.size * 8, !unsigned).show
end ColumnReaders
