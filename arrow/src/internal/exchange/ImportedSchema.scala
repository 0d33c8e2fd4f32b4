package undercroft.arrow
package internal.exchange

import com.google.flatbuffers.FlatBufferBuilder
import org.apache.arrow.flatbuf.{
  DictionaryEncoding,
  DictionaryKind,
  Endianness,
  Field,
  Schema as ArrowSchemaTable
}

/** A field of another library's `ArrowSchema`.
  *
  * @param index
  *   the index of the field among its siblings in the struct of C
  * @param dictionary
  *   the type of the values; `tpe` is then that of the indices
  */
private[arrow] final case class ImportedCField(
    name: String,
    index: Int,
    tpe: CType,
    isNullable: Boolean,
    children: Vector[ImportedCField],
    dictionary: Option[ImportedDictionary]
)

private[arrow] final case class ImportedDictionary(id: Long, tpe: CType, isOrdered: Boolean)

/** The fields of another library's `ArrowSchema` that are read.
  *
  * @param childCount
  *   the number of all fields
  */
private[arrow] final case class ImportedSchema(fields: Vector[ImportedCField], childCount: Long):

  /** Builds the schema of the stream in Arrow's format. */
  def build(builder: FlatBufferBuilder): Int =
    val vector = ArrowSchemaTable.createFieldsVector(builder, fields.map(field(builder, _)).toArray)
    ArrowSchemaTable.createSchema(builder, Endianness.Little, vector, 0, 0)

  private def field(builder: FlatBufferBuilder, of: ImportedCField): Int =
    val children = Field.createChildrenVector(builder, of.children.map(field(builder, _)).toArray)
    val name = builder.createString(of.name)
    of.dictionary match
      case None =>
        val tpe = of.tpe.build(builder)
        Field.createField(builder, name, of.isNullable, of.tpe.code, tpe, 0, children, 0)
      case Some(dictionary) =>
        val index = of.tpe.build(builder)
        val encoding = DictionaryEncoding.createDictionaryEncoding(
          builder,
          dictionary.id,
          index,
          dictionary.isOrdered,
          DictionaryKind.DenseArray
        )
        val tpe = dictionary.tpe.build(builder)
        val code = dictionary.tpe.code
        Field.createField(builder, name, of.isNullable, code, tpe, encoding, children, 0)
end ImportedSchema

private[arrow] object ImportedSchema:
  import CStructs.*

  /** The deepest nesting of fields, and the most fields, as in files. */
  private val MostDepth = 64
  private val MostFields = 100_000
  private val MostTextBytes = 1 << 16

  /** Reads the fields with these names at the root. */
  def of(schema: Long, names: Set[String]): ImportedSchema =
    if long(schema + Schema.Release) == 0 then throw corrupt("the schema is released already")
    val format = text(schema + Schema.Format, "the format of the schema")
    if format != "+s" then
      throw ImportedBatch.error(
        ArrowErrorKind.Unsupported,
        s"the schema must be a struct (+s), but has format $format"
      )
    val reading = Reading()
    val all = reading.childAddresses(schema, "the schema")
    val fields = all.zipWithIndex.flatMap: (address, index) =>
      val name = Reading.name(address)
      Option.when(names(name))(reading.field(address, index, name, 1))
    ImportedSchema(fields, all.size)

  private def corrupt(reason: String): ArrowException =
    ImportedBatch.error(ArrowErrorKind.Corrupt, reason)

  private def text(pointer: Long, part: String): String =
    CStructs.text(long(pointer), MostTextBytes).getOrElse:
      throw corrupt(s"$part is missing, or has more than $MostTextBytes bytes")

  private object Reading:
    def name(schema: Long): String =
      if long(schema + Schema.Name) == 0 then ""
      else ImportedSchema.text(schema + Schema.Name, "the name of a field")

  private final class Reading:
    private var count = 0
    private var dictionaries = 0L

    def childAddresses(schema: Long, name: String): Vector[Long] =
      val children = long(schema + Schema.Children)
      if children < 0 || children > MostFields - count then
        throw corrupt(s"$name has $children fields; at most $MostFields are read in all")
      count += children.toInt
      val pointers = long(schema + Schema.Children + 8)
      Vector.tabulate(children.toInt): i =>
        val address = if pointers == 0 then 0 else long(pointers + 8L * i)
        if address == 0 then throw corrupt(s"field $i of $name is a null pointer")
        address

    def field(schema: Long, index: Int, name: String, depth: Int): ImportedCField =
      if depth > MostDepth then
        throw ImportedBatch.error(
          ArrowErrorKind.Unsupported,
          s"the fields nest deeper than $MostDepth"
        )
      val tpe = this.tpe(schema, name)
      val children = childAddresses(schema, s"`$name`").zipWithIndex.map: (address, i) =>
        field(address, i, Reading.name(address), depth + 1)
      val needed = tpe.buffers match
        case CBuffers.Struct      => children.size
        case CBuffers.Elements(_) => 1
        case CBuffers.Lists(_)    => 1
        case _                    => 0
      if children.size != needed then
        throw corrupt(s"`$name` must have $needed children, but has ${children.size}")
      val flags = long(schema + Schema.Flags)
      val values = long(schema + Schema.Dictionary)
      val dictionary = Option.when(values != 0):
        val isOrdered = (flags & Schema.DictionaryOrdered) != 0
        val valueType = this.tpe(values, name)
        if long(values + Schema.Dictionary) != 0 || long(values + Schema.Children) != 0 then
          throw ImportedBatch.error(
            ArrowErrorKind.Unsupported,
            s"the values of the dictionary of `$name` are not strings"
          )
        dictionaries += 1
        ImportedDictionary(dictionaries - 1, valueType, isOrdered)
      ImportedCField(name, index, tpe, (flags & Schema.Nullable) != 0, children, dictionary)
    end field

    private def tpe(schema: Long, name: String): CType =
      val format = ImportedSchema.text(schema + Schema.Format, s"the format of `$name`")
      CFormat.read(format).getOrElse:
        throw ImportedBatch.error(
          ArrowErrorKind.Unsupported,
          s"`$name` has format $format, which is not read"
        )
  end Reading
end ImportedSchema
