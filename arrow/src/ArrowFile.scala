package undercroft.arrow

import internal.columns.{ArrowWriter, BatchReader}
import internal.io.{ArrowOutput, FileOutput}
import internal.ipc.ArrowSource
import internal.rows.{OutOfLineMemory, TableWriter}
import java.io.{IOException, InputStream, OutputStream}
import java.nio.ByteOrder
import java.nio.file.Path
import scala.annotation.publicInBinary
import undercroft.memory.Allocator
import undercroft.struct.{Layout, Struct, Table, TableFactory}
import undercroft.file.FieldSlices
import undercroft.struct.internal.runtime.UnfinishedTable

/** Apache Arrow's IPC formats for files and streams:
  * https://arrow.apache.org/docs/format/Columnar.html
  */
object ArrowFile:

  /** Default number of rows of a record batch: a few MiB per column, so that readers can process
    * several batches in parallel.
    *
    * {{{
    * import undercroft.struct.*
    * println(ArrowFile.DefaultBatchRows) // 1048576
    * def inSmallBatches(bills: Rows[Bill]): Unit =
    *   bills.writeArrow(path.resolveSibling("bills.arrow"), batchRows = 65_536)
    * }}}
    */
  inline val DefaultBatchRows = 1 << 20

  @publicInBinary private[arrow] def writeTable[T, L <: Layout](
      table: Table[T, L],
      path: Path,
      batchRows: Int,
      compression: ArrowCompression
  ): Unit = write(FieldSlices.withOutOfLine(table), path, batchRows, compression)

  @publicInBinary private[arrow] def writeTableStream[T, L <: Layout](
      table: Table[T, L],
      stream: OutputStream,
      batchRows: Int,
      compression: ArrowCompression
  ): Unit =
    val lanes = FieldSlices.withOutOfLine(table)
    check(batchRows)
    val codec = BufferCodec.of(compression, ArrowSource.StreamName)
    val output = ArrowOutput(stream, ArrowSource.StreamName)
    translated(lanes)(ArrowWriter(lanes, output, batchRows, codec).writeStream())
    output.flush()
    stream.flush()

  private[arrow] def write(
      lanes: FieldSlices,
      path: Path,
      batchRows: Int,
      compression: ArrowCompression
  ): Unit =
    check(batchRows)
    val codec = BufferCodec.of(compression, path)
    val file = FileOutput(path)
    try
      translated(lanes)(ArrowWriter(lanes, file.output, batchRows, codec).writeFile())
      file.finish()
    finally file.close()

  private[arrow] def check(batchRows: Int): Unit =
    if !ByteOrder.nativeOrder.nn.equals(ByteOrder.LITTLE_ENDIAN) then
      throw UnsupportedOperationException("Arrow files require a little-endian machine")
    if batchRows < 1 then
      throw IllegalArgumentException(s"batchRows must be at least 1, but is $batchRows")

  private def translated(lanes: FieldSlices)(body: => Unit): Unit =
    try body
    catch
      case typed: (ArrowException | IOException) => throw typed
      case error: Throwable                      => throw lanes.translate(error)

  @publicInBinary private[arrow] def read[T, L <: Layout](
      tables: TableFactory[L],
      path: Path
  )(using allocator: Allocator)(using struct: Struct[T]): Table[T, L] =
    read(tables, ArrowSource.open(path))

  @publicInBinary private[arrow] def readStream[T, L <: Layout](
      tables: TableFactory[L],
      stream: InputStream
  )(using allocator: Allocator)(using struct: Struct[T]): Table[T, L] =
    read(tables, ArrowSource.ofStream(stream))

  private[arrow] def read[T, L <: Layout](tables: TableFactory[L], source: ArrowSource)(using
      allocator: Allocator
  )(using struct: Struct[T]): Table[T, L] =
    try
      // The whole file is checked before the table is allocated.
      val columns = FieldSlices.columnsWithOutOfLine(struct, tables.kind)
      val batches = BatchReader(source.input, source.content, columns)
      UnfinishedTable.filled(tables[T](source.content.rows), allocator): table =>
        val values = OutOfLineMemory(allocator)
        try batches.store(TableWriter.of(FieldSlices.withOutOfLine(table), values))(_ => ())
        catch
          case error: Throwable =>
            values.freeBlocks()
            throw error
    finally source.close()
end ArrowFile
