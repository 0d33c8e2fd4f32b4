package undercroft.file

import internal.AppendLoop
import undercroft.struct.internal.bytes.FileBacked
import java.lang.foreign.MemorySegment
import java.nio.file.Path
import scala.annotation.publicInBinary
import undercroft.file.format.{
  Checksums,
  Durability,
  ErrorKind,
  Evolution,
  Schema,
  StructFile,
  StructFileException,
  StructWriter
}
import undercroft.file.format.internal.codec.{BlockReader, CompressedFile}
import undercroft.file.format.internal.evolution.SchemaConversion
import undercroft.memory.{Address, Reservation}
import undercroft.memory.internal.platform.ReadAhead
import undercroft.struct.{
  ConcatenatedTables,
  ConcatenatedView,
  Layout,
  Struct,
  Table,
  TableFactory,
  View
}

/** A table that is stored in a file. Created by `Rows.create`, `Rows.open` and `Rows.openReadOnly`,
  * and by the same methods of PackedRows and Columns.
  *
  * Appended rows are visible in this table at once. Other readers, and later processes, see them
  * after the next [[commit]]. Committed rows may be changed in place; the next commit makes the
  * changes durable, but a loss of power before it may keep some of them.
  *
  * One thread at a time may append, any thread may read. A loop checks at its end that the file was
  * not truncated meanwhile, so it returns no result computed from missing rows. An access to a
  * single row on a missing page throws StructFileException; if the file was truncated inside a row,
  * the rest of that row reads as zero. References to rows of a file cannot be created.
  *
  * A loop over a table with the static type FileTable takes about as long as in memory; in code for
  * any Table it takes up to 1.3 times as long.
  *
  * {{{
  * import java.nio.file.Files
  * import undercroft.struct.*
  * final case class Bill(ticket: Int, price: Int) derives Struct
  * val day = Rows.create[Bill](Files.createTempDirectory("shop").resolve("day.bills"))
  * day += Bill(1, 250)
  * day.commit()
  * day.close()
  * }}}
  */
