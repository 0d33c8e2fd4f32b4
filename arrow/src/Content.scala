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

/** Where a part of a file is. */
private[arrow] final case class Extent(at: Long, bytes: Long) derives CanEqual

/** What the head of a record batch says, as far as it agrees with the file. */
private[arrow] final case class Head(
    rows: Long,
    nodes: Vector[(Long, Long)],
    buffers: Vector[Extent],
    variadic: Vector[Long],
    at: Long
)

/** What an Arrow file says of itself: its fields, its batches, and its dictionaries by their ids.
  */
private[arrow] final class Content(
    val fields: Vector[InField],
    val batches: Vector[Head],
    dictionaries: Map[Long, Head]
):
  private val known = HashMap[Long, Vector[Option[String]]]()

  /** The values of a dictionary, which are read once. */
  def values(id: Long)(read: Head => Vector[Option[String]]): Option[Vector[Option[String]]] =
    dictionaries.get(id).map(head => known.getOrElseUpdate(id, read(head)))
end Content

private[arrow] object Content:
  /** The least that a file has: the magic, padded, the footer's size and the magic. */
  private val LeastBytes = 8 + 4 + 6

  def read(input: Input): Content =
    if input.size < LeastBytes then
      throw input.fault(input.size, ArrowFault.Foreign, s"it has ${input.size} bytes")
    val magic = ArrowFile.Magic
    if !Arrays.equals(input.bytes(0, magic.length), magic) then
      throw input.fault(0, ArrowFault.Foreign, "it does not begin with ARROW1")
    val end = input.size - magic.length
    if !Arrays.equals(input.bytes(end, magic.length), magic) then
      throw input.fault(end, ArrowFault.Truncated, "it does not end with ARROW1")
    val length = little(input.bytes(end - 4, 4)).getInt
    val at = end - 4 - length
    if length < 0 || at < 8 then throw input.damaged(end - 4, s"a footer of $length bytes")
    val footer = input.bytes(at, length)
    input.parsed(at, "the footer"):
      val root = Footer.getRootAsFooter(ByteBuffer.wrap(footer))
      if root.version < MetadataVersion.V4 then
        throw input.fault(at, ArrowFault.Unsupported, "metadata before version 4")
      val schema = root.schema
      if schema.endianness != Endianness.Little then
        throw input.fault(at, ArrowFault.Unsupported, "numbers whose highest byte is first")
      val fields = InField.all(schema, input, at)
      // A block has 24 bytes: a vector of more of them than the footer has is none.
      val batches = counted(root.recordBatchesLength, length, input, at).map: i =>
        batch(input, root.recordBatches(i))
      val dictionaries = counted(root.dictionariesLength, length, input, at).map: i =>
        dictionary(input, root.dictionaries(i))
      val twice = dictionaries.map(_._1).diff(dictionaries.map(_._1).distinct)
      twice.headOption.foreach: id =>
        throw input.fault(at, ArrowFault.Unsupported, s"several batches of dictionary $id")
      Content(fields, batches, dictionaries.toMap)
  end read

  private def counted(count: Int, bytes: Int, input: Input, at: Long): Vector[Int] =
    if count < 0 || count > bytes / 24 then throw input.damaged(at, s"$count batches")
    Vector.range(0, count)

  private def little(bytes: Array[Byte]): ByteBuffer =
    ByteBuffer.wrap(bytes).nn.order(ByteOrder.LITTLE_ENDIAN).nn

  /** The message of a block, and where its body is. */
  private def message(input: Input, block: Block): (Message, Extent, Int) =
    val (at, metadata) = (block.offset, block.metaDataLength)
    input.check(at, metadata, "a message")
    if metadata < 8 then throw input.damaged(at, s"a message of $metadata bytes")
    val body = Extent(input.sum(at, metadata), block.bodyLength)
    input.check(body.at, body.bytes, "the body of a message")
    val bytes = input.bytes(at, metadata)
    // Before format 1.0 nothing stood before the size.
    val start = if little(bytes).getInt == ArrowWriter.Continuation then 8 else 4
    (
      Message.getRootAsMessage(ByteBuffer.wrap(bytes, start, metadata - start).slice()),
      body,
      metadata
    )

  private def batch(input: Input, block: Block): Head =
    input.parsed(block.offset, "a batch"):
      val (message, body, metadata) = this.message(input, block)
      if message.headerType != MessageHeader.RecordBatch then
        throw input.damaged(block.offset, "a message that is no batch of rows")
      val batch = RecordBatch()
      message.header(batch)
      head(input, batch, block.offset, body, metadata)

  private def dictionary(input: Input, block: Block): (Long, Head) =
    input.parsed(block.offset, "a dictionary"):
      val (message, body, metadata) = this.message(input, block)
      if message.headerType != MessageHeader.DictionaryBatch then
        throw input.damaged(block.offset, "a message that is no dictionary")
      val dictionary = DictionaryBatch()
      message.header(dictionary)
      if dictionary.isDelta then
        throw input.fault(block.offset, ArrowFault.Unsupported, "a dictionary in several parts")
      (dictionary.id, head(input, dictionary.data, block.offset, body, metadata))

  private def head(
      input: Input,
      batch: RecordBatch,
      at: Long,
      body: Extent,
      metadata: Int
  ): Head =
    if batch.compression != null then
      throw input.fault(at, ArrowFault.Unsupported, "compressed buffers: write it uncompressed")
    def some[A](count: Int, bytes: Int)(one: Int => A): Vector[A] =
      if count < 0 || count > metadata / bytes then
        throw input.damaged(at, s"a batch with $count of something in $metadata bytes")
      Vector.tabulate(count)(one)
    val nodes = some(batch.nodesLength, 16): i =>
      val node = batch.nodes(i)
      (node.length, node.nullCount)
    val buffers = some(batch.buffersLength, 16): i =>
      val buffer = batch.buffers(i)
      val (start, bytes) = (buffer.offset, buffer.length)
      if start < 0 || bytes < 0 || bytes > body.bytes || start > body.bytes - bytes then
        throw input.damaged(at, s"a buffer at $start of $bytes bytes in a body of ${body.bytes}")
      Extent(body.at + start, bytes)
    val variadic = some(batch.variadicBufferCountsLength, 8)(batch.variadicBufferCounts(_))
    if batch.length < 0 then throw input.damaged(at, s"a batch of ${batch.length} rows")
    Head(batch.length, nodes, buffers, variadic, at)
  end head
end Content
