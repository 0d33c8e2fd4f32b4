package undercroft.duckdb

import internal.api.{CString, DuckDbApi, DuckDbLibrary, OutParams}
import internal.result.{HeapResult, ResultSink}
import internal.run.{SqlThread, Statements}
import internal.scan.{
  Callbacks,
  Explanation,
  PartitionColumns,
  ScanFailures,
  ScannedTable,
  Snapshot,
  TableFunction,
  TableReader,
  TableSource
}
import internal.sql.{SqlMeaning, SqlText, SqlType}
import java.lang.foreign.Arena
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.{LockSupport, ReentrantLock}
import scala.annotation.publicInBinary
import scala.collection.mutable.LinkedHashMap
import scala.concurrent.duration.{Duration, DurationInt}
import undercroft.file.format.{BlockStatistics, StructFile}
import undercroft.struct.{Layout, Table}
import undercroft.file.{ColumnKind, FieldSlices, FileTable, FolderFile, FolderView, Partition}
import undercroft.file.internal.Fileable

/** An in-process DuckDB that runs SQL over tables and struct files without importing them.
  *
  * A query reads the rows that exist when it begins, on as many threads as DuckDB has. Columns that
  * it does not name are not read. Comparisons of a column with constants are pushed down into the
  * scan and decided before any value is copied; blocks of a sealed file whose statistics exclude
  * every row are skipped. DuckDB does everything else on copies of the values, 2048 rows at a time.
  *
  * Thread-safe; calls run one after the other, and a call waits until the previous one has ended. A
  * table in a scoped region can only be queried by that region's thread. `threads` and DuckDB's
  * other settings are set by its SQL.
  *
  * Interrupting the thread that waits for a query, or for the query's turn, ends the query with a
  * [[DuckDbException]].
  *
  * Throws [[DuckDbException]] if DuckDB rejects a statement. An exception from reading a table,
  * such as a StructFileException or the exception of a closed region, is rethrown unchanged. After
  * an exception there is no result. SQL with U+0000 or half of a surrogate pair in it, or that
  * names `max_expression_depth`, is rejected with IllegalArgumentException. Until it is closed, the
  * object keeps DuckDB's memory and threads; every later call throws IllegalStateException.
  *
  * {{{
  * import undercroft.struct.*
  * def revenue(bills: Rows[Bill]): Long =
  *   val db = DuckDb()
  *   try
  *     db.register("bills", bills)
  *     db.query("select sum(price) from bills")(0, 0).long
  *   finally db.close()
  * }}}
  */
