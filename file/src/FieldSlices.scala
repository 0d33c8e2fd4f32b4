package undercroft.file

import undercroft.struct.internal.parallel.SharedTable
import java.lang.foreign.MemorySegment
import undercroft.file.format.{
  FileLayout,
  Schema,
  StructFile,
  StructFileException,
  StructWriter
}
import undercroft.struct.{Layout, Shape, Struct, Table}

/** The memory layout of rows, of a table in memory or of a file: value `i` of a field is at `start
  * + i * step`. Usable by the threads that may access the memory.
  *
  * @param stride
  *   bytes of a row; 0 for columns
  */
private[undercroft] final class FieldSlices private (
    val columns: Vector[ColumnKind],
    val memory: MemorySegment,
    val rows: Long,
    stride: Long,
    capacity: Long,
    first: Long,
    verify: () => Unit,
    explain: Throwable => Throwable,
    file: Option[StructFile]
):
  /** The position of the value of row 0, for a field with this offset and a size in bytes. */
  def start(offset: Int, size: Int): Long =
    if stride > 0 then offset else capacity * offset + first * size

  /** The distance between the values of consecutive rows, in bytes. */
  def step(size: Int): Long = if stride > 0 then stride else size

  /** Compares the blocks that contain the rows `[from, until)` with their checksums, each at its
    * first use. Does nothing for tables in memory.
    *
    * @param of
    *   offsets of the columns that are read
    */
  def compare(from: Long, until: Long, of: Array[Int]): Unit =
    file.foreach: sealedOne =>
      val skipped =
        if stride > 0 then (memory.address - sealedOne.data.address) / stride else first
      sealedOne.compare(skipped + from, skipped + until, of)

  /** Throws if rows are missing because the file was truncated: values that were read are then
    * invalid.
    */
  def confirm(): Unit = verify()

  /** Translates the error of an access to the exception to throw. */
  def translate(error: Throwable): Throwable = explain(error)
end FieldSlices

private[undercroft] object FieldSlices:

  /** The rows of a table, for the threads that may use it. */
  def of[T, L <: Layout](table: Table[T, L]): FieldSlices =
    make(table, table.size, columns(table.struct, table.kind))

  /** The items of arrays that were copied to `memory`, one after the other. */
  def ofItems(memory: MemorySegment, itemBytes: Int): FieldSlices =
    new FieldSlices(
      Vector(),
      memory,
      memory.byteSize / itemBytes,
      itemBytes,
      0,
      0,
      () => (),
      error => error,
      None
    )

  /** The columns of tables with a layout. */
  def columns(struct: Struct[?], kind: Table.Kind): Vector[ColumnKind] =
    ColumnKind.all(FileSchemas.of(struct, kind))

  /** The rows of a table that may have fields out of line, for the threads that may use it. */
  def withOutOfLine[T, L <: Layout](table: Table[T, L]): FieldSlices =
    make(table, table.size, columnsWithOutOfLine(table.struct, table.kind))

  /** The columns of tables that may have fields out of line. */
  def columnsWithOutOfLine(struct: Struct[?], kind: Table.Kind): Vector[ColumnKind] =
    val runs = FileSchemas.runs(struct)
    val contents = FileSchemas.outOfLine(struct).map: (path, kind) =>
      val content = (kind, runs.get(path)) match
        case (Shape.Kind.TextRef, _) => OutOfLineContent.Text
        case (_, Some(elements))     => run(elements)
        case _                       => OutOfLineContent.Bytes
      path -> content
    ColumnKind.all(FileSchemas.inMemory(struct, kind), contents)

  private def run(elements: Struct[?]): OutOfLineContent =
    val item = ColumnKind.all(FileSchemas.element(elements, ColumnKind.ItemName)).head
    new OutOfLineContent.Run(elements, item)

  /** The rows of a table, for any thread while the caller waits. */
  def lent[T, L <: Layout](table: Table[T, L], columns: Vector[ColumnKind]): FieldSlices =
    val source = SharedTable(table)
    make(source.open, source.rows, columns)

  private def make[T, L <: Layout](
      table: Table[T, L],
      rows: Long,
      columns: Vector[ColumnKind]
  ): FieldSlices =
    val columnar = table.kind == Table.Kind.Columnar
    new FieldSlices(
      columns,
      table.memory,
      rows,
      if columnar then 0 else table.kind.bytesPerRow(table.struct),
      table.capacity,
      table.first,
      () => table.confirm(),
      table.translate(_),
      table.source match
        case backing: FileBacking => backing.file.reader
        case _                    => None
    )
  end make

  /** The first `rows` rows of a file that is being written, which has memory for them. */
  def of(writer: StructWriter, rows: Long): FieldSlices =
    val schema: Schema = writer.schema
    new FieldSlices(
      ColumnKind.all(schema),
      writer.data,
      rows,
      if schema.layout.equals(FileLayout.COLUMNS) then 0 else schema.stride,
      writer.capacity,
      0,
      () => writer.check(),
      {
        case fault: InternalError => writer.translate(fault).nn
        case other                => other
      },
      None
    )

  /** The committed rows of a file. */
  def of(file: StructFile): FieldSlices =
    val schema: Schema = file.schema
    val columnar = schema.layout.equals(FileLayout.COLUMNS)
    // Before the memory, which has room for them: a refresh by another thread only adds to both.
    val rows = file.rows
    new FieldSlices(
      ColumnKind.all(schema),
      file.data,
      rows,
      if columnar then 0 else schema.stride,
      file.capacity,
      0,
      () => file.check(),
      {
        case fault: InternalError       => file.translate(fault).nn
        case typed: StructFileException => typed
        case other if file.isOpen       => other
        case other =>
          val closed = StructFileException.closed(file.path, "the file").nn
          closed.addSuppressed(other)
          closed
      },
      Some(file)
    )
  end of
end FieldSlices
