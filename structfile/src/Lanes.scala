package undercroft.structfile

import java.lang.foreign.MemorySegment
import undercroft.file.{Layout as FileLayout, Schema, StructFile}
import undercroft.struct.{Layout, Lent, Struct, Table}

/** Where the values of rows lie, of a table in memory or of a file: value `i` of a field at `start
  * + i * step` of the memory. For the threads that may use the memory.
  *
  * @param stride
  *   bytes of a row; 0 of columns
  */
private[undercroft] final class Lanes private (
    val columns: Vector[Column],
    val memory: MemorySegment,
    val rows: Long,
    stride: Long,
    capacity: Long,
    first: Long,
    verify: () => Unit,
    explain: Throwable => Throwable
):
  /** Where the value of row 0 is, of a field with this offset and so many bytes. */
  def start(offset: Int, size: Int): Long =
    if stride > 0 then offset else capacity * offset + first * size

  /** The distance from one row's value to the next one's. */
  def step(size: Int): Long = if stride > 0 then stride else size

  /** Throws where the rows are not all there any more: then what was read of them is nothing. */
  def confirm(): Unit = verify()

  /** The error to throw for one that an access failed with. */
  def explained(error: Throwable): Throwable = explain(error)
end Lanes

private[undercroft] object Lanes:

  /** A table, for the threads that may use it. */
  def of[T, L <: Layout](table: Table[T, L]): Lanes =
    make(table, table.size, columns(table.struct, table.kind))

  /** The columns of tables of a layout. */
  def columns(struct: Struct[?], kind: Table.Kind): Vector[Column] =
    Column.all(Schemas.of(struct, kind))

  /** A table for any thread, as long as the caller waits. */
  def lent[T, L <: Layout](table: Table[T, L], columns: Vector[Column]): Lanes =
    val lent = Lent(table)
    make(lent.open, lent.rows, columns)

  private def make[T, L <: Layout](
      table: Table[T, L],
      rows: Long,
      columns: Vector[Column]
  ): Lanes =
    val columnar = table.kind == Table.Kind.Columnar
    new Lanes(
      columns,
      table.memory,
      rows,
      if columnar then 0 else table.kind.bytesPerRow(table.struct),
      table.capacity,
      table.first,
      () => table.confirm(),
      table.explained(_)
    )
  end make

  /** The committed rows of a file. */
  def of(file: StructFile): Lanes =
    val schema: Schema = file.schema
    val columnar = schema.layout.equals(FileLayout.COLUMNS)
    new Lanes(
      Column.all(schema),
      file.data,
      file.rows,
      if columnar then 0 else schema.stride,
      file.capacity,
      0,
      () => file.check(),
      {
        case gone: InternalError => file.explained(gone).nn
        case other               => other
      }
    )
end Lanes
