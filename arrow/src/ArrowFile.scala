package undercroft.arrow

import java.nio.ByteOrder
import java.nio.file.Path
import scala.annotation.publicInBinary
import undercroft.memory.Allocator
import undercroft.struct.{Layout, Struct, Table, TableFactory}
import undercroft.file.FieldSlices

/** Apache Arrow's IPC file format: https://arrow.apache.org/docs/format/Columnar.html */
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
      batchRows: Int
  ): Unit = write(FieldSlices.of(table), path, batchRows)

  private[arrow] def write(lanes: FieldSlices, path: Path, batchRows: Int): Unit =
    if !ByteOrder.nativeOrder.nn.equals(ByteOrder.LITTLE_ENDIAN) then
      throw UnsupportedOperationException("Arrow files require a little-endian machine")
    if batchRows < 1 then
      throw IllegalArgumentException(s"batchRows must be at least 1, but is $batchRows")
    val output = FileOutput(path)
    try
      try ArrowWriter(lanes, output, batchRows).write()
      catch
        case typed: ArrowException => throw typed
        case error: Throwable      => throw lanes.translate(error)
      output.finish()
    finally output.close()

  @publicInBinary private[arrow] def read[T, L <: Layout](
      tables: TableFactory[L],
      path: Path
  )(using allocator: Allocator)(using struct: Struct[T]): Table[T, L] =
    val input = FileInput(path)
    try
      val content = FileContent.read(input)
      // The whole file is checked before the table is allocated.
      val columns = FieldSlices.columns(struct, tables.kind)
      val batches = BatchReader(input, content, columns)
      val table = tables[T](content.rows)
      batches.store(TableWriter(FieldSlices.of(table)))(_ => ())
      table
    finally input.close()
  end read
end ArrowFile
