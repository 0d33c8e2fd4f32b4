package undercroft.arrow
package internal.columns

import internal.io.FileInput
import internal.ipc.{
  FieldBuffers,
  FileContent,
  RangeOffsets,
  TextBuffers,
  TextualValues,
  ValidityBitmap
}
import internal.rows.Chunk
import internal.schema.{ArrowField, ArrowType, TextualType}
import java.util.Optional
import scala.collection.mutable.HashMap
import scala.jdk.CollectionConverters.*
import scala.jdk.OptionConverters.*
import undercroft.file.FieldOffsets
import undercroft.file.format.{Field, FileLayout, LogicalKind, Schema, Type}

/** A field of an Arrow file, with its buffers in each batch. */
private[arrow] final class ImportedField(
    val field: ArrowField,
    val path: String,
    val parts: Vector[FieldBuffers]
):
  def hasNulls: Boolean = parts.exists(_.hasNulls)

  def isStruct: Boolean = field.dictionary.isEmpty && field.tpe == ArrowType.Struct

  lazy val children: Vector[ImportedField] =
    field.children.indices.toVector.map: k =>
      val child = field.children(k)
      ImportedField(child, s"$path.${child.name}", parts.map(_.children(k)))
end ImportedField

private[arrow] object ImportedField:
  def all(input: FileInput, content: FileContent): Vector[ImportedField] =
    val batches = content.batches.map(FieldBuffers.all(input, content.fields, _))
    content.fields.zipWithIndex.map: (field, k) =>
      ImportedField(field, field.name, batches.map(_(k)))

