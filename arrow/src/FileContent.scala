package undercroft.arrow

import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays
import org.apache.arrow.flatbuf.{Endianness, Footer, MetadataVersion, Schema}
import scala.collection.mutable.HashMap

/** The metadata of an Arrow file: its fields, its record batches, and its dictionaries by id. */
private[arrow] final class FileContent(
    val fields: Vector[ArrowField],
    val batches: Vector[BatchHeader],
    val rows: Long,
    dictionaries: Map[Long, BatchHeader]
):
  private val cache = HashMap[Long, Vector[Option[String]]]()

  /** Returns the values of a dictionary; they are read once and cached. */
  def values(id: Long)(read: BatchHeader => Vector[Option[String]])
      : Option[Vector[Option[String]]] =
    dictionaries.get(id).map(head => cache.getOrElseUpdate(id, read(head)))

  /** The names of the codecs of all batches, with the position of a batch for each. */
  def codecs: Map[String, Long] =
    (batches ++ dictionaries.values).flatMap(header => header.codec.map(_ -> header.at)).toMap

  /** This content with other places of the buffers. */
  def mapHeaders(f: BatchHeader => BatchHeader): FileContent =
    FileContent(fields, batches.map(f), rows, dictionaries.map((id, header) => id -> f(header)))

  /** Throws unless the rows fit in the input. A value of a row has a bit at least; rows of nulls
    * alone have none, and could be forged.
    */
  def checkRows(input: FileInput): Unit =
    if rows / 8 > input.size then
      throw input.corrupt(0, s"$rows rows do not fit in ${input.size} bytes")
end FileContent

private[arrow] object FileContent:
  /** The smallest size of a file: the padded magic, the footer's size and the closing magic. */
  private val LeastBytes = 8 + 4 + 6

  /** Reads the metadata of a file or of a stream. */
  def read(input: FileInput): FileContent =
    if input.size >= 8 && little(input.bytes(0, 4)).getInt == ArrowFormat.Continuation then
      StreamContent.read(input)
    else readFile(input)

  private def readFile(input: FileInput): FileContent =
    if input.size < LeastBytes then
      throw input.error(
        input.size,
        ArrowErrorKind.NotAnArrowFile,
        s"it must have at least $LeastBytes bytes, but has ${input.size}"
      )
    val magic = ArrowFormat.Magic
    if !Arrays.equals(input.bytes(0, magic.length), magic) then
      throw input.error(0, ArrowErrorKind.NotAnArrowFile, "it does not begin with ARROW1")
    val end = input.size - magic.length
    if !Arrays.equals(input.bytes(end, magic.length), magic) then
      throw input.error(end, ArrowErrorKind.Truncated, "it does not end with ARROW1")
    val length = little(input.bytes(end - 4, 4)).getInt
    val at = end - 4 - length
    if length < 0 || at < 8 then throw input.corrupt(end - 4, s"the footer has $length bytes")
    val footer = input.bytes(at, length)
    input.parsed(at, "the footer"):
      val root = Footer.getRootAsFooter(ByteBuffer.wrap(footer))
      checkVersion(input, at, root.version)
      val fields = this.fields(input, at, root.schema)
      val messages = MessageReader(input)
      // A block has 24 bytes, so a vector of more blocks than fit in the footer is corrupt.
      val batches = counted(root.recordBatchesLength, length, input, at).map: i =>
        messages.batch(messages.ofBlock(root.recordBatches(i)))
      val dictionaries = counted(root.dictionariesLength, length, input, at).map: i =>
        messages.dictionary(messages.ofBlock(root.dictionaries(i)))
      of(input, at, fields, batches, dictionaries)
  end readFile

  /** The content of a file or a stream whose schema is at `at`. */
  def of(
      input: FileInput,
      at: Long,
      fields: Vector[ArrowField],
      batches: Vector[BatchHeader],
      dictionaries: Vector[(Long, BatchHeader)]
  ): FileContent =
    val rows = batches.foldLeft(0L)((sum, batch) => input.sum(sum, batch.rows))
    val twice = dictionaries.map(_._1).diff(dictionaries.map(_._1).distinct)
    twice.headOption.foreach: id =>
      throw input.error(at, ArrowErrorKind.Unsupported, s"dictionary $id has several batches")
    val content = FileContent(fields, batches, rows, dictionaries.toMap)
    if content.codecs.isEmpty then content.checkRows(input)
    content

  def checkVersion(input: FileInput, at: Long, version: Short): Unit =
    if version < MetadataVersion.V4 then
      throw input.error(at, ArrowErrorKind.Unsupported, "the metadata version is below 4")

  def fields(input: FileInput, at: Long, schema: Schema): Vector[ArrowField] =
    if schema.endianness != Endianness.Little then
      throw input.error(at, ArrowErrorKind.Unsupported, "its numbers are big-endian")
    ArrowField.all(schema, input, at)

  private def counted(count: Int, bytes: Int, input: FileInput, at: Long): Vector[Int] =
    if count < 0 || count > bytes / 24 then throw input.corrupt(at, s"it has $count batches")
    Vector.range(0, count)

  private[arrow] def little(bytes: Array[Byte]): ByteBuffer =
    ByteBuffer.wrap(bytes).nn.order(ByteOrder.LITTLE_ENDIAN).nn
end FileContent
