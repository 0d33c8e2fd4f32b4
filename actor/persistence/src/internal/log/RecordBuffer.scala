package undercroft.actor
package persistence
package internal.log

import java.lang.foreign.{Arena, MemorySegment, ValueLayout}
import java.util.zip.CRC32C
import undercroft.file.format.MappedFaults

/** Memory for one record, in which it is encoded, compared with its checksum and decoded. It is a
  * copy of the file's bytes, so a file that is cut meanwhile gives an error and no wrong value.
  * Confined to one thread at a time.
  */
private[persistence] final class RecordBuffer[A](format: RecordFormat[A]):
  private val record = memory(format.stride)
  private var source = record
  private val crc = CRC32C()

  private def memory(bytes: Long): MemorySegment =
    Arena.ofAuto().nn.allocate(bytes, format.alignment.max(8)).nn

  /** Encodes a record; an exception of the value's own encoding passes through. */
  def encode(id: Long, sequence: Long, previous: Long, value: A): Unit =
    record.fill(0): Unit
    record.set(ValueLayout.JAVA_LONG, RecordFormat.Id, id)
    record.set(ValueLayout.JAVA_LONG, RecordFormat.Sequence, sequence)
    record.set(ValueLayout.JAVA_LONG, RecordFormat.Previous, previous)
    format.struct.storeAligned(record, format.valueOffset, value)
    record.set(ValueLayout.JAVA_INT, RecordFormat.Check, checksum(record))

  /** Copies the encoded record to a row. */
  def copyTo(data: MemorySegment, row: Long): Unit =
    MemorySegment.copy(record, 0, data, row * format.stride, format.stride)

  /** Copies a row, compares it with its checksum and converts it to the format.
    *
    * @throws JournalException
    *   if the checksum differs
    * @throws java.lang.InternalError
    *   if the row is on a page that was cut off
    */
  def load(segment: LogSegment, row: Long): Unit =
    val stride = segment.stride
    if source.byteSize != stride then source = memory(stride)
    MemorySegment.copy(segment.data, row * stride, source, 0, stride)
    MappedFaults.rethrow()
    val check = source.get(ValueLayout.JAVA_INT, RecordFormat.Check)
    source.set(ValueLayout.JAVA_INT, RecordFormat.Check, 0)
    if checksum(source) != check then
      throw JournalException.corrupt(
        segment.path,
        row,
        stride,
        "the record differs from its checksum"
      )
    if source ne record then
      val conversion = segment.conversion
      record.fill(0): Unit
      if conversion == null then MemorySegment.copy(source, 0, record, 0, stride)
      else conversion.run(source, 1, record, 1, 1)
  end load

  private def checksum(of: MemorySegment): Int =
    crc.reset()
    crc.update(of.asByteBuffer)
    crc.getValue.toInt

  def id: Long = record.get(ValueLayout.JAVA_LONG, RecordFormat.Id)
  def sequence: Long = record.get(ValueLayout.JAVA_LONG, RecordFormat.Sequence)
  def previous: Long = record.get(ValueLayout.JAVA_LONG, RecordFormat.Previous)
  def value: A = format.struct.loadAligned(record, format.valueOffset)
end RecordBuffer
