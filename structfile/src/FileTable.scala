package undercroft.structfile

import java.lang.foreign.MemorySegment
import java.nio.file.Path
import scala.annotation.publicInBinary
import undercroft.file.{Conversion, Promise, StructFile, StructWriter}
import undercroft.memory.{Address, Reservation}
import undercroft.struct.{Backed, Layout, Struct, Table, Tables}

/** A table in a file, with all that tables do: made by `Rows.create`, `Rows.open` and
  * `Rows.openReadOnly`, and by those of PackedRows and Columns.
  *
  * Rows that are appended are there for this table at once, and for other readers, and after the
  * process has ended, from the next [[commit]] on. Rows that were committed may be changed in
  * place; the next commit keeps the changes too, but a loss of power before it may keep some of
  * them. Appending is for one thread at a time, reading for any. A loop over the rows looks at its
  * end whether the file still has them all, so that nothing that was read of a file that became
  * shorter gets out; an access to a single row whose page is gone is a StructFileException, and of
  * a row that the file's new end cuts in two the rest is zero. References to rows in a file there
  * are none.
  *
  * A loop that reads rows takes about as long as in memory where the table is a FileTable by its
  * type, and up to 1.3 times as long in code for any Table.
  */
final class FileTable[T, L <: Layout] private[structfile] (
    memory: MemorySegment,
    address: Address,
    kind: Table.Kind,
    capacity: Long,
    rows: Long,
    private val file: OpenFile
)(using Struct[T])
    extends Table[T, L](memory, address, kind, 0, capacity, rows, file.backing),
      Backed,
      AutoCloseable:

  /** All rows that there is room for, to store new ones in. */
  @publicInBinary private[structfile] val room: Table[T, L] =
    new Table(memory, address, kind, 0, capacity, capacity, file.backing)

  private var ready = 0L

  /** The file. */
  def path: Path = file.path

  /** Appends a row. One more than the file was made for is an IndexOutOfBoundsException; where the
    * disk is full, a StructFileException. Then nothing changes.
    */
  inline def +=(inline value: T): Unit = append(value)

  /** What `+=` does. */
  inline def append(inline value: T): Unit =
    room.storeNext(next())(value)
    appended()

  /** Appends all values. */
  def appendAll(values: IterableOnce[T]): Unit = values.iterator.foreach(value => append(value))

  /** Makes the rows that there are now those of the file, with its promise. */
  def commit(): Unit = file.writer.commit(size)

  /** Commits the rows, writes them as a file that never changes again, with checksums of every bit
    * and the ranges of blocks, and closes. The file takes this one's place once it is whole.
    */
  def seal(): Unit = file.writer.seal(size)

  /** Reads the file and compares it with its checksums: all of it, if it is sealed; else the
    * headers, the schema and the length.
    */
  def verify(): Unit =
    val read = StructFile.open(path)
    try read.verify()
    finally read.close()

  /** Looks what a writer has committed since, and answers how many rows there are now. A table
    * whose rows were converted keeps those it has.
    */
  def refresh(): Long =
    file.reader.foreach(reader => used = reader.refresh())
    size

  /** Closes without a commit: rows since the last one are gone. Every use after it is an error. */
  def close(): Unit = file.close()

  /** The file that rows are read of, if they are not written or converted. */
  private[undercroft] def readFrom: Option[StructFile] = file.reader

  /** The index of the next row, for which there is room. */
  @publicInBinary private[structfile] def next(): Long =
    val row = size
    if row >= ready then ready = file.writer.ensure(row + 1)
    row

  /** Counts a row that was stored. */
  @publicInBinary private[structfile] def appended(): Unit = used = size + 1
end FileTable

object FileTable:

  /** Stands for as many rows as 64 GiB hold. */
  final val Most = -1L

  private val MostBytes = 64L << 30

  @publicInBinary private[structfile] def create[T, L <: Layout](
      tables: Tables[L],
      path: Path,
      upTo: Long,
      promise: Promise
  )(using struct: Struct[T]): FileTable[T, L] =
    val schema = Schemas.of(struct, tables.kind)
    written(tables, StructWriter.create(path, schema, most(upTo, schema.stride), promise))

  @publicInBinary private[structfile] def open[T, L <: Layout](
      tables: Tables[L],
      path: Path,
      upTo: Long,
      promise: Promise
  )(using struct: Struct[T]): FileTable[T, L] =
    val schema = Schemas.of(struct, tables.kind)
    written(tables, StructWriter.append(path, schema, most(upTo, schema.stride), promise))

  private def most(upTo: Long, stride: Long): Long =
    if upTo == Most then MostBytes / stride else upTo

  private def written[T, L <: Layout](tables: Tables[L], writer: StructWriter)(using
      Struct[T]
  ): FileTable[T, L] =
    new FileTable(
      writer.data,
      Address.Null,
      tables.kind,
      writer.capacity,
      writer.rows,
      OpenFile.Written(writer)
    )

  @publicInBinary private[structfile] def openReadOnly[T, L <: Layout](
      tables: Tables[L],
      path: Path
  )(using struct: Struct[T]): FileTable[T, L] =
    val schema = Schemas.of(struct, tables.kind)
    val file = StructFile.open(path)
    try
      val conversion = Conversion.of(path, file.schema, schema)
      if conversion.movesNothing then
        val opened = OpenFile.Read(file)
        new FileTable(file.data, Address.Null, tables.kind, file.capacity, file.rows, opened)
      else
        val capacity = Table.room(tables.kind, file.rows)
        val reservation = Reservation(Math.multiplyExact(capacity, schema.stride).max(1))
        try
          val memory = reservation.segment(capacity * schema.stride)
          conversion.run(file.data, file.capacity, memory, capacity, file.rows)
          file.check()
          val opened = OpenFile.Converted(path, reservation)
          val rows = file.rows
          file.close()
          new FileTable(memory, reservation.address, tables.kind, capacity, rows, opened)
        catch
          case error: Throwable =>
            reservation.close()
            throw error match
              case gone: InternalError => file.explained(gone).nn
              case other               => other
      end if
    catch
      case error: Throwable =>
        file.close()
        throw error
    end try
  end openReadOnly
end FileTable
