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
import undercroft.structfile.{Column, Lanes, TextLane}

/** Writes rows as an Arrow file: the schema, a batch of names for each enum, the rows in batches,
  * and a footer that says where they are.
  */
private[arrow] final class ArrowWriter(lanes: Lanes, output: Output, mostRows: Int):
  import ArrowWriter.*

  private val schema = ArrowSchema(lanes.columns)
  private val dictionaries = ArrayBuffer[Place]()
  private val batches = ArrayBuffer[Place]()

  /** A file that becomes shorter meanwhile ends it; then what was written is nothing. */
  def write(): Unit =
    lanes.confirm()
    output.put(ArrowFile.Magic, ArrowFile.Magic.length)
    output.put(0.toByte)
    output.put(0.toByte)
    message(MessageHeader.Schema, 0)(schema.build): Unit
    for (cases, number) <- schema.dictionaries.zipWithIndex do
      dictionaries += batch(Planned.of(cases), Some(number.toLong))
    var from = 0L
    while from < lanes.rows do
      val rows = Math.min(perBatch, lanes.rows - from).toInt
      val plan = RowsPlan(lanes, from, rows, output)
      lanes.columns.foreach(plan.add(_))
      batches += batch(plan.planned, None)
      lanes.confirm()
      from += rows
    output.putInt(Continuation)
    output.putInt(0)
    footer()
  end write

  /** Rows of a batch: so few that its longest texts are less than 2 GiB. */
  private def perBatch: Long =
    val longest = lanes.columns.map(longestText).maxOption.getOrElse(0)
    if longest == 0 then mostRows
    else Math.min(mostRows, Int.MaxValue / (longest.toLong * TextLane.Replaced))

  private def longestText(column: Column): Int = column match
    case Column.Text(_, _, size)      => size
    case Column.Record(_, fields)     => fields.map(longestText).maxOption.getOrElse(0)
    case Column.Optional(_, _, value) => longestText(value)
    case Column.OneOf(_, _, members)  => members.map(longestText).maxOption.getOrElse(0)
    case _                            => 0

  /** Writes a batch of rows, or of a dictionary's values. */
  private def batch(planned: Planned, dictionary: Option[Long]): Place =
    val sizes = planned.parts.map(part => padded(part.bytes))
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
      planned: Planned,
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

  /** Writes the head of a message, padded so that its body is aligned; how many bytes it has. */
  private def message(header: Byte, bodyBytes: Long)(content: FlatBufferBuilder => Int): Int =
    val builder = FlatBufferBuilder()
    val inside = content(builder)
    builder.finish(
      Message.createMessage(builder, MetadataVersion.V5, header, inside, bodyBytes, 0)
    )
    val bytes = builder.sizedByteArray
    val at = output.position
    val end = padded(at + 8 + bytes.length)
    output.putInt(Continuation)
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
    output.put(ArrowFile.Magic, ArrowFile.Magic.length)

  private def blocks(builder: FlatBufferBuilder, places: ArrayBuffer[Place]): Unit =
    for place <- places.reverseIterator do
      Block.createBlock(builder, place.offset, place.metadataBytes, place.bodyBytes): Unit
end ArrowWriter

private[arrow] object ArrowWriter:
  /** Stands before each message. */
  final val Continuation = -1

  /** Where a message is in the file. */
  private final case class Place(offset: Long, metadataBytes: Int, bodyBytes: Long)

  def padded(bytes: Long): Long =
    (bytes + ArrowFile.Alignment - 1) / ArrowFile.Alignment * ArrowFile.Alignment
end ArrowWriter
