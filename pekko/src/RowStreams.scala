package undercroft.pekko

import internal.stream.{TableWriter, TargetSink}
import org.apache.pekko.NotUsed
import org.apache.pekko.stream.{ActorAttributes, Attributes}
import org.apache.pekko.stream.scaladsl.{Sink, Source}
import scala.concurrent.Future
import undercroft.file.FileTable
import undercroft.struct.{GrowingTable, Layout, Table, View}

/** Tables as sources and sinks of Pekko Streams, in batches.
  *
  * A stage of a stream runs on threads of Pekko, so a table in memory must be in a shared region,
  * in `Malloc` or in a file; a scoped region's table fails the stream by the error for a wrong
  * thread.
  */
object RowStreams:

  /** The rows of a batch. */
  final val DefaultBatchRows = 4096

  /** The rows that a file gets before they are committed. */
  final val DefaultCommitRows = 65_536L

  /** The rows of a table, in order, as slices of at most `batchRows` rows, which copy nothing.
    *
    * A materialization reads the rows that the table has when it starts. A batch is the table's
    * memory: it shows later changes of its rows, and a use after the table was closed is the
    * table's own error, so close the table after the stream's last stage is done.
    *
    * {{{
    * import org.apache.pekko.NotUsed
    * import org.apache.pekko.stream.scaladsl.Source
    * import undercroft.struct.*
    * final case class Bill(ticket: Int, price: Int) derives Struct
    * def sums(bills: Rows[Bill]): Source[Long, NotUsed] =
    *   RowStreams.source(bills).map(batch => batch.sumOf(_.price))
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `batchRows` is less than 1
    */
  def source[T, L <: Layout](
      table: Table[T, L],
      batchRows: Int = DefaultBatchRows
  ): Source[Table[T, L], NotUsed] =
    requirePositive("batchRows", batchRows)
    Source.fromIterator: () =>
      val rows = table.size
      Iterator
        .iterate(0L)(_ + batchRows)
        .takeWhile(_ < rows)
        .map(from => table.slice(from, Math.min(rows, from + batchRows)))

  /** Appends the values of each batch to a table. The value is the number of appended rows.
    *
    * If a batch cannot be appended, because of the table's limit, a budget or an error of the batch
    * itself, the future fails and the stream is canceled; the table keeps the rows before the
    * failure. A stream that starts while another one appends to the table fails.
    *
    * {{{
    * import org.apache.pekko.stream.scaladsl.Source
    * import org.apache.pekko.stream.Materializer
    * import scala.concurrent.Future
    * import undercroft.struct.*
    * final case class Bill(ticket: Int, price: Int) derives Struct
    * def store(bills: Source[Bill, ?], day: GrowingTable[Bill, Aligned])(using Materializer): Future[Long] =
    *   bills.grouped(1000).runWith(RowStreams.appendTo(day))
    * }}}
    */
  def appendTo[T, L <: Layout](
      table: GrowingTable[T, L]
  ): Sink[View[T] | IterableOnce[T], Future[Long]] =
    Sink.fromGraph(
      TargetSink("undercroft.RowStreams.appendTo", () => TableWriter.Growing(table))
    )

  /** Appends the values of each batch to a file, and commits after the batch that makes
    * `commitRows` rows uncommitted, and after the last one. The value is the number of rows, after
    * the last commit. Rows that were not committed before the stream do not count towards
    * `commitRows`; its first commit commits them, too. Runs on Pekko's dispatcher for blocking
    * calls. The table remains open.
    *
    * If the stream or a batch fails, the rows since the last commit are not committed: a later
    * commit keeps them, and a close without one discards them. A stream that starts while another
    * one appends to the table fails.
    *
    * {{{
    * import org.apache.pekko.stream.scaladsl.Source
    * import org.apache.pekko.stream.Materializer
    * import scala.concurrent.Future
    * import undercroft.file.FileTable
    * import undercroft.struct.*
    * final case class Bill(ticket: Int, price: Int) derives Struct
    * def store(bills: Source[Bill, ?], day: FileTable[Bill, Aligned])(using Materializer): Future[Long] =
    *   bills.grouped(1000).runWith(RowStreams.appendTo(day, commitRows = 10_000))
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `commitRows` is less than 1
    */
  def appendTo[T, L <: Layout](
      table: FileTable[T, L],
      commitRows: Long = DefaultCommitRows
  ): Sink[View[T] | IterableOnce[T], Future[Long]] =
    requirePositive("commitRows", commitRows)
    val stage =
      TargetSink("undercroft.RowStreams.appendTo", () => TableWriter.Filed(table, commitRows))
    Sink.fromGraph(stage).addAttributes(Attributes(ActorAttributes.IODispatcher))

  private def requirePositive(name: String, value: Long): Unit =
    if value < 1 then throw IllegalArgumentException(s"$name must be at least 1, but is $value")
end RowStreams
