package undercroft.arrow
package internal.columns

import internal.io.FileInput
import internal.ipc.{
  BatchHeader,
  DictionaryIndices,
  DictionaryTexts,
  FieldBuffers,
  FileContent,
  RangeOffsets,
  TextBuffers,
  TextualValues,
  ValidityBitmap,
  ValueRanges
}
import internal.schema.{ArrowSchema, ArrowType, TextualType}
import java.time.{Instant, LocalDateTime, ZoneOffset}
import undercroft.file.format.{LogicalKind, Type}
import undercroft.file.{ColumnKind, OutOfLineContent, given}
import undercroft.struct.Struct

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
    reader(column, node, path)
  end one

  /** The reader of a field and of its nulls. */
  private def reader(column: ColumnKind, node: FieldBuffers, path: String): ColumnReader =
    val bitmap = validity(node, path)
    column match
      case optional: ColumnKind.Optional => this.optional(optional, node, path)
      case required => ColumnReader.Required(input, path, bitmap, plain(required, node, path))

  /** The reader of a field whose nulls are Nones. */
  private def optional(
      column: ColumnKind.Optional,
      node: FieldBuffers,
      path: String
  ): ColumnReader =
    val inner = column.value match
      case nested: ColumnKind.Optional => all(Vector(nested), node.children, node.rows, path).head
      case single                      => plain(single, node, path)
    ColumnReader.Optional(validity(node, path), column.isDefined, inner)

  /** The reader of the items of an array. */
  private def item(column: ColumnKind.Items, node: FieldBuffers, path: String): ColumnReader =
    val inside = s"$path.${column.item.name}"
    column.item match
      case optional: ColumnKind.Optional => this.optional(optional, node, inside)
      case required                      => plain(required, node, inside)

  /** The reader of the values of a field, ignoring its own nulls. */
  private def plain(column: ColumnKind, node: FieldBuffers, path: String): ColumnReader =
    (column, node.field.tpe) match
      case (number: ColumnKind.Enumerated, _) => enumerated(number, node, path)
      case (ColumnKind.Text(_, offset, size), _) if node.field.dictionary.isDefined =>
        val texts = DictionaryTexts(input, path, node, dictionary(node, path))
        ColumnReader.Text(input, path, texts, offset, size)
      case (ColumnKind.OutOfLine(_, offset, OutOfLineContent.Text), _)
          if node.field.dictionary.isDefined =>
        OutOfLineReader.Cases(input, path, node, dictionary(node, path), offset)
      case (_, _) if node.field.dictionary.isDefined => throw wrong(column, node, path)
      case (_, ArrowType.Null)                       => ColumnReader.Nulls
      case (value: ColumnKind.Value, tpe) if matches(value.kind, value.isUnsigned, tpe) =>
        if value.kind == Type.Primitive.BOOLEAN then
          val bits = node.sized(input, 1, Math.ceilDiv(node.rows, 8L))
          ColumnReader.Bits(input, bits, value.offset, 1)
        else
          val bytes = node.values(input, value.kind.size)
          ColumnReader.Numbers(input, bytes, value.offset, value.kind.size, value.isBigEndian)
      case (value: ColumnKind.Value, tpe) if isWider(value, tpe) =>
        val bytes = node.values(input, tpe.numberBytes)
        ColumnReader.Widened(input, bytes, value.offset, tpe, value.kind.size, 1)
      case (value: ColumnKind.Value, tpe)
          if isLong(value) && TextualType.of(tpe).exists(_.isInteger) =>
        ColumnReader.Longs(input, path, TextualValues.of(input, node), value.offset)
      case (
            ColumnKind.Elements(_, offset, Type.Primitive.BYTE, Vector(count)),
            ArrowType.Bytes(size)
          )
          if size == count =>
        ColumnReader.Numbers(input, node.values(input, size), offset, size, false)
      case (ColumnKind.Text(_, offset, size), tpe) if TextBuffers.areIn(tpe) =>
        ColumnReader.Text(input, path, TextBuffers.of(input, node), offset, size)
      case (ColumnKind.Opaque(_, offset, size), ArrowType.Bytes(bytes)) if bytes == size =>
        ColumnReader.Numbers(input, node.values(input, size), offset, size, false)
      case (elements: ColumnKind.Elements, ArrowType.Array(_)) =>
        this.elements(elements, node, path)
      case (items: ColumnKind.Items, ArrowType.Array(_))      => this.items(items, node, path)
      case (items: ColumnKind.Items, ArrowType.Listed(width)) => lists(items, node, width, path)
      case (ColumnKind.Elements(name, offset, kind, dimensions), ArrowType.Listed(width)) =>
        val item = ColumnKind.Value("item", 0, kind, kind == Type.Primitive.CHAR, false)
        lists(ColumnKind.Items(name, offset, dimensions, kind.size, item), node, width, path)
      // Earlier versions wrote the bytes of the array.
      case (ColumnKind.Items(_, offset, dimensions, bytes, _), ArrowType.Bytes(size))
          if size == dimensions.product * bytes =>
        ColumnReader.Numbers(input, node.values(input, size), offset, size, false)
      case (ColumnKind.Logical(_, kind, of), _) => logical(kind, of, column, node, path)
      case (ColumnKind.Record(_, fields), ArrowType.Struct) =>
        ColumnReader.Record(all(fields, node.children, node.rows, path))
      case (variants: ColumnKind.OneOf, ArrowType.Struct) => oneOf(variants, node, path)
      case (elsewhere: ColumnKind.OutOfLine, _)           => outOfLine(elsewhere, node, path)
      case _                                              => throw wrong(column, node, path)

  /** The reader of values of any length. */
  private def outOfLine(
      column: ColumnKind.OutOfLine,
      node: FieldBuffers,
      path: String
  ): ColumnReader =
    def values(ranges: ValueRanges, isText: Boolean) =
      OutOfLineReader.Values(input, path, ranges, isText, column.offset)
    (column.content, node.field.tpe, node.children) match
      case (OutOfLineContent.Text, tpe, _) if TextBuffers.areIn(tpe) =>
        val ranges = ValueRanges.of(input, node)
        values(ranges.getOrElse(ValueRanges.ofTexts(TextBuffers.of(input, node))), true)
      case (OutOfLineContent.Bytes, ArrowType.Binary(_) | ArrowType.BinaryView, _) =>
        values(ValueRanges.of(input, node).get, false)
      case (OutOfLineContent.Run(struct, item), ArrowType.Listed(width), Vector(child)) =>
        val lists = ListRanges.Listed(input, node, width, child.rows)
        runs(column, struct, item, child, lists, path)
      case (OutOfLineContent.Run(struct, item), ArrowType.Array(size), Vector(child)) =>
        val needed = times(node.rows, size)
        if size < 0 || child.rows < needed then
          throw input.corrupt(
            head.at,
            s"`$path` must have $needed elements, but has ${child.rows}"
          )
        runs(column, struct, item, child, ListRanges.Fixed(size, head.at), path)
      case _ => throw wrong(column, node, path)
  end outOfLine

  private def runs(
      column: ColumnKind.OutOfLine,
      struct: Struct[?],
      item: ColumnKind,
      child: FieldBuffers,
      lists: ListRanges,
      path: String
  ): ColumnReader =
    // Elements that are null have no bytes, and could be forged.
    if child.rows / 8 > input.size then
      throw input.corrupt(
        head.at,
        s"${child.rows} elements of `$path` do not fit in ${input.size} bytes"
      )
    val reader = this.reader(item, child, s"$path.${item.name}")
    OutOfLineReader.Runs(input, path, lists, child.rows, struct, item, reader, column.offset)

  /** The reader of values with a meaning, from a field with the same meaning. */
  private def logical(
      kind: LogicalKind,
      of: ColumnKind,
      column: ColumnKind,
      node: FieldBuffers,
      path: String
  ): ColumnReader =
    def times(
        bytes: Int,
        value: ColumnKind.Value,
        from: Long,
        to: Long,
        least: Long = Long.MinValue,
        most: Long = Long.MaxValue
    ): ColumnReader =
      val values = node.values(input, bytes)
      val units = kind match
        case _: LogicalKind.Date => LogicalReader.Units.days(bytes)
        case _                   => LogicalReader.Units.of(from, to)
      LogicalReader.Times(input, path, values, bytes, value, from, to, least, most, units)
    (kind, of, node.field.tpe) match
      case (_: LogicalKind.Named, _, _) => plain(of, node, path)
      case (_: LogicalKind.Date, value: ColumnKind.Value, ArrowType.Textual(TextualType.Date(n))) =>
        val from = if n == 4 then 1L else ColumnReaders.MillisPerDay
        times(n, value, from, 1L, Int.MinValue.toLong, Int.MaxValue.toLong)
      case (time: LogicalKind.Time, value: ColumnKind.Value, ArrowType.Textual(tpe)) =>
        tpe match
          case TextualType.Time(n, ticks) =>
            val perSecond = time.unit.perSecond
            val perDay = ColumnReaders.SecondsPerDay * perSecond
            times(n, value, ticks, perSecond, 0L, perDay - 1)
          case _ => throw wrong(column, node, path)
      case (timestamp: LogicalKind.Timestamp, value: ColumnKind.Value, ArrowType.Textual(tpe)) =>
        tpe match
          case TextualType.Timestamp(ticks, isUtc) if isUtc == timestamp.isUtc =>
            val (least, most) = ColumnReaders.range(timestamp)
            times(8, value, ticks, timestamp.unit.perSecond, least, most)
          case _ => throw wrong(column, node, path)
      case (duration: LogicalKind.Duration, value: ColumnKind.Value, ArrowType.Duration(ticks)) =>
        times(8, value, ticks, duration.unit.perSecond)
      case (decimal: LogicalKind.Decimal, _, ArrowType.Textual(tpe: TextualType.Decimal)) =>
        val bytes = node.values(input, tpe.bytes)
        LogicalReader.Decimals(input, path, bytes, tpe, of, decimal)
      case (_: LogicalKind.Uuid, _, ArrowType.Bytes(ArrowSchema.UuidBytes)) =>
        LogicalReader.Uuids(input, node.values(input, ArrowSchema.UuidBytes), of)
      case _ => throw wrong(column, node, path)
    end match
  end logical

  private def matches(kind: Type.Primitive, unsigned: Boolean, tpe: ArrowType): Boolean = tpe match
    case ArrowType.Bool => kind == Type.Primitive.BOOLEAN
    case ArrowType.Real(bits) =>
      (kind == Type.Primitive.FLOAT && bits == 32) || (kind == Type.Primitive.DOUBLE && bits == 64)
    case ArrowType.Number(bits, signed) =>
      val isReal = kind == Type.Primitive.FLOAT || kind == Type.Primitive.DOUBLE
      !isReal && kind != Type.Primitive.BOOLEAN && bits == 8 * kind.size && signed == !unsigned
    case _ => false

  /** Whether a field has room for all values of a numeric type of fewer bits. */
  private def isWider(value: ColumnKind.Value, tpe: ArrowType): Boolean =
    !value.isUnsigned && !value.isBigEndian && isWider(value.kind, tpe)

  private def isWider(kind: Type.Primitive, tpe: ArrowType): Boolean = tpe match
    case ArrowType.Real(16) => kind == Type.Primitive.FLOAT
    case ArrowType.Number(bits, _) =>
      val isInteger = kind match
        case Type.Primitive.SHORT | Type.Primitive.INT | Type.Primitive.LONG => true
        case _                                                               => false
      // A forged file has any number of bits.
      isInteger && Seq(8, 16, 32).contains(bits) && bits < 8 * kind.size
    case _ => false

  private def isLong(value: ColumnKind.Value): Boolean =
    value.kind == Type.Primitive.LONG && !value.isUnsigned && !value.isBigEndian

  /** The values of the dictionary of a field. */
  private def dictionary(node: FieldBuffers, path: String): Vector[Option[String]] =
    content.dictionaries.values(input, head, node.field, path).getOrElse:
      // A writer may know the dictionary of a batch of nulls later, or never.
      if node.rows == node.nulls then Vector()
      else throw input.corrupt(head.at, s"the dictionary of `$path` is missing")

  private def validity(node: FieldBuffers, path: String): ValidityBitmap =
    if node.field.dictionary.isEmpty then ValidityBitmap.of(input, node)
    else ValidityBitmap.of(input, node, dictionary(node, path))

  private def enumerated(
      column: ColumnKind.Enumerated,
      node: FieldBuffers,
      path: String
  ): ColumnReader.Cases =
    node.field.dictionary match
      case None => throw wrong(column, node, path)
      case Some(_) =>
        val indices = DictionaryIndices(input, node)
        ColumnReader.Cases(input, path, indices, dictionary(node, path), column)

  private def elements(
      column: ColumnKind.Elements,
      node: FieldBuffers,
      path: String
  ): ColumnReader =
    val count = column.dimensions.product
    val valueCount = times(node.rows, count)
    val levels = arrays(column, column.dimensions, node, path)
    val child = levels.last
    val isSame = matches(column.kind, column.kind == Type.Primitive.CHAR, child.field.tpe)
    val tpe = child.field.tpe
    if !(isSame || isWider(column.kind, tpe)) || child.field.dictionary.isDefined then
      throw wrong(column, child, path)
    val values =
      if column.kind == Type.Primitive.BOOLEAN then
        val bits = child.sized(input, 1, Math.ceilDiv(valueCount, 8L))
        ColumnReader.Bits(input, bits, column.offset, count)
      else
        val bytes = child.sized(input, 1, times(valueCount, tpe.numberBytes))
        if isSame then
          ColumnReader.Numbers(input, bytes, column.offset, column.kind.size * count, false)
        else
          ColumnReader.Widened(input, bytes, column.offset, tpe, column.kind.size, count)
    nonNull(levels, column.dimensions, path, values)
  end elements

  private def items(column: ColumnKind.Items, node: FieldBuffers, path: String): ColumnReader =
    val levels = arrays(column, column.dimensions, node, path)
    val child = levels.last
    val item = this.item(column, child, path)
    val count = column.dimensions.product
    val bitmap = validity(child, path)
    val reader = ColumnReader.Items(input, path, bitmap, column, count, item)
    nonNull(levels.init, column.dimensions.init, path, reader)

  private def lists(
      column: ColumnKind.Items,
      node: FieldBuffers,
      width: Int,
      path: String
  ): ColumnReader = (column.dimensions, node.children) match
    case (Vector(count), Vector(child)) =>
      val ends = RangeOffsets(input, node, width, child.rows, "a list", "elements")
      val item = this.item(column, child, path)
      val bitmap = validity(child, path)
      val items = ColumnReader.Items(input, path, bitmap, column, count, item)
      ColumnReader.Lists(input, path, ends, count, items)
    case _ => throw wrong(column, node, path)

  /** The fields inside an array with these dimensions, outermost first. */
  private def arrays(
      column: ColumnKind,
      dimensions: Vector[Int],
      node: FieldBuffers,
      path: String
  ): Vector[FieldBuffers] =
    var needed = node.rows
    dimensions
      .scanLeft(node): (outer, size) =>
        needed = times(needed, size)
        (outer.field.dictionary, outer.field.tpe, outer.children) match
          case (None, ArrowType.Array(`size`), Vector(inner)) =>
            if inner.rows < needed then
              throw input.corrupt(
                head.at,
                s"`$path` must have $needed elements, but has ${inner.rows}"
              )
            inner
          case _ => throw wrong(column, node, path)
      .tail
  end arrays

  /** Checks the elements of each dimension; those of null lists may be null. */
  private def nonNull(
      levels: Vector[FieldBuffers],
      dimensions: Vector[Int],
      path: String,
      values: ColumnReader
  ): ColumnReader =
    levels.zip(dimensions.scanLeft(1)(_ * _).tail).foldLeft(values):
      case (reader, (level, count)) if level.nulls > 0 =>
        ColumnReader.NonNull(input, path, ValidityBitmap.of(input, level), count, reader)
      case (reader, _) => reader

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
    case ColumnKind.Items(_, _, dimensions, _, item) =>
      dimensions.map(size => s"list of $size of ").mkString + show(item)
    case ColumnKind.Record(_, _) | ColumnKind.OneOf(_, _, _) => "struct"
    case ColumnKind.Optional(_, _, value)                    => show(value)
    case ColumnKind.Logical(_, kind: LogicalKind.Named, of)  => show(of)
    case ColumnKind.Logical(_, kind, _)                      => kind.description
    case ColumnKind.OutOfLine(_, _, content) =>
      content match
        case OutOfLineContent.Text         => "text"
        case OutOfLineContent.Bytes        => "binary"
        case OutOfLineContent.Run(_, item) => s"list of ${show(item)}"

  private final val SecondsPerDay = 86_400L
  private final val MillisPerDay = 86_400_000L

  /** The least and the greatest timestamp of java.time, which has all of units below seconds. */
  private def range(kind: LogicalKind.Timestamp): (Long, Long) =
    if kind.unit.perSecond > 1 then (Long.MinValue, Long.MaxValue)
    else if kind.isUtc then (Instant.MIN.getEpochSecond, Instant.MAX.getEpochSecond)
    else
      (
        LocalDateTime.MIN.toEpochSecond(ZoneOffset.UTC),
        LocalDateTime.MAX.toEpochSecond(ZoneOffset.UTC)
      )

  private def value(kind: Type.Primitive, unsigned: Boolean): String = kind match
    case Type.Primitive.BOOLEAN                       => "bool"
    case Type.Primitive.FLOAT | Type.Primitive.DOUBLE => s"float${kind.size * 8}"
    case Type.Primitive.CHAR                          => "uint16"
    case integer => ArrowType.Number(integer.size * 8, !unsigned).show
end ColumnReaders
