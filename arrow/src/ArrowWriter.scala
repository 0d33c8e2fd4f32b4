package undercroft.arrow

import com.google.flatbuffers.FlatBufferBuilder
import org.apache.arrow.flatbuf.{
  Block,
  Buffer,
  DictionaryBatch,
  FieldNode,
  Footer,
  Message,
  MessageHeader,
  MetadataVersion,
  RecordBatch
}
import scala.collection.mutable.ArrayBuffer
import undercroft.file.{ColumnKind, FieldSlices, TextSlice}

/** Writes rows as an Arrow file or stream: the schema, one dictionary batch for each enum, the
  * record batches; in a file also the magic bytes and a footer with the positions of the batches.
  */
private[arrow] final class ArrowWriter(lanes: FieldSlices, output: ArrowOutput, mostRows: Int):
  import ArrowWriter.*

  private val schema = ArrowSchema(lanes.columns)
  private val offsets = lanes.columns.flatMap(_.offsets).toArray
  private val dictionaries = ArrayBuffer[Place]()
  private val batches = ArrayBuffer[Place]()

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
    message(MessageHeader.Schema, 0)(schema.build): Unit
    for (cases, number) <- schema.dictionaries.zipWithIndex do
      dictionaries += batch(BatchPlan.of(cases), Some(number.toLong))
    var from = 0L
    while from < lanes.rows do
      val rows = Math.min(perBatch, lanes.rows - from).toInt
      lanes.compare(from, from + rows, offsets)
      val plan = BatchEncoder(lanes, from, rows, output)
      lanes.columns.foreach(plan.add(_))
      batches += batch(plan.planned, None)
      lanes.confirm()
      from += rows
    output.putInt(ArrowFormat.Continuation)
    output.putInt(0)
  end writeMessages

  /** Rows per batch, limited so that the text of one column stays below 2 GiB. */
  private def perBatch: Long =
    val longest = lanes.columns.map(longestText).maxOption.getOrElse(0)
    if longest == 0 then mostRows
    else Math.min(mostRows, Int.MaxValue / (longest.toLong * TextSlice.Replaced))

  private def longestText(column: ColumnKind): Int = column match
    case ColumnKind.Text(_, _, size)      => size
    case ColumnKind.Record(_, fields)     => fields.map(longestText).maxOption.getOrElse(0)
    case ColumnKind.Optional(_, _, value) => longestText(value)
    case ColumnKind.Logical(_, _, of)     => longestText(of)
    case ColumnKind.OneOf(_, _, members)  => members.map(longestText).maxOption.getOrElse(0)
    case _                                => 0

  /** Writes a record batch or a dictionary batch. */
  private def batch(planned: BatchPlan, dictionary: Option[Long]): Place =
    val sizes = planned.parts.map(part => ArrowFormat.padded(part.bytes))
    val starts = sizes.scanLeft(0L)(_ + _)
    val header =
      if dictionary.isEmpty then MessageHeader.RecordBatch else MessageHeader.DictionaryBatch
    val at = output.position
    val metadata = message(header, starts.last): builder =>
      val rows = record(builder, planned, starts)
      dictionary.fold(rows)(id => DictionaryBatch.createDictionaryBatch(builder, id, rows, false))
    for part <- planned.parts do
      part.write(output)
      output.pad()
    Place(at, metadata, starts.last)

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
    RecordBatch.startRecordBatch(builder)
    RecordBatch.addLength(builder, planned.rows)
    RecordBatch.addNodes(builder, nodes)
    RecordBatch.addBuffers(builder, buffers)
    RecordBatch.endRecordBatch(builder)

  /** Writes the metadata of a message, padded so that its body is aligned; returns its size in
    * bytes.
    */
  private def message(header: Byte, bodyBytes: Long)(content: FlatBufferBuilder => Int): Int =
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

  private def blocks(builder: FlatBufferBuilder, places: ArrayBuffer[Place]): Unit =
    for place <- places.reverseIterator do
      Block.createBlock(builder, place.offset, place.metadataBytes, place.bodyBytes): Unit
end ArrowWriter

private[arrow] object ArrowWriter:
  /** The position and the sizes of a message in the file. */
  private final case class Place(offset: Long, metadataBytes: Int, bodyBytes: Long)
