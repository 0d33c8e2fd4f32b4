package undercroft.arrow
package internal.ipc

import com.google.flatbuffers.FlatBufferBuilder
import internal.io.{ArrowFormat, ArrowOutput}
import org.apache.arrow.flatbuf.{
  BodyCompression,
  BodyCompressionMethod,
  Buffer,
  DictionaryBatch,
  FieldNode,
  Message,
  MessageHeader,
  MetadataVersion,
  RecordBatch
}
import scala.collection.mutable.ArrayBuffer

/** The position and the sizes of a message in a file or a stream. */
private[arrow] final case class MessagePlace(offset: Long, metadataBytes: Int, bodyBytes: Long)

/** Writes the messages of a file or a stream. Confined to one thread. */
private[arrow] final class MessageWriter(output: ArrowOutput, codec: Option[BufferCodec]):

  /** Writes a record batch or a dictionary batch. */
  def batch(planned: BatchPlan, dictionary: Option[Long]): MessagePlace = codec match
    case None => put(planned, dictionary)
    case Some(codec) =>
      val buffers = CompressedBuffers(planned, codec.codec, output)
      try put(buffers.plan, dictionary)
      finally buffers.close()

  private def put(planned: BatchPlan, dictionary: Option[Long]): MessagePlace =
    val sizes = planned.parts.map(part => ArrowFormat.padded(part.bytes))
    val starts = sizes.scanLeft(0L)(_ + _)
    val header =
      if dictionary.isEmpty then MessageHeader.RecordBatch else MessageHeader.DictionaryBatch
    val at = output.position
    val metadata = write(header, starts.last): builder =>
      val rows = record(builder, planned, starts)
      dictionary.fold(rows)(id => DictionaryBatch.createDictionaryBatch(builder, id, rows, false))
    for part <- planned.parts do
      part.write(output)
      output.pad()
    MessagePlace(at, metadata, starts.last)

  private def record(
      builder: FlatBufferBuilder,
      planned: BatchPlan,
      starts: ArrayBuffer[Long]
  ): Int =
    RecordBatch.startNodesVector(builder, planned.nodes.size)
    for (rows, nulls) <- planned.nodes.reverseIterator do
      FieldNode.createFieldNode(builder, rows, nulls): Unit
    val nodes = builder.endVector()
    RecordBatch.startBuffersVector(builder, planned.parts.size)
    for (part, start) <- planned.parts.zip(starts).reverseIterator do
      Buffer.createBuffer(builder, start, part.bytes): Unit
    val buffers = builder.endVector()
    val compression = codec.fold(0): codec =>
      BodyCompression.createBodyCompression(builder, codec.number, BodyCompressionMethod.BUFFER)
    RecordBatch.startRecordBatch(builder)
    RecordBatch.addLength(builder, planned.rows)
    RecordBatch.addNodes(builder, nodes)
    RecordBatch.addBuffers(builder, buffers)
    if compression != 0 then RecordBatch.addCompression(builder, compression)
    RecordBatch.endRecordBatch(builder)
  end record

  /** Writes the metadata of a message, padded so that its body is aligned; returns its size in
    * bytes.
    */
  def write(header: Byte, bodyBytes: Long)(content: FlatBufferBuilder => Int): Int =
    val builder = FlatBufferBuilder()
    val inside = content(builder)
    builder.finish(
      Message.createMessage(builder, MetadataVersion.V5, header, inside, bodyBytes, 0)
    )
    val bytes = builder.sizedByteArray
    val at = output.position
    val end = ArrowFormat.padded(at + 8 + bytes.length)
    output.putInt(ArrowFormat.Continuation)
    output.putInt((end - at - 8).toInt)
    output.put(bytes, bytes.length)
    output.pad()
    (end - at).toInt
end MessageWriter