/** Selects the stored types of columns, and their offsets. */
private[arrow] final class ImportedFieldTypes(
    input: FileInput,
    content: FileContent,
    layout: FileLayout
):
  private val offsets = FieldOffsets(layout)

  // Without padding.
  private var rowBytes = 0L

  /** The fields of a file. */
  def of(columns: Vector[ImportedField]): java.util.List[Field] = fields(columns, "it")

  /** The bytes of a row with the fields so far. */
  def stride: Int = offsets.stride

  /** The fields of a struct, or of the file, which `owner` names. */
  private def fields(columns: Vector[ImportedField], owner: String): java.util.List[Field] =
    if columns.isEmpty then throw unsupported(s"$owner has no fields")
    columns.foreach: column =>
      if column.field.name.isEmpty then throw unsupported(s"$owner has a field without a name")
    val names = columns.map(_.field.name)
    names.diff(names.distinct).headOption.foreach: name =>
      throw unsupported(s"$owner has several fields called `$name`")
    columns.map(field).asJava

  private def field(column: ImportedField): Field =
    if column.hasNulls || content.dictionaries.hasNulls(input, column.field, column.path) then
      val width = alignment(column)
      offsets.align(width)
      val flag = Field.Leaf("isDefined", offsets.take(1, 1), Type.Primitive.BOOLEAN)
      val value = required(column, "get")
      offsets.align(width)
      Field.Record(column.field.name, "Option", Seq[Field](flag, value).asJava)
    else required(column, column.field.name)

  private def required(column: ImportedField, name: String): Field =
    if column.isStruct then
      val width = alignment(column)
      offsets.align(width)
      val fields = this.fields(column.children, s"`${column.path}`")
      offsets.align(width)
      val kind = ImportedLogicalTypes.name(column.field).toJava
      Field.Record(name, FieldOffsets.structName(column.field.name), fields, kind)
    else
      val stored = typeOf(column)
      rowBytes += ImportedFieldTypes.bytes(stored)
      if rowBytes > Schema.LONGEST_ROW then
        throw unsupported(
          s"a row must have at most ${Schema.LONGEST_ROW} bytes, but has $rowBytes up to " +
            s"`${column.path}`"
        )
      (stored, stored.physical) match
        case (logical: Type.Logical, pair: Type.Struct) =>
          val halves = pair.fields.asScala.toSeq.map[Field]: half =>
            Field.Leaf(half.name, offsets.take(8, 8), Type.Primitive.LONG)
          Field.Record(name, pair.name, halves.asJava, Optional.of(logical.kind))
        case _ =>
          Field.Leaf(name, offsets.take(stored.size, FieldOffsets.alignment(stored)), stored)

  private def alignment(column: ImportedField): Int =
    if column.isStruct then column.children.map(alignment).maxOption.getOrElse(1)
    else FieldOffsets.alignment(typeOf(column))

  // A text's type is found by a pass over its values.
  private val types = HashMap[ImportedField, Type]()

  private def typeOf(column: ImportedField): Type = types.getOrElseUpdate(column, newType(column))

  private def newType(column: ImportedField): Type =
    ImportedLogicalTypes.of(column.field).getOrElse:
      physical(column) match
        case array: Type.Elements => array
        case stored =>
          ImportedLogicalTypes.name(column.field).fold(stored)(Type.Logical(stored, _))

  private def physical(column: ImportedField): Type =
    (column.field.dictionary, column.field.tpe) match
      case (Some(_), _)                                => enumOf(column)
      case (_, ArrowType.Utf8(_) | ArrowType.Utf8View) => text(column)
      case (_, ArrowType.Null)                         => Type.Text(1)
      case (_, ArrowType.Array(size)) if size > 0 =>
        Type.Elements(element(column, column), size)
      case (_, ArrowType.Listed(width)) =>
        // Types that are not stored are reported before the lengths.
        val of = element(column, column)
        Type.Elements(of, listLength(column, width))
      case (_, ArrowType.Bytes(size)) if size > 0 => Type.Elements(Type.Primitive.BYTE, size)
      case (_, ArrowType.Textual(decimal: TextualType.Decimal)) =>
        throw unsupported(
          s"`${column.path}` is a decimal with ${decimal.scale} digits after its point; at most " +
            s"${LogicalKind.MOST_DIGITS} are stored in a struct file"
        )
      case (_, tpe) =>
        TextualType.of(tpe) match
          case Some(kind) if kind.isInteger && fitsLong(column) => Type.Primitive.LONG
          case Some(_)                                          => text(column)
          case None                                             => number(column, tpe)

  private def number(column: ImportedField, tpe: ArrowType): Type = tpe match
    case ArrowType.Bool              => Type.Primitive.BOOLEAN
    case ArrowType.Real(64)          => Type.Primitive.DOUBLE
    case ArrowType.Real(_)           => Type.Primitive.FLOAT
    case ArrowType.Number(8, true)   => Type.Primitive.BYTE
    case ArrowType.Number(8, false)  => Type.Primitive.SHORT
    case ArrowType.Number(16, true)  => Type.Primitive.SHORT
    case ArrowType.Number(16, false) => Type.Primitive.INT
    case ArrowType.Number(32, true)  => Type.Primitive.INT
    case ArrowType.Number(32, false) => Type.Primitive.LONG
    case ArrowType.Number(64, true)  => Type.Primitive.LONG
    case _                           => throw unstored(column)

  /** The type of the elements of an array. Integers of 16 bits without a sign are Chars. */
  private def element(array: ImportedField, owner: ImportedField): Type = owner.children match
    case Vector(child) if hasNullElements(owner, child) =>
      val types = ofElements
      types.field(child) match
        case option: Field.Record => Type.Struct(option.typeName, types.stride, option.fields)
        case _                    => throw unstored(array)
    case Vector(child) if child.field.dictionary.isDefined => enumOf(child)
    case Vector(child) =>
      ImportedLogicalTypes.of(child.field).getOrElse:
        child.field.tpe match
          case ArrowType.Array(size) if size > 0 && !isListed(array) =>
            Type.Elements(element(array, child), size)
          case ArrowType.Number(16, false)            => Type.Primitive.CHAR
          case ArrowType.Struct                       => inPlace(array, child)
          case ArrowType.Utf8(_) | ArrowType.Utf8View => text(child)
          case tpe                                    => number(array, tpe)
    case _ => throw unstored(array)

  private def isListed(array: ImportedField): Boolean = array.field.tpe match
    case ArrowType.Listed(_) => true
    case _                   => false

  /** The number of elements of each list; 1 if all lists are null. */
  private def listLength(column: ImportedField, width: Int): Int =
    var length = -1L
    var first = 0L
    for part <- column.parts do
      val elementRows = part.children.headOption.fold(0L)(_.rows)
      val ends = RangeOffsets(input, part, width, elementRows, "a list", "elements")
      eachChunk(part): (from, count, there) =>
        ends.load(from, count)
        for i <- 0 until count if there(i) do
          val elements = ends.length(i)
          if length < 0 then length = elements
          if elements != length || elements < 1 then
            throw input.error(
              ends.at(i),
              ArrowErrorKind.Unsupported,
              s"row ${first + from + i} of `${column.path}` has a list of $elements elements; a " +
                s"struct file stores lists of one length of at least 1" +
                (if length < 1 then "" else s", which the first list has with $length")
            )
      first += part.rows
    end for
    if length > Schema.LONGEST_ROW then
      throw unsupported(
        s"a row must have at most ${Schema.LONGEST_ROW} bytes, but a list of `${column.path}` has " +
          s"$length elements"
      )
    Math.max(1, length).toInt
  end listLength

  private def ofElements: ImportedFieldTypes =
    val isPacked = layout.equals(FileLayout.PACKED)
    ImportedFieldTypes(input, content, if isPacked then layout else FileLayout.ALIGNED)

  /** Whether an element of an array is null. Elements of null arrays may be null. */
  private def hasNullElements(owner: ImportedField, child: ImportedField): Boolean =
    content.dictionaries.hasNulls(input, child.field, child.path) ||
      owner.parts.zip(child.parts).exists: (arrays, elements) =>
        elements.hasNulls && (owner.field.tpe match
          case ArrowType.Array(size) if size > 0 && size <= Schema.LONGEST_ROW =>
            val bitmap = ValidityBitmap.of(input, elements)
            if elements.rows / size < arrays.rows then
              throw input.corrupt(
                0,
                s"`${owner.path}` must have ${arrays.rows} lists of $size elements, but has " +
                  s"${elements.rows} elements"
              )
            var hasNull = false
            eachChunk(arrays): (from, count, there) =>
              for i <- 0 until count if !hasNull && there(i) do
                val chunk = Chunk.ofRows((from + i) * size, (from + i) * size, size)
                hasNull = bitmap.of(chunk, Array.fill(size)(true)).contains(false)
            hasNull
          case _ => true)

  /** A struct in an array, which has the layout of C in columns, too. */
  private def inPlace(array: ImportedField, column: ImportedField): Type =
    val types = ofElements
    val fields = types.fields(column.children, s"`${column.path}`")
    Type.Struct(FieldOffsets.structName(array.field.name), types.stride, fields)

  /** An enum of all values of a dictionary, or a text if there are none. */
  private def enumOf(column: ImportedField): Type =
    val cases = content.dictionaries.allValues(input, column.field, column.path).getOrElse:
      // A file without values may have no dictionaries.
      if column.parts.forall(part => part.rows == part.nulls) then Vector()
      else throw input.corrupt(0, s"the dictionary of `${column.path}` is missing")
    if cases.isEmpty then Type.Text(1)
    else
      val number = if cases.size <= 0x100 then Type.Primitive.BYTE else Type.Primitive.SHORT
      Type.Ordinal(number, cases.asJava)

  /** Whether all values of a type with a larger range are in the range of a Long. */
  private def fitsLong(column: ImportedField): Boolean =
    column.parts.forall: part =>
      val values = TextualValues.of(input, part)
      var fits = true
      eachChunk(part): (from, count, there) =>
        if fits then
          values.each(from, count, there): (_, _, content, index) =>
            fits &&= values.kind.long(content, index).isDefined
      fits

  /** Calls `step` with the first row, the number of rows and the valid rows of each chunk. */
  private def eachChunk(part: FieldBuffers)(step: (Long, Int, Array[Boolean]) => Unit): Unit =
    val bitmap = ValidityBitmap.of(input, part)
    var from = 0L
    while from < part.rows do
      val count = Math.min(ImportedFieldTypes.ChunkRows, part.rows - from).toInt
      step(from, count, bitmap.of(Chunk.ofRows(from, from, count), Array.fill(count)(true)))
      from += count

  /** A text of the length of the longest value. */
  private def text(column: ImportedField): Type =
    var longest = 1
    for part <- column.parts do
      val texts = TextBuffers.of(input, part)
      eachChunk(part): (from, count, there) =>
        texts.each(from, count, 0, there): (_, at, length) =>
          if length > ImportedFieldTypes.LongestText then
            throw input.error(
              at,
              ArrowErrorKind.Unsupported,
              s"a text of `${column.path}` has $length bytes; at most ${ImportedFieldTypes.LongestText} are stored"
            )
          longest = Math.max(longest, length)
    Type.Text(longest)
  end text

  private def unstored(column: ImportedField): ArrowException =
    val of = column.field.children.map(_.show).mkString(", ")
    val show = if of.isEmpty then column.field.show else s"${column.field.show} of $of"
    unsupported(
      s"`${column.path}` is of the type $show, which is not stored in a struct file: cast it to " +
        "a bool, a signed integer, a float, a double or a string, or name the other columns"
    )

  private def unsupported(reason: String): ArrowException =
    input.error(0, ArrowErrorKind.Unsupported, reason)
end ImportedFieldTypes

private[arrow] object ImportedFieldTypes:
  /** The longest text that is stored, in bytes. */
  private val LongestText = 1 << 20

  /** Rows whose lengths are read at a time. A multiple of 8, as bitmaps have whole bytes. */
  private val ChunkRows = 4096

  /** The size of a type, which may be more than an Int holds in a forged file. */
  private def bytes(stored: Type): Long = stored match
    case array: Type.Elements =>
      try Math.multiplyExact(bytes(array.of), array.count.toLong)
      catch case _: ArithmeticException => Long.MaxValue / 2
    case other => other.size
