package undercroft.arrow

import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays
import org.apache.arrow.flatbuf.{
  Block,
  DictionaryBatch,
  Endianness,
  Footer,
  Message,
  MessageHeader,
  MetadataVersion,
  RecordBatch
}
import scala.collection.mutable.HashMap

/** A byte range of a file. */
private[arrow] final case class FileRange(at: Long, bytes: Long) derives CanEqual

/** The header of a record batch, checked against the size of the file. */
private[arrow] final case class BatchHeader(
    rows: Long,
    nodes: Vector[(Long, Long)],
    buffers: Vector[FileRange],
    variadic: Vector[Long],
    at: Long
)

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
end FileContent

private[arrow] object FileContent:
  /** The smallest size of a file: the padded magic, the footer's size and the closing magic. */
  private val LeastBytes = 8 + 4 + 6

  def read(input: FileInput): FileContent =
    if input.size < LeastBytes then
      throw input.error(
        input.size,
        ArrowErrorKind.NotAnArrowFile,
        s"it must have at least $LeastBytes bytes, but has ${input.size}"
      )
    val magic = ArrowFormat.Magic
    if !Arrays.equals(input.bytes(0, magic.length), magic) then
      val reason =
        if little(input.bytes(0, 4)).getInt == ArrowFormat.Continuation then
          "it is in Arrow's stream format; write it in the file format"
        else "it does not begin with ARROW1"
      throw input.error(0, ArrowErrorKind.NotAnArrowFile, reason)
    val end = input.size - magic.length
    if !Arrays.equals(input.bytes(end, magic.length), magic) then
      throw input.error(end, ArrowErrorKind.Truncated, "it does not end with ARROW1")
    val length = little(input.bytes(end - 4, 4)).getInt
    val at = end - 4 - length
    if length < 0 || at < 8 then throw input.corrupt(end - 4, s"the footer has $length bytes")
    val footer = input.bytes(at, length)
    input.parsed(at, "the footer"):
      val root = Footer.getRootAsFooter(ByteBuffer.wrap(footer))
      if root.version < MetadataVersion.V4 then
        throw input.error(at, ArrowErrorKind.Unsupported, "the metadata version is below 4")
      val schema = root.schema
      if schema.endianness != Endianness.Little then
        throw input.error(at, ArrowErrorKind.Unsupported, "its numbers are big-endian")
      val fields = ArrowField.all(schema, input, at)
      // A block has 24 bytes, so a vector of more blocks than fit in the footer is corrupt.
      val batches = counted(root.recordBatchesLength, length, input, at).map: i =>
        batch(input, root.recordBatches(i))
      val rows = batches.foldLeft(0L)((sum, batch) => input.sum(sum, batch.rows))
      // A value of a row has a bit at least. Rows of nulls alone have none, and could be forged.
      if rows / 8 > input.size then
        throw input.corrupt(at, s"$rows rows do not fit in a file of ${input.size} bytes")
      val dictionaries = counted(root.dictionariesLength, length, input, at).map: i =>
        dictionary(input, root.dictionaries(i))
      val twice = dictionaries.map(_._1).diff(dictionaries.map(_._1).distinct)
      twice.headOption.foreach: id =>
        throw input.error(at, ArrowErrorKind.Unsupported, s"dictionary $id has several batches")
      FileContent(fields, batches, rows, dictionaries.toMap)
  end read

  private def counted(count: Int, bytes: Int, input: FileInput, at: Long): Vector[Int] =
    if count < 0 || count > bytes / 24 then throw input.corrupt(at, s"it has $count batches")
    Vector.range(0, count)

  private def little(bytes: Array[Byte]): ByteBuffer =
    ByteBuffer.wrap(bytes).nn.order(ByteOrder.LITTLE_ENDIAN).nn

  /** Returns the message of a block, the range of its body and its metadata size. */
  private def message(input: FileInput, block: Block): (Message, FileRange, Int) =
    val (at, metadata) = (block.offset, block.metaDataLength)
    input.check(at, metadata, "a message")
    if metadata < 8 then
      throw input.corrupt(at, s"a message must have at least 8 bytes, but has $metadata")
    val body = FileRange(input.sum(at, metadata), block.bodyLength)
    input.check(body.at, body.bytes, "the body of a message")
    val bytes = input.bytes(at, metadata)
    // Before format 1.0, no continuation marker preceded the size.
    val start = if little(bytes).getInt == ArrowFormat.Continuation then 8 else 4
    (
      Message.getRootAsMessage(ByteBuffer.wrap(bytes, start, metadata - start).slice()),
      body,
      metadata
    )

  private def batch(input: FileInput, block: Block): BatchHeader =
    input.parsed(block.offset, "a batch"):
      val (message, body, metadata) = this.message(input, block)
      if message.headerType != MessageHeader.RecordBatch then
        throw input.corrupt(block.offset, "the message is not a record batch")
      val batch = RecordBatch()
      message.header(batch)
      head(input, batch, block.offset, body, metadata)

  private def dictionary(input: FileInput, block: Block): (Long, BatchHeader) =
    input.parsed(block.offset, "a dictionary"):
      val (message, body, metadata) = this.message(input, block)
      if message.headerType != MessageHeader.DictionaryBatch then
        throw input.corrupt(block.offset, "the message is not a dictionary batch")
      val dictionary = DictionaryBatch()
      message.header(dictionary)
      if dictionary.isDelta then
        throw input.error(block.offset, ArrowErrorKind.Unsupported, "it is a delta dictionary")
      (dictionary.id, head(input, dictionary.data, block.offset, body, metadata))

  private def head(
      input: FileInput,
      batch: RecordBatch,
      at: Long,
      body: FileRange,
      metadata: Int
  ): BatchHeader =
    if batch.compression != null then
      throw input.error(
        at,
        ArrowErrorKind.Unsupported,
        "the buffers are compressed; write the file without compression"
      )
    def some[A](count: Int, bytes: Int)(entry: Int => A): Vector[A] =
      if count < 0 || count > metadata / bytes then
        throw input.corrupt(at, s"$count entries of $bytes bytes do not fit in $metadata bytes")
      Vector.tabulate(count)(entry)
    val nodes = some(batch.nodesLength, 16): i =>
      val node = batch.nodes(i)
      (node.length, node.nullCount)
    val buffers = some(batch.buffersLength, 16): i =>
      val buffer = batch.buffers(i)
      val (start, bytes) = (buffer.offset, buffer.length)
      if start < 0 || bytes < 0 || bytes > body.bytes || start > body.bytes - bytes then
        throw input.corrupt(
          at,
          s"a buffer of $bytes bytes at $start is outside its body of ${body.bytes} bytes"
        )
      FileRange(body.at + start, bytes)
    val variadic = some(batch.variadicBufferCountsLength, 8)(batch.variadicBufferCounts(_))
    if batch.length < 0 then throw input.corrupt(at, s"a batch has ${batch.length} rows")
    BatchHeader(batch.length, nodes, buffers, variadic, at)
  end head
end FileContent