final class DuckDb private (
    environment: Long,
    instance: Long,
    connection: Long,
    thread: SqlThread,
    durations: DurationColumns
) extends AutoCloseable:
  private val lock = ReentrantLock()
  private val failures = ScanFailures()
  private val explanation = Explanation()
  private val statements = Statements(connection, explanation)

  /** Registered tables by SQL name, as [[SqlText.folded]]. */
  private val sources = LinkedHashMap[String, TableSource]()
  private var functions = 0

  /** Guards the connection's handle against its destruction while another thread interrupts. */
  private val handles = Object()
  private var isOpen = true

  /** Whether `close` has yet to destroy the handles: its thread may fail to start. */
  private var hasHandles = true

  /** The slots of interrupts, which allocate nothing, under `handles`. */
  private val interruptSlots = OutParams(Arena.ofAuto.nn)

  /** Registers a table under a SQL name. Later queries see rows that are appended or changed later.
    * A name in use is reassigned to this table. Within a transaction of SQL, it throws
    * IllegalStateException.
    *
    * Numbers, Booleans and strings have SQL's types; a Char is a USMALLINT. Enums are ENUMs,
    * Options nullable values, structs STRUCTs. An enum whose cases have fields is a STRUCT of `tag`
    * and one STRUCT for each such case. An array is an array of its elements' type, in which a None
    * is null; a union is a BLOB of its bytes. A struct with references does not compile.
    *
    * {{{
    * import undercroft.struct.*
    * def expensive(db: DuckDb, bills: Rows[Bill]): Long =
    *   db.register("bills", bills)
    *   db.query("select count(*) from bills where price > 250")(0, 0).long
    * }}}
    */
  inline def register[T, L <: Layout](name: String, table: Table[T, L]): Unit =
    Fileable.check[T](table.struct)
    registerTable(name, table)

  /** Registers a struct file under a SQL name. The class of its rows is not needed.
    *
    * {{{
    * import undercroft.file.format.StructFile
    * def rows(db: DuckDb): Long =
    *   val file = StructFile.open(path)
    *   try
    *     db.register("day", file)
    *     db.query("select count(*) from day")(0, 0).long
    *   finally file.close()
    * }}}
    */
  def register(name: String, file: StructFile): Unit =
    val columns = FieldSlices.of(file).columns
    locked(add(name, columns, TableReader(() => one(FieldSlices.of(file), Some(file)))))

  /** Registers a folder of struct files under a SQL name. The values in the names of its folders
    * are columns after the fields: INTEGER, BIGINT or DATE if all values have that form, otherwise
    * VARCHAR. Conditions on them exclude files, which are then not read.
    *
    * A query sees the files that the folder's table has when the query begins; after a `refresh` of
    * the table, later queries see the new files, and new columns of partitions. A view by `where`
    * or `partitions` can be registered, too: queries see those of the table's files that it
    * selects, also after a `refresh`, after which the view's function is called again, on the
    * thread of a query. No thread may refresh or close the table during a query. Files with
    * partitions of different names, or with the name of a field, throw IllegalArgumentException.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * import undercroft.file.*
    * def revenue(db: DuckDb): Long =
    *   val folder = Files.createTempDirectory("shop")
    *   val shop = Rows.folder[Bill](folder)
    *   for month <- 1 to 12 do shop.addTo((month = month))(file => file += Bill(month, 250))
    *   val bills = Rows.openAll[Bill](folder)
    *   try
    *     db.register("bills", bills)
    *     db.query("select sum(price) from bills where month >= 10")(0, 0).long // reads three files
    *   finally bills.close()
    * }}}
    */
  def register[T, L <: Layout](name: String, folder: FolderView[T, L]): Unit =
    locked(addFolder(name, folder))

  private def addFolder[T, L <: Layout](name: String, folder: FolderView[T, L]): Unit =
    val fields = FieldSlices.columns(folder.struct, folder.kind)
    def partitions(files: Vector[FolderFile[T, L]]) =
      PartitionColumns.of(files.map(file => (file.path, file.partition)), fields.map(_.name))
    val registered = folder.currentFiles
    val columns = partitions(registered)
    def isSame(files: Vector[FolderFile[T, L]]) =
      // No files fit any columns: the table of an emptied folder keeps those that it has.
      files.isEmpty || (files eq registered) || files.corresponds(registered)(_ eq _) ||
        partitions(files) == columns
    def look(): Snapshot =
      val files = folder.currentFiles
      if !isSame(files) then
        throw IllegalStateException(
          s"the partitions of the folder of `$name` have changed during a query: run it again"
        )
      // A file that the query does not read is not even checked for its length.
      Snapshot(files.map: file =>
        new ScannedTable(
          file.size,
          fields.size,
          () => FieldSlices.lent(file.table, fields),
          ranges(file.table.readFrom),
          columns.constants(file.partition)
        ))
    val reader =
      TableReader(() => look(), () => isSame(folder.currentFiles), () => addFolder(name, folder))
    add(name, fields, reader, columns.kinds)
  end addFolder

  /** Registers struct files of a folder under a SQL name. The class of their rows is not needed;
    * they must all have the fields of the first, otherwise IllegalArgumentException is thrown.
    */
  private[undercroft] def registerFiles(
      name: String,
      files: Vector[(StructFile, Partition)]
  ): Unit =
    if files.isEmpty then throw IllegalArgumentException("the folder must have files")
    val fields = FieldSlices.of(files.head._1).columns
    for (file, _) <- files if FieldSlices.of(file).columns != fields do
      throw IllegalArgumentException(
        s"${file.path} has other fields than ${files.head._1.path}: a folder whose files have " +
          "different fields must be read with a class"
      )
    val columns =
      PartitionColumns.of(files.map((file, values) => (file.path, values)), fields.map(_.name))
    def look() = Snapshot(files.map: (file, partition) =>
      new ScannedTable(
        file.rows,
        fields.size,
        () => FieldSlices.of(file),
        ranges(Some(file)),
        columns.constants(partition)
      ))
    locked(add(name, fields, TableReader(() => look()), columns.kinds))
  end registerFiles

  private def one(lanes: FieldSlices, file: Option[StructFile]): Snapshot =
    Snapshot(Vector(ScannedTable(lanes, ranges(file))))

  @publicInBinary private[duckdb] def registerTable[T, L <: Layout](
      name: String,
      table: Table[T, L]
  ): Unit =
    val columns = FieldSlices.columns(table.struct, table.kind)
    val file = table match
      case table: FileTable[?, ?] => table.readFrom
      case _                      => None
    locked(add(name, columns, TableReader(() => one(FieldSlices.lent(table, columns), file))))

  private def ranges(file: Option[StructFile])(path: Vector[String]): Vector[BlockStatistics] =
    import scala.jdk.CollectionConverters.*
    file.fold(Vector[BlockStatistics]())(_.statistics(path.asJava).asScala.toVector)

  /** Runs statements and returns the rows of the last one.
    *
    * Values are passed by the interpolator `sql`: see [[Sql]]. A text with values must be a single
    * statement.
    *
    * {{{
    * case class Bought(ticket: Int, price: Int)
    * def bought(db: DuckDb, customer: String): Vector[Bought] =
    *   db.query(sql"select ticket, price from bills where name = $customer").as[Bought]
    * }}}
    *
    * An `explain` has a row for each use of a registered table with conditions, after the rows of
    * DuckDB's plan, which does not show them: `scan`, and the conditions that the table decides,
    * with the number of rows that they leave to be read.
    *
    * {{{
    * def plan(db: DuckDb): Vector[String] =
    *   val rows = db.query("explain select count(*) from bills where price > 250").rows
    *   rows.map(_.map(_.show).mkString(" ")) // the last: scan bills: price > 250; reads 9 of 9 rows
    * }}}
    *
    * @param maxRows
    *   the most rows of each statement, at least 0, which are kept on the heap; more rows throw
    *   IllegalStateException. A statement such as `insert` has one row, with a count, and may have
    *   had its effect when its row is refused
    * @param timeLimit
    *   the longest time from the call, at least 1 ms, after which the query is ended, or not begun
    *   because an earlier call has not ended, with a DuckDbException
    */
  def query(
      sql: String | Sql,
      maxRows: Int = DuckDb.DefaultMaxRows,
      timeLimit: Duration = Duration.Inf
  ): QueryResult =
    if maxRows < 0 then throw IllegalArgumentException(s"maxRows must be >= 0; it is $maxRows")
    val rows = HeapResult(maxRows)
    run(sql, rows, timeLimit)
    rows.result

  /** Runs statements and gives the rows to a sink, on DuckDB's thread. */
  private[undercroft] def run(
      sql: String | Sql,
      sink: ResultSink,
      timeLimit: Duration = Duration.Inf
  ): Unit =
    val start = System.nanoTime
    if (sql: Any) == null then
      throw IllegalArgumentException("sql must be a statement; it is null")
    val (text, values) = sql match
      case text: String => (text, Vector())
      case sql: Sql     => (sql.text, sql.values)
    checkText(text)
    if timeLimit < DuckDb.ShortestTimeLimit || (timeLimit eq Duration.Undefined) then
      throw IllegalArgumentException(s"timeLimit must be at least 1 ms; it is $timeLimit")
    awaitTurn(timeLimit)
    unlocking:
      renew()
      failures.begin()
      sources.values.foreach(_.prepare())
      try
        thread.run(() => interrupt(), timeLimit, start):
          OutParams.use: (slots, arena) =>
            given Arena = arena
            statements.run(text, values, sink, slots)
        sources.values.foreach(_.confirm())
      catch
        case refused: DuckDbException =>
          failures.take() match
            case Some(cause) if !(cause eq refused) =>
              cause.addSuppressed(refused)
              throw cause
            case _ => throw refused
      finally
        val _ = failures.take()
        sources.values.foreach(_.release())
  end run

  /** Registers the folders again whose files have other columns of partitions since. */
  private def renew(): Unit =
    for (name, source) <- sources.toVector if sources.get(name).exists(_ eq source) do
      source.renew()

  private def checkText(text: String): Unit =
    val end = text.indexOf(0)
    if end >= 0 then
      throw IllegalArgumentException(s"SQL must not contain U+0000: it does at index $end")
    SqlText.check(text)
    if SqlText.folded(text).contains(Statements.DepthSetting) then
      throw IllegalArgumentException(
        "SQL must not set max_expression_depth: deeper expressions overflow the stack, " +
          "which ends the JVM"
      )

  /** Creates a table function, and a view `name` that calls it. */
  private def add(
      name: String,
      fields: Vector[ColumnKind],
      reader: TableReader,
      partitions: Vector[ColumnKind] = Vector()
  ): Unit =
    checkText(name)
    SqlType.checkNames(fields)
    val key = SqlText.folded(name)
    val _ = reader.look() // throws if the table cannot be read
    val columns = durations match
      case DurationColumns.Intervals => fields
      case DurationColumns.Numbers   => fields.map(SqlMeaning.withoutDurations)
    val source =
      TableSource(name, columns ++ partitions, fields.size, reader, failures, explanation)
    try
      functions += 1
      val function = s"undercroft_$functions"
      thread.run(() => interrupt()):
        OutParams.use: (slots, arena) =>
          given Arena = arena
          checkNoTransaction(name, slots)
          val factory = slots.answer(
            DuckDbApi.connectionGetFactory.invokeExact(connection, slots.out, slots.error)
              .asInstanceOf[Int]
          )
          source.createTypes(factory, slots)
          TableFunction.register(connection, factory, function, source, slots)
      // The view is bound when it is created, so the new source must be registered by then.
      val replaced = sources.put(key, source)
      try
        val _ = query(s"create or replace temp view ${SqlType.quoted(name)} as from $function()")
      catch
        case failure: Throwable =>
          replaced match
            case Some(earlier) => sources(key) = earlier
            case None          => sources -= key
          throw failure
      // No view calls the earlier function any more: its table must not stay reachable.
      replaced.foreach(_.close())
    catch
      case failure: Throwable =>
        source.close()
        throw failure
    end try
  end add

  /** Throws within a transaction: its rollback would bring back a view of the earlier table. */
  private def checkNoTransaction(name: String, slots: OutParams)(using Arena): Unit =
    if isInTransaction(slots) then
      throw IllegalStateException(
        s"`$name` cannot be registered within a transaction: commit it or roll it back first"
      )

  /** Whether a transaction was begun and has not ended: outside of one, each statement has a
    * transaction of its own, with another number. A statement that fails would abort it.
    */
  private def isInTransaction(slots: OutParams)(using Arena): Boolean =
    def number() = statements.value("select txid_current()", slots)
    try number() == number()
    catch case failed: DuckDbException if failed.getMessage.nn.contains("aborted") => true

  private def locked[A](body: => A): A =
    lock.lock()
    unlocking(body)

  /** Locks for a query. Throws DuckDbException if the thread is interrupted meanwhile, or if an
    * earlier call does not end within the time limit.
    */
  private def awaitTurn(timeLimit: Duration): Unit =
    def notBegun(reason: String) =
      DuckDbException(s"the query has not begun, because $reason", Callbacks.Interrupt)
    try
      if !lock.tryLock() then
        if !timeLimit.isFinite then lock.lockInterruptibly()
        else if !lock.tryLock(timeLimit.toNanos, TimeUnit.NANOSECONDS) then
          throw notBegun(s"an earlier call did not end within the time limit of $timeLimit")
    catch
      case _: InterruptedException =>
        Thread.currentThread.nn.interrupt()
        throw notBegun("its thread was interrupted while it waited for an earlier call")

  /** Runs the body, and unlocks. */
  private def unlocking[A](body: => A): A =
    try
      if !isOpen then throw IllegalStateException("this DuckDb was closed")
      body
    finally lock.unlock()

  /** Ends the query that is running on any thread with a DuckDbException; has no effect without
    * one. Thread-safe. A query that must end in time has a `timeLimit` of its own.
    *
    * {{{
    * import java.time.Duration
    * def cancel(db: DuckDb, running: Thread): Unit =
    *   // Repeated, because an interrupt before the query's start is lost.
    *   while !running.join(Duration.ofMillis(10)) do db.interrupt()
    * }}}
    */
  def interrupt(): Unit = handles.synchronized:
    if isOpen then
      failures.interrupt()
      val error = interruptSlots.error
      interruptSlots.check(
        DuckDbApi.connectionInterrupt.invokeExact(connection, error).asInstanceOf[Int]
      )

  /** Frees the memory and the threads of DuckDB; the tables stay open. A query that runs on another
    * thread is interrupted first. Idempotent; a call that failed to start a thread is repeated.
    */
  def close(): Unit =
    // An interrupt is lost if the query has not begun: repeated until the query has ended.
    while !lock.tryLock() do
      interrupt()
      LockSupport.parkNanos(DuckDb.InterruptPauseNanos)
    try
      if hasHandles then
        handles.synchronized { isOpen = false }
        thread.run(() => ()):
          OutParams.use: (slots, _) =>
            hasHandles = false
            DuckDbApi.done(
              DuckDbApi.connectionDestroy.invokeExact(slots.holding(connection)).asInstanceOf[Int]
            )
            sources.values.foreach(_.close())
            sources.clear()
            DuckDbApi.done(
              DuckDbApi.instanceDestroy.invokeExact(slots.holding(instance)).asInstanceOf[Int]
            )
            DuckDbApi.done(
              DuckDbApi.environmentDestroy.invokeExact(slots.holding(environment)).asInstanceOf[Int]
            )
    finally lock.unlock()
  end close
