package undercroft.duckdb

import java.lang.foreign.Arena
import java.util.concurrent.atomic.AtomicReference
import undercroft.file.Range
import undercroft.structfile.{Column, Lanes}

/** What the parts of a query failed with: DuckDB itself passes on words alone. */
private[duckdb] final class Failures:
  private val first = AtomicReference[Throwable]()

  def watch[A](body: => A): A =
    try body
    catch
      case failure: Throwable =>
        val _ = first.compareAndSet(null, failure)
        throw failure

  /** The first failure, which is then forgotten. */
  def take(): Option[Throwable] = Option(first.getAndSet(null))
end Failures

/** A table or a file that queries may name. */
private[duckdb] final class Source(
    columns: Vector[Column],
    types: Vector[Long],
    look: () => Lanes,
    ranges: String => Vector[Range],
    val failures: Failures
):
  @volatile private var now: Option[Either[Throwable, Lanes]] = None
  @volatile private var isRead = false

  /** Looks at the table as it is now, in the thread that asks and that will wait for the answer. */
  def prepare(): Unit =
    isRead = false
    now = Some(
      try Right(look())
      catch case failure: Throwable => Left(failure)
    )

  /** Throws where rows that the query may have read are not there any more. A query that wants no
    * more leaves a part before its end, where that is looked at otherwise.
    */
  def confirm(): Unit = now match
    case Some(Right(lanes)) if isRead => lanes.confirm()
    case _                            => ()

  /** Forgets how it was. */
  def release(): Unit = now = None

  def bound(): Bound = now match
    case Some(Right(lanes)) =>
      isRead = true
      Bound(columns, lanes, ranges, failures)
    case Some(Left(failure)) => throw failure
    case None => throw IllegalStateException("a table that no query is under way for")

  def addColumns(result: Long, slots: Slots): Unit =
    val arena = Arena.ofConfined.nn
    try
      for (column, tpe) <- columns.zip(types) do
        val name = Text.make(column.name)(using arena)
        slots.check(
          Native.tableFunctionBindAddResultColumn.invokeExact(result, name, tpe, slots.error)
            .asInstanceOf[Int]
        )
    finally arena.close()

  def close(slots: Slots): Unit =
    for tpe <- types do
      Native.done(Native.logicalTypeDestroy.invokeExact(slots.holding(tpe)).asInstanceOf[Int])
end Source
