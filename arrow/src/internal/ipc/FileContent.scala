package undercroft.arrow
package internal.ipc

import internal.io.{ArrowFormat, FileInput}
import internal.schema.ArrowField
import java.nio.ByteBuffer
import java.util.Arrays
import org.apache.arrow.flatbuf.{Endianness, Footer, MetadataVersion, Schema}

/** The metadata of an Arrow file: its fields, its record batches, and its dictionaries. */
private[arrow] final class FileContent(
    val fields: Vector[ArrowField],
    val batches: Vector[BatchHeader],
    val rows: Long,
    val dictionaries: Dictionaries
):
  /** The names of the codecs of all batches, with the position of a batch for each. */
  def codecs: Map[String, Long] =
    (batches ++ dictionaries.batches.map(_.header))
      .flatMap(header => header.codec.map(_ -> header.at))
      .toMap

  /** This content with other places of the buffers. */
  def mapHeaders(f: BatchHeader => BatchHeader): FileContent =
    val copied = dictionaries.batches.map(batch => batch.copy(header = f(batch.header)))
    FileContent(fields, batches.map(f), rows, Dictionaries(copied))

  /** Throws unless the rows fit in the input. A value of a row has a bit at least; rows of nulls or
    * of runs alone have none, and could be forged.
    */
  def checkRows(input: FileInput): Unit =
    if fields.nonEmpty && !fields.exists(_.hasBits) then
      if rows > FileContent.MostNullRows then
        throw input.error(
          0,
          ArrowErrorKind.Unsupported,
          s"a file whose fields are all of ${fields.map(_.tpe.show).distinct.mkString(", ")} must " +
            s"have at most ${FileContent.MostNullRows} rows, but has $rows"
        )
    else if rows / 8 > input.size then
      throw input.corrupt(0, s"$rows rows do not fit in ${input.size} bytes")
end FileContent

private[arrow] object FileContent:
  /** The most rows of a file without any byte for a row, whose number could be forged. */
  private val MostNullRows = 1L << 24

  /** The smallest size of a file: the padded magic, the footer's size and the closing magic. */
  private val LeastBytes = 8 + 4 + 6

  /** Reads the metadata of a file or of a stream. */
  def read(input: FileInput): FileContent =
    if MessageReader(input).isStream then StreamContent.read(input)
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
    val length = input.numbers(end - 4, 4).getInt
    val at = end - 4 - length
    if length < 0 || at < 8 then throw input.corrupt(end - 4, s"the footer has $length bytes")
    val footer = input.bytes(at, length)
    input.parsed(at, "the footer"):
      val root = Footer.getRootAsFooter(ByteBuffer.wrap(footer))
      val fields = this.fields(input, at, root.version, root.schema)
      val messages = MessageReader(input)
      // A block has 24 bytes, so a vector of more blocks than fit in the footer is corrupt.
      val batches = counted(root.recordBatchesLength, length, input, at).map: i =>
        messages.batch(messages.ofBlock(root.recordBatches(i)))
      val dictionaries = DictionaryVersions(input, isFile = true)
      counted(root.dictionariesLength, length, input, at).foreach: i =>
        dictionaries.add(messages.dictionary(messages.ofBlock(root.dictionaries(i))))
      // A delta may follow record batches that do not refer to its values.
      val all = batches.map(_.copy(dictionaries = dictionaries.current))
      of(input, fields, all, dictionaries.result())
  end readFile

  /** The content of a file or a stream. */
  def of(
      input: FileInput,
      fields: Vector[ArrowField],
      batches: Vector[BatchHeader],
      dictionaries: Vector[DictionaryHeader]
  ): FileContent =
    val rows = batches.foldLeft(0L)((sum, batch) => input.sum(sum, batch.rows))
    val content = FileContent(fields, batches, rows, Dictionaries(dictionaries))
    if content.codecs.isEmpty then content.checkRows(input)
    content

  def fields(input: FileInput, at: Long, version: Short, schema: Schema): Vector[ArrowField] =
    if version < MetadataVersion.V4 then
      throw input.error(at, ArrowErrorKind.Unsupported, "the metadata version is below 4")
    if schema.endianness != Endianness.Little then
      throw input.error(at, ArrowErrorKind.Unsupported, "its numbers are big-endian")
    ArrowField.all(schema, input, at)

  private def counted(count: Int, bytes: Int, input: FileInput, at: Long): Vector[Int] =
    if count < 0 || count > bytes / 24 then throw input.corrupt(at, s"it has $count batches")
    Vector.range(0, count)
end FileContent
