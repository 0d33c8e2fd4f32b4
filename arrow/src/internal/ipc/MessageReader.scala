package undercroft.arrow
package internal.ipc

import internal.io.{ArrowFormat, FileInput}
import java.nio.ByteBuffer
import org.apache.arrow.flatbuf.{
  Block,
  BodyCompressionMethod,
  CompressionType,
  DictionaryBatch,
  Message,
  MessageHeader,
  MetadataVersion,
  RecordBatch
}

/** A message with the range of its body. The constructor reads the type, which may fail, as may all
  * reads of a message.
  */
private[arrow] final class ArrowMessage(
    val message: Message,
    val at: Long,
    val metadataBytes: Int,
    val body: FileRange
):
  val headerType: Byte = message.headerType

/** Reads the messages of a file or a stream. Confined to one thread. */
private[arrow] final class MessageReader(input: FileInput):

  /** The message that a block of the footer refers to. */
  def ofBlock(block: Block): ArrowMessage =
    val (at, metadata) = (block.offset, block.metaDataLength)
    input.parsed(at, "a message"):
      input.check(at, metadata, "a message")
      if metadata < 8 then
        throw input.corrupt(at, s"a message must have at least 8 bytes, but has $metadata")
      val body = FileRange(input.sum(at, metadata), block.bodyLength)
      input.check(body.at, body.bytes, "the body of a message")
      val bytes = input.bytes(at, metadata)
      // Before format 1.0, no continuation marker preceded the size.
      val start = if FileInput.numbers(bytes).getInt == ArrowFormat.Continuation then 8 else 4
      ArrowMessage(parsed(bytes, start), at, metadata, body)

  /** Whether the input begins with the message of a schema. */
  def isStream: Boolean =
    def size = input.numbers(0, 4).getInt
    if input.size < 8 then false
    else if size == ArrowFormat.Continuation then true
    else if size <= 0 || size > input.size - 4 || size > ArrowFormat.MostUnmarkedBytes then false
    else
      try parsed(input.bytes(0, 4 + size), 4).headerType == MessageHeader.Schema
      catch case _: RuntimeException => false // the bytes are no message

  /** The message at a position of a stream; None at its end. */
  def atStream(at: Long): Option[ArrowMessage] =
    input.parsed(at, "a message"):
      if at == input.size then None
      else
        input.check(at, 4, "the prefix of a message")
        val first = input.numbers(at, 4).getInt
        // Before format 1.0, no continuation marker preceded the size.
        val prefix = if first == ArrowFormat.Continuation then 8 else 4
        input.check(at, prefix, "the prefix of a message")
        val length =
          if prefix == 4 then first else input.numbers(at + 4, 4).getInt
        if length < 0 then throw input.corrupt(at, s"a message has $length bytes")
        else if length == 0 then None
        else
          input.check(at, prefix.toLong + length, "a message")
          if length > Int.MaxValue - 8 then
            throw input.corrupt(at, s"a message has $length bytes, more than ${Int.MaxValue - 8}")
          val message = parsed(input.bytes(at, prefix + length), prefix)
          val body = FileRange(at + prefix + length, message.bodyLength)
          input.check(body.at, body.bytes, "the body of a message")
          Some(ArrowMessage(message, at, prefix + length, body))

  private def parsed(bytes: Array[Byte], start: Int): Message =
    Message.getRootAsMessage(ByteBuffer.wrap(bytes, start, bytes.length - start).slice())

  def batch(of: ArrowMessage): BatchHeader =
    input.parsed(of.at, "a batch"):
      if of.headerType != MessageHeader.RecordBatch then
        throw input.corrupt(of.at, "the message is not a record batch")
      val batch = RecordBatch()
      of.message.header(batch)
      header(batch, of)

  def dictionary(of: ArrowMessage): DictionaryHeader =
    input.parsed(of.at, "a dictionary"):
      if of.headerType != MessageHeader.DictionaryBatch then
        throw input.corrupt(of.at, "the message is not a dictionary batch")
      val dictionary = DictionaryBatch()
      of.message.header(dictionary)
      DictionaryHeader(dictionary.id, dictionary.isDelta, header(dictionary.data, of))

  private def header(batch: RecordBatch, of: ArrowMessage): BatchHeader =
    val (at, body) = (of.at, of.body)
    def some[A](count: Int, bytes: Int)(entry: Int => A): Vector[A] =
      if count < 0 || count > of.metadataBytes / bytes then
        throw input.corrupt(
          at,
          s"$count entries of $bytes bytes do not fit in ${of.metadataBytes} bytes"
        )
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
    val isOld = of.message.version < MetadataVersion.V5
    BatchHeader(
      batch.length,
      nodes,
      buffers,
      variadic,
      at,
      codec(batch, at),
      hasUnionBitmaps = isOld
    )
  end header

  private def codec(batch: RecordBatch, at: Long): Option[String] =
    Option(batch.compression).map: compression =>
      if compression.method != BodyCompressionMethod.BUFFER then
        throw input.error(
          at,
          ArrowErrorKind.Unsupported,
          s"the method of compression is ${compression.method}; only ${BodyCompressionMethod.BUFFER}," +
            " which compresses each buffer, is known"
        )
      compression.codec match
        case CompressionType.LZ4_FRAME => "LZ4_FRAME"
        case CompressionType.ZSTD      => "ZSTD"
        case other =>
          throw input.error(
            at,
            ArrowErrorKind.Unsupported,
            s"the buffers are compressed with codec $other; known are 0 (LZ4_FRAME) and 1 (ZSTD)"
          )
end MessageReader
