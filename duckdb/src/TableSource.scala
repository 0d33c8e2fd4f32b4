package undercroft.duckdb

import java.lang.foreign.Arena
import java.util.concurrent.atomic.AtomicReference
import undercroft.file.format.BlockStatistics
import undercroft.file.{ColumnKind, FieldSlices}

/** The first exception of a query's callbacks: DuckDB itself passes on only its message. */
private[duckdb] final class ScanFailures:
  private val first = AtomicReference[Throwable]()

  def watch[A](body: => A): A =
    try body
    catch
      case failure: Throwable =>
        val _ = first.compareAndSet(null, failure)
        throw failure

  /** Removes and returns the first failure. */
  def take(): Option[Throwable] = Option(first.getAndSet(null))
end ScanFailures

/** A table or a file that is registered for queries. */
private[duckdb] final class TableSource(
    columns: Vector[ColumnKind],
    look: () => FieldSlices,
    ranges: String => Vector[BlockStatistics],
    val failures: ScanFailures
):
  /** SQL types of the columns: handles that this source owns. */
  private var types = Vector[Long]()

  /** The table, until another table takes its name. */
  @volatile private var table: Option[(() => FieldSlices, String => Vector[BlockStatistics])] =
    Some((look, ranges))
  @volatile private var now: Option[Either[Throwable, FieldSlices]] = None
  @volatile private var isRead = false

  def createTypes(factory: Long, slots: OutParams)(using Arena): Unit =
    for column <- columns do
      types :+= slots.answer(
        DuckDbApi.factoryCreateTypeFromText
          .invokeExact(factory, CString.make(SqlType.of(column)), slots.out, slots.error)
          .asInstanceOf[Int]
      )

  /** Captures the current rows of the table, on the thread that waits for the query. */
  def prepare(): Unit =
    isRead = false
    now = table.map: (look, _) =>
      try Right(look())
      catch case failure: Throwable => Left(failure)

  /** Throws if rows that the query may have read were truncated since. A query with a limit can
    * stop inside a part, before the check at the end of that part.
    */
  def confirm(): Unit = now match
    case Some(Right(lanes)) if isRead => lanes.confirm()
    case _                            => ()

  /** Releases the captured rows. */
  def release(): Unit = now = None

  def bound(): BindData =
    BindData(
      columns,
      current(),
      path => table.fold(Vector())(_._2(path)),
      failures,
      () => current()
    )

  /** The rows that the current query sees. A prepared statement is bound by one query and scans in
    * later ones, so a scan starts with these rows instead of those at its binding.
    */
  def current(): FieldSlices = now match
    case Some(Right(lanes)) =>
      isRead = true
      lanes
    case Some(Left(failure)) => throw failure
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
    now = None
    val destroyed = types
    types = Vector()
    OutParams.use: (slots, _) =>
      for tpe <- destroyed do
        DuckDbApi.done(
          DuckDbApi.logicalTypeDestroy.invokeExact(slots.holding(tpe)).asInstanceOf[Int]
        )
end TableSource
