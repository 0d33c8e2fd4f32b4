package undercroft.arrow

import java.nio.ByteOrder
import java.nio.file.Path
import scala.annotation.publicInBinary
import undercroft.memory.Allocator
import undercroft.struct.{Layout, Struct, Table, Tables}
import undercroft.structfile.Lanes

/** Apache Arrow's IPC file format: https://arrow.apache.org/docs/format/Columnar.html */
object ArrowFile:

  /** Rows of a record batch, unless said otherwise: a few MiB a column, enough for readers to work
    * on several batches at once.
    */
  inline val BatchRows = 1 << 20

  /** What the file begins with, and ends with. */
  private[arrow] val Magic: Array[Byte] = "ARROW1".getBytes("US-ASCII").nn

  /** Every buffer begins at a multiple of so many bytes. */
  private[arrow] inline val Alignment = 64

  @publicInBinary private[arrow] def writeTable[T, L <: Layout](
      table: Table[T, L],
      path: Path,
      batchRows: Int
  ): Unit = write(Lanes.of(table), path, batchRows)

  private[arrow] def write(lanes: Lanes, path: Path, batchRows: Int): Unit =
    if !ByteOrder.nativeOrder.nn.equals(ByteOrder.LITTLE_ENDIAN) then
      throw UnsupportedOperationException("Arrow files on a machine whose highest byte is first")
    if batchRows < 1 then throw IllegalArgumentException(s"batches of $batchRows rows")
    val output = Output(path)
    try
      try ArrowWriter(lanes, output, batchRows).write()
      catch
        case typed: ArrowException => throw typed
        case error: Throwable      => throw lanes.explained(error)
      output.finish()
    finally output.close()

  @publicInBinary private[arrow] def read[T, L <: Layout](
      tables: Tables[L],
      path: Path
  )(using struct: Struct[T], allocator: Allocator): Table[T, L] =
    val input = Input(path)
    try
      val content = Content.read(input)
      // All of the file is looked at before the table is made.
      val columns = Lanes.columns(struct, tables.kind)
      val batches = content.batches.map(Batch.of(input, content, columns, _))
      val rows = batches.foldLeft(0L)((sum, batch) => input.sum(sum, batch.rows))
      val table = tables[T](rows)
      val target = Target(Lanes.of(table))
      var at = 0L
      for batch <- batches do
        batch.store(target, at)
        at += batch.rows
      table
    finally input.close()
  end read
end ArrowFile
