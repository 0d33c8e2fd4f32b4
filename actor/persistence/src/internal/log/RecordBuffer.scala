package undercroft.actor
package persistence
package internal.log

import java.lang.foreign.{Arena, MemorySegment, ValueLayout}
import java.util.zip.CRC32C
import undercroft.file.format.internal.storage.MappedFaults

/** Memory for one record, in which it is encoded, compared with its checksum and decoded. It is a
  * copy of the file's bytes, so a file that is cut meanwhile gives an error and no wrong value.
  * Confined to one thread at a time.
  */
private[persistence] final class RecordBuffer[A](format: RecordFormat[A]):
  private val record = memory(format.stride)

  /** A record as an older file has it. */
  private var older = record

  /** The memory of the last checksum, and its view as a buffer. */
  private var checked = record
  private var bytes = record.asByteBuffer
  private val crc = CRC32C()

  private def memory(bytes: Long): MemorySegment =
    Arena.ofAuto().nn.allocate(bytes, format.alignment.max(8)).nn

  private def unconverted(bytes: Long): MemorySegment =
    if (older eq record) || older.byteSize != bytes then older = memory(bytes)
    older

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
    val conversion = segment.conversion
    val copy = if conversion == null then record else unconverted(stride)
    MemorySegment.copy(segment.data, row * stride, copy, 0, stride)
    MappedFaults.rethrow()
    val check = copy.get(ValueLayout.JAVA_INT, RecordFormat.Check)
    copy.set(ValueLayout.JAVA_INT, RecordFormat.Check, 0)
    if checksum(copy) != check then
      throw JournalException.corrupt(
        segment.path,
        row,
        stride,
        "the record differs from its checksum"
      )
    if conversion != null then
      record.fill(0): Unit
      conversion.run(copy, 1, record, 1, 1)
  end load

  private def checksum(of: MemorySegment): Int =
    if of ne checked then
      bytes = of.asByteBuffer
      checked = of
    crc.reset()
    crc.update(bytes.clear())
    crc.getValue.toInt

  def id: Long = record.get(ValueLayout.JAVA_LONG, RecordFormat.Id)
  def sequence: Long = record.get(ValueLayout.JAVA_LONG, RecordFormat.Sequence)
  def previous: Long = record.get(ValueLayout.JAVA_LONG, RecordFormat.Previous)
  def value: A = format.struct.loadAligned(record, format.valueOffset)
end RecordBuffer
