package undercroft.arrow
package internal.exchange

import internal.columns.BatchEncoder
import internal.io.{ArrowFormat, ArrowOutput}
import internal.ipc.{ArrowSource, BatchPlan, BufferPlan}
import internal.schema.ArrowSchema
import java.io.OutputStream
import java.lang.foreign.{MemorySegment, ValueLayout}
import java.util.concurrent.atomic.AtomicInteger
import org.apache.arrow.flatbuf.{Field, Type as TypeCode}
import scala.collection.mutable.Queue
import undercroft.file.FieldSlices

/** Exports the rows of a table as `ArrowArray` structs of the C data interface, one for each batch.
  * Runs on a thread that may access the table.
  *
  * @param isBorrowed
  *   whether buffers that equal the table's memory are that memory, and not copies
  */
private[arrow] final class ExportedArrays(
    lanes: FieldSlices,
    mostRows: Int,
    isBorrowed: Boolean,
    unreleased: AtomicInteger
):
  import CStructs.*

  private val schema = ExportedSchema(lanes.columns)
  private val target = SegmentTarget()
  private val output = ArrowOutput(target, ArrowSource.StreamName)
  private val dictionaries = ArrowSchema(lanes.columns).dictionaries

  /** The stream of all batches. */
  def stream: ExportedStream =
    val arrays = Queue[Long]()
    try
      lanes.confirm()
      BatchEncoder.eachBatch(lanes, mostRows, output)(planned => arrays += array(planned))
      ExportedStream(schema, arrays, unreleased)
    catch
      case error: Throwable =>
        arrays.foreach(ArrowCallbacks.releasedArray(_))
        throw error

  /** Exports a batch; returns the address of its struct. */
  private def array(planned: BatchPlan): Long =
    val memory = ExportedMemory(unreleased)
    try
      val root = memory.arena.allocate(Array.Bytes, 8).nn.address
      val batch = Batch(memory, planned)
      fill(memory, root, planned.rows, 0, Seq(0L))
      batch.putChildren(root, schema.fields)
      root
    catch
      case error: Throwable =>
        memory.free()
        throw error

  private def fill(
      memory: ExportedMemory,
      target: Long,
      rows: Long,
      nulls: Long,
      buffers: Seq[Long]
  ): Unit =
    val pointers = memory.arena.allocateFrom(ValueLayout.JAVA_LONG, buffers*).nn
    setLong(target + Array.Length, rows)
    setLong(target + Array.NullCount, nulls)
    setLong(target + Array.BufferCount, buffers.size)
    setLong(target + Array.Buffers, pointers.address)
    setLong(target + Array.Release, ArrowCallbacks.releaseArray)
    setLong(target + Array.PrivateData, memory.addStruct())

  /** The nodes and buffers of a batch, in the depth-first order of its fields. */
  private final class Batch(memory: ExportedMemory, planned: BatchPlan):
    private val nodes = planned.nodes.iterator
    private val parts = planned.parts.iterator
    private val cases = dictionaries.iterator

    def putChildren(target: Long, fields: Vector[Field]): Unit =
      val pointers = ExportedSchema.structs(memory.arena, fields.size, Array.Bytes)
      setLong(target + Array.Children, fields.size)
      setLong(target + Array.ChildPointers, pointers)
      for (field, i) <- fields.zipWithIndex do putField(long(pointers + 8 * i), field)

    private def putField(target: Long, field: Field): Unit =
      val hasDictionary = field.dictionary != null
      putNode(target, if hasDictionary then 2 else bufferCount(field.typeType))
      if hasDictionary then
        val values = memory.arena.allocate(Array.Bytes, 8).nn.address
        Batch(memory, BatchPlan.of(cases.next())).putNode(values, bufferCount(field.typeType))
        setLong(target + Array.Dictionary, values)
      else putChildren(target, Vector.tabulate(field.childrenLength)(field.children(_).nn))

    private def putNode(target: Long, bufferCount: Int): Unit =
      val (rows, nulls) = nodes.next()
      val validity = parts.next()
      val first = if nulls == 0 then 0L else buffer(validity)
      val buffers = first +: Seq.fill(bufferCount - 1)(buffer(parts.next()))
      fill(memory, target, rows, nulls, buffers)

    private def bufferCount(code: Byte): Int = code match
      case TypeCode.Struct_ | TypeCode.FixedSizeList => 1
      case TypeCode.Utf8 | TypeCode.Binary           => 3
      case _                                         => 2

    /** The address of a buffer's bytes. */
    private def buffer(part: BufferPlan): Long =
      if isBorrowed && part.address != 0 && part.bytes > 0 then part.address
      else
        // Readers may load whole words at the end.
        val bytes = ArrowFormat.padded(Math.max(1, part.bytes))
        val segment = memory.arena.allocate(bytes, ArrowFormat.Alignment).nn
        target.open(segment)
        part.write(output)
        output.flush()
        segment.address
  end Batch

  /** Stores bytes to the segment of a buffer. */
  private final class SegmentTarget extends OutputStream:
    private var segment = MemorySegment.NULL.nn
    private var position = 0L
    def open(next: MemorySegment): Unit =
      segment = next
      position = 0
    def write(byte: Int): Unit = write(scala.Array(byte.toByte), 0, 1)
    override def write(bytes: scala.Array[Byte], offset: Int, count: Int): Unit =
      MemorySegment.copy(bytes, offset, segment, ValueLayout.JAVA_BYTE, position, count)
      position += count
end ExportedArrays