final class FileTable[T, L <: Layout] private[file] (
    data: MemorySegment,
    address: Address,
    kind: Table.Kind,
    capacity: Long,
    rows: Long,
    private val file: OpenFile
)(using Struct[T])
    extends Table[T, L](data, address, kind, 0, capacity, rows, file.backing),
      FileBacked,
      AutoCloseable:

  /** The table over the whole capacity, in which new rows are stored. */
  @publicInBinary private[file] val room: Table[T, L] =
    new Table(data, address, kind, 0, capacity, capacity, file.backing)

  /** Rows that fit in the allocated part of the file; 0 while rows are appended uncounted. */
  private var ready = 0L

  /** As `ready`, while rows are appended that are counted at the end; otherwise `NoOpenAppend`. */
  private var readyUncounted = FileTable.NoOpenAppend

  /** The path of the file.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val day = Rows.create[Bill](Files.createTempDirectory("shop").resolve("day.bills"))
    * println(day.path.getFileName) // day.bills
    * day.close()
    * }}}
    */
  def path: Path = file.path

  /** Appends a row. Throws IndexOutOfBoundsException if the file's capacity is exhausted, and
    * StructFileException if the disk is full; neither changes the table.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val day = Rows.create[Bill](Files.createTempDirectory("shop").resolve("day.bills"))
    * day += Bill(1, 250)
    * println(day(0)) // Bill(1,250)
    * day.close()
    * }}}
    */
  inline def +=(inline value: T): Unit = append(value)

  /** The same as `+=`. */
  inline def append(inline value: T): Unit =
    room.storeNext(next())(value)
    appended()

  /** Appends all values.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val day = Rows.create[Bill](Files.createTempDirectory("shop").resolve("day.bills"))
    * day.appendAll(List(Bill(1, 250), Bill(2, 251)))
    * println(day.size) // 2
    * day.close()
    * }}}
    */
  def appendAll(values: IterableOnce[T]): Unit = values.iterator.foreach(value => append(value))

  /** Appends the rows of a table of the same layout, copied as bytes: all of them, or none if it
    * fails. A table may append its own rows. As with `+=`, other readers see the rows after the
    * next [[commit]].
    */
  def appendAll(rows: Table[T, L]): Unit =
    appendAll(new ConcatenatedView(ConcatenatedTables(kind, Seq(rows))))

  /** Appends the rows of several tables of the same layout, or of a folder's table, copied as
    * bytes: all of them, or none if it fails. As with `+=`, other readers see the rows after the
    * next [[commit]].
    */
  def appendAll(tables: ConcatenatedView[T, L]): Unit =
    val parts = tables.all
    val before = beginUncounted(parts.size)
    var count = 0L
    try
      var part = 0
      while part < parts.count do
        val (rows, from) = (parts.table(part), before + parts.start(part))
        room.slice(from, from + rows.size).copyFrom(rows)
        part += 1
      count = parts.size
    finally endUncounted(count)

  /** Appends the values of a view: all of them, or none if it fails. The view sees the table as it
    * was before, so a table may append its own rows. It is one loop, which allocates nothing if it
    * is fused. As with `+=`, other readers see the rows after the next [[commit]]. If a function of
    * the view appends to this table, that append throws IllegalStateException.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val day = Rows.create[Bill](Files.createTempDirectory("shop").resolve("day.bills"))
    * day.appendAll(trades.filter(_.buy).map(trade => Bill(trade.ticket, trade.price)))
    * day.appendAll(day.filter(_.price < 200))
    * println(day.size) // 680
    * day.close()
    * }}}
    */
  inline def appendAll(inline values: View[T]): Unit =
    val isNested = isAppending
    var count = 0L
    try
      val end = values.foldLeft(beginUncounted(0)): (row, value) =>
        room.storeNext(uncounted(row))(value)
        row + 1
      count = end - size
    finally if isAppending && !isNested then endUncounted(count)

  /** Appends `count` rows that hold `f(0)`, `f(1)` and so on: all of them, or none if `f` throws.
    * Disk space for all of them is allocated first. If `f` appends to this table, that append
    * throws IllegalStateException. A negative `count` throws IllegalArgumentException.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val day = Columns.create[Bill](
    *   Files.createTempDirectory("shop").resolve("day.bills"),
    *   maxRows = 1000
    * )
    * day.appendAll(1000)(i => Bill(i.toInt, 250))
    * println(day.sumOf(_.price)) // 250000
    * day.close()
    * }}}
    */
  inline def appendAll(count: Long)(inline f: Long => T): Unit =
    ${ AppendLoop('this, 'count, 'f) }

  /** Runs `body` with a batch that appends up to `maxRows` rows and counts them when it ends. See
    * [[FileAppendBatch]].
    *
    * Disk space for all of `maxRows` is allocated first, or the call fails with the error of `+=`
    * and leaves the table unchanged. Until the batch ends, `size` and [[commit]] count the rows
    * before it, and other appends throw IllegalStateException. If `body` fails, the rows that it
    * appended before stay.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val day = Rows.create[Bill](Files.createTempDirectory("shop").resolve("day.bills"))
    * day.appending(maxRows = 1000): batch =>
    *   for price <- 1 to 10 if price % 3 == 0 do batch += Bill(price, 250)
    * day.commit() // makes the three rows visible to readers
    * println(day.size) // 3
    * day.close()
    * }}}
    */
  inline def appending(maxRows: Long)(inline body: FileAppendBatch[T, L] => Unit): Unit =
    val batch = new FileAppendBatch[T, L](this, maxRows)
    try body(batch)
    finally batch.end()

  /** Commits the current rows with the file's durability level. Throws StructFileException if the
    * file was deleted, renamed or replaced since it was opened, or if another writer has taken it
    * over.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val file = Files.createTempDirectory("shop").resolve("day.bills")
    * val day = Rows.create[Bill](file)
    * day += Bill(1, 250)
    * day.commit()
    * day += Bill(2, 251) // not committed
    * day.close()
    * println(Rows.openReadOnly[Bill](file).size) // 1
    * }}}
    */
  def commit(): Unit = file.writer.commit(size)

  /** Commits the rows, rewrites them as an immutable file with checksums of every bit and block
    * statistics, and closes the table. The new file replaces this one atomically and has its POSIX
    * permissions.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val file = Files.createTempDirectory("shop").resolve("day.bills")
    * val day = Columns.create[Bill](file, maxRows = 1000)
    * day.appendAll(List(Bill(1, 250), Bill(2, 251)))
    * day.seal()
    * println(Columns.openReadOnly[Bill](file).sumOf(_.price)) // 501
    * }}}
    */
  def seal(): Unit = file.writer.seal(size)

  /** Compares the file with its checksums: a sealed file completely, other files only in their
    * headers, schema and length. If another file has the name since it was opened, the open file is
    * compared; of a table whose rows were converted or decompressed to memory, which keeps no file
    * open, that is an error of the kind REPLACED.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val file = Files.createTempDirectory("shop").resolve("day.bills")
    * val day = Rows.create[Bill](file)
    * day += Bill(1, 250)
    * day.seal()
    * Rows.openReadOnly[Bill](file).verify() // throws if a bit of the file has changed
    * }}}
    */
  def verify(): Unit =
    file.verify()

  /** Refreshes the table to the last commit of a writer and returns the row count. A table with
    * converted rows is unchanged. If the file was replaced since it was opened, by a writer that
    * sealed it or converted it for another class, the table has the last commit of the replaced
    * file. No other thread may read the table meanwhile: it may see the new row count before the
    * memory with the new rows, and then throws IndexOutOfBoundsException.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val file = Files.createTempDirectory("shop").resolve("day.bills")
    * val (writer, reader) = (Rows.create[Bill](file), Rows.openReadOnly[Bill](file))
    * writer += Bill(1, 250)
    * writer.commit()
    * println(reader.size) // 0
    * println(reader.refresh()) // 1
    * }}}
    */
  def refresh(): Long =
    findCommit()
    showCommit()
    size

  /** Finds the last commit of a writer. The table is unchanged until [[showCommit]]. */
  private[file] def findCommit(): Unit =
    file.reader.foreach(reader => reader.refresh())

  /** Shows the rows of the commit that was found. */
  private[file] def showCommit(): Unit =
    file.reader.foreach: reader =>
      val rows = reader.rows
      if !isReadAhead then ReadAhead.disable(reader.data)
      currentMemory = reader.data
      java.lang.invoke.VarHandle.releaseFence()
      used = rows

  /** Prepares for single rows of a file that is not in the system's cache: from now on an access
    * reads the missing pages, and none around them, of which Linux reads as many as
    * `/sys/block/DISK/queue/read_ahead_kb` says. Loops over rows that are not in the cache become
    * slower, so another table, opened for them, reads ahead as before.
    *
    * It takes effect on Linux with native access, the first time in 0.1 s; rows that were converted
    * to memory are unchanged. Throws StructFileException if the table is closed.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val file = Files.createTempDirectory("shop").resolve("day.bills")
    * val day = Rows.create[Bill](file)
    * day.appendAll(1000)(i => Bill(i.toInt, 250))
    * day.commit()
    * val bills = Rows.openReadOnly[Bill](file)
    * bills.disableReadAhead()
    * println(bills(700).ticket) // reads one page
    * }}}
    */
  def disableReadAhead(): Unit =
    file.check()
    isReadAhead = false
    if file.isMapped then ReadAhead.disable(currentMemory)

  private var isReadAhead = true

  /** Closes the table without a commit, which discards rows since the last one. Every later access
    * to rows or the file throws StructFileException. A table that was opened to be read stays open
    * while another thread writes its bytes to a channel: then IllegalStateException is thrown.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val file = Files.createTempDirectory("shop").resolve("day.bills")
    * val day = Rows.create[Bill](file)
    * try day.appendAll(List(Bill(1, 250), Bill(2, 251)))
    * finally day.close() // without a commit
    * println(Rows.openReadOnly[Bill](file).size) // 0
    * }}}
    */
  def close(): Unit = file.close()

  /** The file that rows are read from, if the table is neither writable nor converted, and has the
    * names of the file's fields.
    */
  private[undercroft] def readFrom: Option[StructFile] = file match
    case OpenFile.Read(from, false) => Some(from)
    case _                          => None

  /** The index of the next row; makes room for it. */
  @publicInBinary private[file] def next(): Long =
    val row = size
    if row >= ready then
      checkNoOpenAppend()
      ready = file.writer.ensureCapacity(row + 1)
    row

  /** Begins to append rows that are counted at the end, after making room for `count` of them, and
    * returns the index of the first one. Until [[endUncounted]] every other append fails.
    */
  @publicInBinary private[file] def beginUncounted(count: Long): Long =
    if count < 0 then
      throw IllegalArgumentException(s"count must be at least 0, but is $count rows")
    checkNoOpenAppend()
    val before = size
    if count > capacity - before then
      throw IndexOutOfBoundsException(
        s"$count rows after the first $before do not fit in a file of at most $capacity rows"
      )
    readyUncounted =
      if count > 0 then file.writer.ensureCapacity(before + count) else Math.max(ready, 0)
    ready = 0
    before

  /** The same index, after making room for its row. */
  @publicInBinary private[file] def uncounted(row: Long): Long =
    if row >= readyUncounted then readyUncounted = file.writer.ensureCapacity(row + 1)
    row

  /** Ends the append of [[beginUncounted]], and counts the rows. */
  @publicInBinary private[file] def endUncounted(count: Long): Unit =
    ready = readyUncounted
    readyUncounted = FileTable.NoOpenAppend
    used = size + count

  /** Whether rows are appended that are not counted yet. */
  @publicInBinary private[file] def isAppending: Boolean = readyUncounted >= 0

  private def checkNoOpenAppend(): Unit =
    if isAppending then
      throw IllegalStateException(
        s"an append to $path is in progress: append to its batch, or after its end"
      )

  /** Adds a stored row to the row count. */
  @publicInBinary private[file] def appended(): Unit = used = size + 1
end FileTable

object FileTable:

  /** Default for `maxRows`: as many rows as fit in 64 GiB. A file of columns requires an explicit
    * limit.
    */
  final val DefaultMaxRows = -1L

  private val MostBytes = 64L << 30

  private inline val NoOpenAppend = -1L

  @publicInBinary private[file] def create[T, L <: Layout](
      tables: TableFactory[L],
      path: Path,
      maxRows: Long,
      durability: Durability
  )(using struct: Struct[T]): FileTable[T, L] =
    val schema = FileSchemas.of(struct, tables.kind)
    if maxRows == DefaultMaxRows && tables.kind == Table.Kind.Columnar then
      throw IllegalArgumentException(
        "columns in a file need the most rows, which their places depend on: " +
          "Columns.create[T](path, maxRows = 1_000_000)"
      )
    written(tables, StructWriter.create(path, schema, most(maxRows, schema.stride), durability))

  @publicInBinary private[file] def open[T, L <: Layout](
      tables: TableFactory[L],
      path: Path,
      maxRows: Long,
      durability: Durability
  )(using struct: Struct[T]): FileTable[T, L] =
    val schema = FileSchemas.of(struct, tables.kind)
    val evolution = FileSchemas.evolution(struct, tables.kind)
    val rows = most(maxRows, schema.stride)
    written(tables, StructWriter.append(path, schema, rows, durability, evolution))

  private def most(maxRows: Long, stride: Long): Long =
    if maxRows == DefaultMaxRows then MostBytes / stride else maxRows

  private def written[T, L <: Layout](tables: TableFactory[L], writer: StructWriter)(using
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

  /** Opens a file for reading: all its fields, or those that the class has. */
  @publicInBinary private[file] def openReadOnly[T, L <: Layout](
      tables: TableFactory[L],
      path: Path,
      checksums: Checksums
  )(using struct: Struct[T]): FileTable[T, L] =
    opened(tables, path, checksums, isProjection = true)

  /** Opens a file for reading; a field that the class does not have is an error. */
  private[file] def openWhole[T, L <: Layout](
      tables: TableFactory[L],
      path: Path,
      checksums: Checksums
  )(using struct: Struct[T]): FileTable[T, L] =
    opened(tables, path, checksums, isProjection = false)

  private def opened[T, L <: Layout](
      tables: TableFactory[L],
      path: Path,
      checksums: Checksums,
      isProjection: Boolean
  )(using struct: Struct[T]): FileTable[T, L] =
    val schema = FileSchemas.of(struct, tables.kind)
    val evolution = FileSchemas.evolution(struct, tables.kind)
    try mapped(tables, path, checksums, schema, evolution, isProjection)
    catch
      case error: StructFileException if error.kind.equals(ErrorKind.COMPRESSED) =>
        decompressed(tables, path, schema, evolution, isProjection)

  /** The columns of a compressed file in memory. */
  private def decompressed[T, L <: Layout](
      tables: TableFactory[L],
      path: Path,
      schema: Schema,
      evolution: Evolution,
      isProjection: Boolean
  )(using Struct[T]): FileTable[T, L] =
    val key = OpenFile.key(path)
    val file: CompressedFile = CompressedFile.open(path)
    try
      val conversion =
        SchemaConversion.of(file.path, file.schema, schema, isProjection, evolution).nn
      inMemory(tables, path, key, file.rows, schema): (memory, capacity) =>
        val reader: BlockReader = file.reader(conversion)
        try
          var block = 0L
          while block < file.blockCount do
            reader.read(block, memory, capacity, block * file.rowsPerBlock)
            block += 1
        finally reader.close()
    finally file.close()
  end decompressed

  /** A table of rows that `read` stores in zeroed memory for a capacity. */
  private def inMemory[T, L <: Layout](
      tables: TableFactory[L],
      path: Path,
      key: Option[String],
      rows: Long,
      schema: Schema
  )(read: (MemorySegment, Long) => Unit)(using Struct[T]): FileTable[T, L] =
    val capacity = Table.room(tables.kind, rows)
    val bytes = Math.multiplyExact(capacity, schema.stride)
    val reservation = Reservation(bytes.max(1))
    try
      val memory = reservation.segment(bytes)
      read(memory, capacity)
      val opened = OpenFile.Converted(path, key, reservation)
      new FileTable(memory.asReadOnly, Address.Null, tables.kind, capacity, rows, opened)
    catch
      case error: Throwable =>
        reservation.close()
        throw error

  private def mapped[T, L <: Layout](
      tables: TableFactory[L],
      path: Path,
      checksums: Checksums,
      schema: Schema,
      evolution: Evolution,
      isProjection: Boolean
  )(using Struct[T]): FileTable[T, L] =
    val key = OpenFile.key(path)
    val file: StructFile = StructFile.open(path, checksums)
    try
      val conversion: SchemaConversion =
        if isProjection then SchemaConversion.projection(file, schema, evolution)
        else SchemaConversion.of(file, schema, evolution)
      if conversion.movesNothing then
        val opened = OpenFile.Read(file, conversion.isRenamed)
        new FileTable(file.data, Address.Null, tables.kind, file.capacity, file.rows, opened)
      else
        val table = inMemory(tables, path, key, file.rows, schema): (memory, capacity) =>
          try
            file.compare(0, file.rows, conversion.offsets)
            conversion.run(file.data, file.capacity, memory, capacity, file.rows)
            file.check()
          catch case fault: InternalError => throw file.translate(fault)
        file.close()
        table
      end if
    catch
      case error: Throwable =>
        file.close()
        throw error
    end try
  end mapped
end FileTable
