package undercroft.arrow
package internal.columns

import com.google.flatbuffers.FlatBufferBuilder
import internal.io.{ArrowFormat, ArrowOutput}
import internal.ipc.{BatchPlan, MessagePlace, MessageWriter}
import internal.schema.ArrowSchema
import org.apache.arrow.flatbuf.{Block, Footer, MessageHeader, MetadataVersion}
import scala.collection.mutable.ArrayBuffer
import undercroft.file.FieldSlices

/** Writes rows as an Arrow file or stream: the schema, one dictionary batch for each enum, the
  * record batches; in a file also the magic bytes and a footer with the positions of the batches.
  */
private[arrow] final class ArrowWriter(
    lanes: FieldSlices,
    output: ArrowOutput,
    mostRows: Int,
    codec: Option[BufferCodec],
    limits: BatchLimits = BatchLimits.default
):
  private val schema = ArrowSchema(lanes.columns)
  private val messages = MessageWriter(output, codec)
  private val dictionaries = ArrayBuffer[MessagePlace]()
  private val batches = ArrayBuffer[MessagePlace]()

  /** Writes the whole file. Throws if a mapped source file is truncated meanwhile; the output is
    * then invalid.
    */
  def writeFile(): Unit =
    lanes.confirm()
    output.put(ArrowFormat.Magic, ArrowFormat.Magic.length)
    output.put(0.toByte)
    output.put(0.toByte)
    writeMessages()
    footer()

  /** Writes the whole stream, as [[writeFile]] does. */
  def writeStream(): Unit =
    lanes.confirm()
    writeMessages()

  private def writeMessages(): Unit =
    messages.write(MessageHeader.Schema, 0)(schema.build): Unit
    for (cases, number) <- schema.dictionaries.zipWithIndex do
      dictionaries += messages.batch(BatchPlan.of(cases), Some(number.toLong))
    BatchEncoder.eachBatch(lanes, mostRows, output, limits): planned =>
      batches += messages.batch(planned, None)
    output.putInt(ArrowFormat.Continuation)
    output.putInt(0)
  end writeMessages

  private def footer(): Unit =
    val builder = FlatBufferBuilder()
    val fields = schema.build(builder)
    Footer.startDictionariesVector(builder, dictionaries.size)
    blocks(builder, dictionaries)
    val names = builder.endVector()
    Footer.startRecordBatchesVector(builder, batches.size)
    blocks(builder, batches)
    val rows = builder.endVector()
    builder.finish(Footer.createFooter(builder, MetadataVersion.V5, fields, names, rows, 0))
    val bytes = builder.sizedByteArray
    output.put(bytes, bytes.length)
    output.putInt(bytes.length)
    output.put(ArrowFormat.Magic, ArrowFormat.Magic.length)

  private def blocks(builder: FlatBufferBuilder, places: ArrayBuffer[MessagePlace]): Unit =
    for place <- places.reverseIterator do
      Block.createBlock(builder, place.offset, place.metadataBytes, place.bodyBytes): Unit
end ArrowWriter