end DuckDb

object DuckDb:
  /** Default limit on the rows of a result: a few GiB of heap for five columns of numbers. */
  inline val DefaultMaxRows = 100_000_000

  private val ShortestTimeLimit = 1.milli

  /** Pause between two interrupts of a query that `close` waits for. */
  private inline val InterruptPauseNanos = 1_000_000L

  /** Creates an empty in-memory database. Throws [[DuckDbException]] if the class path has no
    * DuckDB library for this platform, or one of an unknown version.
    *
    * {{{
    * def version(): String =
    *   val db = DuckDb()
    *   try db.query("select version()")(0, 0).show
    *   finally db.close()
    * }}}
    *
    * @param durations
    *   the SQL type of the durations of registered tables
    */
  def apply(durations: DurationColumns = DurationColumns.Intervals): DuckDb =
    DuckDbLibrary.symbols.left.foreach(reason => throw DuckDbException(reason, 0))
    val thread = SqlThread()
    thread.run(() => ())(create(thread, durations))
  end apply

  private def create(thread: SqlThread, durations: DurationColumns): DuckDb =
    OutParams.use: (slots, arena) =>
      given Arena = arena
      val environment = slots.answer(
        DuckDbApi.environmentCreate.invokeExact(slots.out, slots.error).asInstanceOf[Int]
      )
      try
        val instance = slots.answer(
          DuckDbApi.instanceCreate.invokeExact(environment, slots.out, slots.error)
            .asInstanceOf[Int]
        )
        try new DuckDb(environment, instance, connected(instance, slots), thread, durations)
        catch
          case failure: Throwable =>
            DuckDbApi.done(
              DuckDbApi.instanceDestroy.invokeExact(slots.holding(instance)).asInstanceOf[Int]
            )
            throw failure
      catch
        case failure: Throwable =>
          DuckDbApi.done(
            DuckDbApi.environmentDestroy.invokeExact(slots.holding(environment)).asInstanceOf[Int]
          )
          throw failure
      end try
  end create

  private def connected(instance: Long, slots: OutParams)(using Arena): Long =
    slots.check(
      DuckDbApi.instanceAttach
        .invokeExact(
          instance,
          CString.make("memory"),
          CString.make(":memory:"),
          0L,
          true,
          slots.error
        )
        .asInstanceOf[Int]
    )
    slots.answer(
      DuckDbApi.connectionCreate.invokeExact(instance, slots.out, slots.error).asInstanceOf[Int]
    )
end DuckDb
