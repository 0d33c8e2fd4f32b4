package undercroft.pekko
package internal.codec

import internal.wire.*

/** The codec of a class with fields, or of one value, which has none.
  *
  * Its content is the fields in declaration order. As a value inside a message, a record without
  * fields is a zero byte, so that each value takes at least one.
  *
  * @param construct
  *   a value from the fields' values
  */
private[pekko] final class RecordCodec[T] private[pekko] (
    allFields: List[RecordField],
    writeFields: (T, WireOutput) => Unit,
    readFields: WireInput => T,
    construct: Array[Any] => T
) extends ValueCodec[T],
      MessageContent[T]:
  private val fields = allFields.toArray

  val wireType: WireType.Record =
    WireType.Record(fields.toVector.map(field => WireField(field.name, field.codec.wireType)))

  private val isEmpty = fields.isEmpty

  /** The codec of the same class with other names of its fields. */
  def withFields(others: List[RecordField]): RecordCodec[T] =
    RecordCodec(others, writeFields, readFields, construct)

  def write(value: T, out: WireOutput): Unit =
    if isEmpty then out.byte(0)
    writeFields(value, out)

  def read(in: WireInput): T =
    if isEmpty then in.emptyRecord()
    readFields(in)

  def writeContent(value: T, out: WireOutput): Unit = writeFields(value, out)
  def readContent(in: WireInput): T = readFields(in)

  override protected def converted(written: WireType, path: FieldPath): WireReader[T] =
    written match
      case record: WireType.Record =>
        val reader = contentReaderOf(record, path)
        if record.fields.nonEmpty then reader
        else
          in =>
            in.emptyRecord()
            reader.read(in)
      case _ => path.mismatch(written, wireType)

  /** A reader of the fields of another version. */
  def contentReaderOf(written: WireType, path: FieldPath): WireReader[T] = written match
    case record: WireType.Record if record == wireType => in => readFields(in)
    case record: WireType.Record                       => ConvertedFields(record, path)
    case _                                             => path.mismatch(written, wireType)

  private final class ConvertedFields(written: WireType.Record, path: FieldPath)
      extends WireReader[T]:

    /** For each written field the index of the field that it becomes, or -1. */
    private val targets: Array[Int] =
      val indices = fields.iterator.map(_.name).zipWithIndex.toMap
      written.fields.iterator.map(field => indices.getOrElse(field.name, -1)).toArray

    private val readers: Array[WireReader[Any] | Null] =
      written.fields.iterator
        .zip(targets)
        .map: (field, target) =>
          if target < 0 then null
          else fields(target).codec.readerOf(field.of, path / field.name)
        .toArray

    /** The fields that the sender does not have, with their values. */
    private val added: Array[(Int, () => Any)] =
      fields.iterator.zipWithIndex
        .filterNot((_, index) => targets.contains(index))
        .map((field, index) => (index, initial(field)))
        .toArray

    private def initial(field: RecordField): () => Any =
      val default = field.default
      if default ne null then default
      else
        field.codec match
          case _: ValueCodecs.OptionCodec[?] => () => None
          case codec =>
            val names = (path / field.name).names
            path.fail(
              s"field $names is missing; expected ${MessageFormatException.shorten(codec.wireType.show)}, " +
                "as it has no default value and is no Option"
            )

    def read(in: WireInput): T =
      val values = new Array[Any](fields.length)
      var i = 0
      while i < readers.length do
        val reader = readers(i)
        if reader ne null then values(targets(i)) = reader.read(in)
        else WireType.skip(written.fields(i).of, in)
        i += 1
      added.foreach((index, value) => values(index) = value())
      construct(values)
  end ConvertedFields
end RecordCodec

/** A field of a record.
  *
  * @param default
  *   the default value of the class's parameter, evaluated for each message
  */
private[pekko] final class RecordField private[pekko] (
    val name: String,
    val codec: ValueCodec[?],
    val default: (() => Any) | Null
)

/** The bytes of a message as a whole. */
private[pekko] trait MessageContent[T]:
  def wireType: WireType
  def writeContent(value: T, out: WireOutput): Unit
  def readContent(in: WireInput): T
  def contentReaderOf(written: WireType, path: FieldPath): WireReader[T]
