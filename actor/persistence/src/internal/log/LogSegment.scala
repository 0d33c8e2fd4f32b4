package undercroft.actor
package persistence
package internal.log

import java.io.{IOException, UncheckedIOException}
import java.lang.foreign.{Arena, MemorySegment, ValueLayout}
import java.nio.channels.FileChannel
import java.nio.file.{Files, Path, StandardOpenOption}
import undercroft.file.format.{Checksums, Durability, Evolution, Schema}
import undercroft.file.format.internal.evolution.SchemaConversion
import undercroft.file.format.{StructFile, StructFileException, StructWriter}

/** One file of a log. It is written by at most one thread; its committed rows are read by any. */
private[persistence] sealed abstract class LogSegment(val number: Int, val path: Path)
    extends AutoCloseable:
  /** The bytes of a row, as the file has it. */
  def stride: Long
  def data: MemorySegment

  /** The number of committed rows. */
  def rows: Long

  /** The conversion of a row to the present format, or null if the bytes are the same. */
  def conversion: SchemaConversion | Null

  /** Throws if the file was cut below its rows. */
  def check(): Unit

  def translate(error: InternalError): StructFileException

  def close(): Unit

  /** The position of the record before this one, without a comparison of checksums. */
  final def previousOf(row: Long): Long =
    data.get(LogSegment.Word, row * stride + RecordFormat.Previous)

  /** The number of the record, without a comparison of checksums. */
  final def sequenceOf(row: Long): Long =
    data.get(LogSegment.Word, row * stride + RecordFormat.Sequence)

  /** Forces the file to the disk: its mapped pages, and what the system has of it.
    *
    * @throws ForceFailedException
    *   if the disk does not accept it
    */
  final def force(): Unit =
    val channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)
    try
      val arena = Arena.ofConfined()
      try
        val mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size, arena).nn
        try
          mapped.force()
          channel.force(true)
        catch case error: (IOException | UncheckedIOException) => throw ForceFailedException(error)
      finally arena.close()
    finally channel.close()

  /** Closes and deletes the file. */
  final def delete(): Unit =
    close()
    Files.deleteIfExists(path): Unit
end LogSegment

private[persistence] object LogSegment:
  private val Word = ValueLayout.JAVA_LONG_UNALIGNED

  /** A segment that takes no more rows. */
  final class Full(number: Int, path: Path, file: StructFile, to: Schema, evolution: Evolution)
      extends LogSegment(number, path):
    val stride: Long = file.schema.stride
    val conversion: SchemaConversion | Null =
      val conversion = SchemaConversion.of(file, to, evolution)
      if conversion.movesNothing then null else conversion

    /** Whether rows of the present format can be appended to the file. */
    def isAppendable: Boolean = file.schema.equals(to)
    def data: MemorySegment = file.data
    def rows: Long = file.rows
    def check(): Unit = file.check()
    def translate(error: InternalError): StructFileException = file.translate(error)
    def close(): Unit = file.close()
  end Full

  /** The segment that takes new rows. */
  final class Active(number: Int, path: Path, val writer: StructWriter)
      extends LogSegment(number, path):
    val stride: Long = writer.schema.stride
    val conversion: SchemaConversion | Null = null
    val data: MemorySegment = writer.data
    def rows: Long = writer.rows
    def check(): Unit = writer.check()
    def translate(error: InternalError): StructFileException = writer.translate(error)

    /** Also deletes the file that the writer locked: the lock of the folder is still held. */
    def close(): Unit =
      writer.close()
      Files.deleteIfExists(path.resolveSibling(s"${path.getFileName}.lock")): Unit

  def open(number: Int, path: Path, schema: Schema, evolution: Evolution): Full =
    val file = StructFile.open(path, Checksums.NEVER)
    try Full(number, path, file, schema, evolution)
    catch
      case error: Throwable =>
        file.close()
        throw error

  def append(number: Int, path: Path, schema: Schema, rows: Long, durability: Durability): Active =
    Active(number, path, StructWriter.append(path, schema, rows, durability))

  def create(number: Int, path: Path, schema: Schema, rows: Long, durability: Durability): Active =
    Active(number, path, StructWriter.create(path, schema, rows, durability))
end LogSegment
