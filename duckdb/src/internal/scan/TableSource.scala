package undercroft.duckdb
package internal.scan

import internal.api.{CString, DuckDbApi, OutParams}
import internal.sql.SqlType
import java.lang.foreign.Arena
import java.util.concurrent.atomic.AtomicReference
import scala.util.control.NonFatal
import undercroft.file.ColumnKind

/** The reasons to end the scans of a query: the first exception of its callbacks, of which DuckDB
  * itself passes on only the message, and an interrupt, which DuckDB notices only between two
  * vectors of rows. Thread-safe.
  */
private[duckdb] final class ScanFailures:
  private val first = AtomicReference[Throwable]()
  private val interrupted = ScanInterrupted()
  @volatile private var isInterrupted = false

  /** Begins a query, which earlier interrupts do not affect. */
  def begin(): Unit = isInterrupted = false

  /** Ends the scans of the current query. */
  def interrupt(): Unit = isInterrupted = true

  /** Throws [[ScanInterrupted]] if the query was interrupted. */
  def checkInterrupt(): Unit = if isInterrupted then throw interrupted

  def watch[A](body: => A): A =
    try body
    catch
      case failure: Throwable =>
        // The error of an interrupted query is DuckDB's.
        if !(failure eq interrupted) then
          val _ = first.compareAndSet(null, failure)
        // A close of memory that this thread accesses sets its interrupt status, too. It is a
        // thread of DuckDB, on which a later query would be interrupted.
        val _ = Thread.interrupted()
        throw failure

  /** Removes and returns the first failure. */
  def take(): Option[Throwable] = Option(first.getAndSet(null))
end ScanFailures

/** Ends a scan of an interrupted query, with the message of DuckDB's own error. */
private[duckdb] final class ScanInterrupted
    extends RuntimeException("Interrupted!", null, false, false)

/** Reads a registered table, file or folder.
  *
  * @param look
  *   captures the current rows
  * @param isCurrent
  *   whether the folder still has the columns of its registration
  * @param renew
  *   registers the folder again
  */
private[duckdb] final class TableReader(
    val look: () => Snapshot,
    val isCurrent: () => Boolean = () => true,
    val renew: () => Unit = () => ()
)

/** A table, a file or a folder that is registered for queries.
  *
  * @param name
  *   its SQL name
  * @param columns
  *   the fields, then the columns of partitions
  */
private[duckdb] final class TableSource(
    name: String,
    columns: Vector[ColumnKind],
    fieldCount: Int,
    reader: TableReader,
    val failures: ScanFailures,
    explanation: Explanation
):
  /** SQL types of the columns: handles that this source owns. */
  private var types = Vector[Long]()

  /** The table, until another table takes its name: DuckDB keeps this source for longer. */
  @volatile private var table: Option[TableReader] = Some(reader)

  /** Why the folder could not be registered again before the current query. */
  private var renewalError: Option[Throwable] = None
  @volatile private var now: Option[Either[Throwable, Snapshot]] = None

  def createTypes(factory: Long, slots: OutParams)(using Arena): Unit =
    for column <- columns do
      types :+= slots.answer(
        DuckDbApi.factoryCreateTypeFromText
          .invokeExact(factory, CString.make(SqlType.of(column)), slots.out, slots.error)
          .asInstanceOf[Int]
      )

  /** Registers a folder again that has other columns of partitions since. A failure is that of the
    * queries that read the folder.
    */
  def renew(): Unit =
    renewalError = None
    try table.foreach(reader => if !reader.isCurrent() then reader.renew())
    catch case NonFatal(failure) => renewalError = Some(failure)

  /** Captures the current rows of the table, on the thread that waits for the query. */
  def prepare(): Unit =
    now = table.map: reader =>
      try renewalError.toLeft(reader.look())
      catch case failure: Throwable => Left(failure)

  /** Throws if rows that the query may have read were truncated since. A query with a limit can
    * stop inside a part, before the check at the end of that part.
    */
  def confirm(): Unit = now match
    case Some(Right(snapshot)) => snapshot.confirm()
    case _                     => ()

  /** Releases the captured rows. */
  def release(): Unit = now = None

  def bound(): BindData =
    BindData(name, columns, fieldCount, current(), failures, explanation, () => current())

  /** The rows that the current query sees. A prepared statement is bound by one query and scans in
    * later ones, so a scan starts with these rows instead of those at its binding.
    */
  def current(): Snapshot = now match
    case Some(Right(snapshot)) => snapshot
    case Some(Left(failure))   => throw failure
    case None if table.isEmpty =>
      throw IllegalStateException("another table was registered under the name of this table")
    case None => throw IllegalStateException("the table is read outside a query")

  def addColumns(result: Long, slots: OutParams): Unit =
    val arena = Arena.ofConfined.nn
    try
      for (column, tpe) <- columns.zip(types) do
        val name = CString.make(column.name)(using arena)
        slots.check(
          DuckDbApi.tableFunctionBindAddResultColumn.invokeExact(result, name, tpe, slots.error)
            .asInstanceOf[Int]
        )
    finally arena.close()

  /** Destroys the types and releases the table. Idempotent. */
  def close(): Unit =
    table = None
    renewalError = None
    now = None
    val destroyed = types
    types = Vector()
    OutParams.use: (slots, _) =>
      for tpe <- destroyed do
        DuckDbApi.done(
          DuckDbApi.logicalTypeDestroy.invokeExact(slots.holding(tpe)).asInstanceOf[Int]
        )
end TableSource
