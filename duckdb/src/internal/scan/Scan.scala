package undercroft.duckdb
package internal.scan

import internal.api.{DuckDbApi, OutParams}
import undercroft.struct.internal.bytes.MappedReads
import java.lang.foreign.Arena
import java.util.concurrent.atomic.AtomicInteger
import scala.collection.mutable.ArrayBuffer
import undercroft.file.ColumnKind

/** DuckDB's bind data: one use of a table in a query, with the filters pushed down to it.
  *
  * @param name
  *   the SQL name of the table
  * @param columns
  *   the fields, then the columns of partitions
  */
private[duckdb] final class BindData(
    val name: String,
    val columns: Vector[ColumnKind],
    val fieldCount: Int,
    val snapshot: Snapshot,
    failures: ScanFailures,
    val explanation: Explanation,
    current: () => Snapshot
):
  private val filters = ArrayBuffer[ColumnFilter]()
  private val filterChoices = ArrayBuffer[FilterChoice]()

  /** The same table and filters, with the rows of the current query: a prepared statement may have
    * been bound by an earlier one.
    */
  def started(): BindData =
    val now = current()
    if now eq snapshot then this
    else
      val bound = BindData(name, columns, fieldCount, now, failures, explanation, current)
      all.foreach(bound.add)
      choices.foreach(bound.add)
      bound

  def add(filter: ColumnFilter): Unit = synchronized { filters += filter }: Unit

  def add(choice: FilterChoice): Unit = synchronized { filterChoices += choice }: Unit

  /** The filters that must all hold. */
  def all: Vector[ColumnFilter] = synchronized(filters.toVector)

  /** The choices that must all hold, too. */
  def choices: Vector[FilterChoice] = synchronized(filterChoices.toVector)

  /** Runs a part of the query, and keeps its failure. */
  def watch[A](body: => A): A = failures.watch(body)

  /** Throws if the query was interrupted. */
  def checkInterrupt(): Unit = failures.checkInterrupt()

  /** The parts that threads take in turn, in the order of their rows. Files that the filters
    * exclude by their partitions are left out, and parts inside blocks that they exclude.
    */
  def parts: Vector[ScanPart] =
    val conditions = RowConditions(all, choices)
    for
      table <- snapshot.tables
      rest <- conditions.at(table).toVector
      (from, until) <- ranges(table, rest.pruned(table))
    yield ScanPart(table, rest, from, until)

  def rows: Long = snapshot.rows

  /** The number of rows that the filters do not exclude by partitions and block statistics. */
  def rowsToRead: Long = watch(parts.map(part => part.until - part.from).sum)

  /** The rows of the parts of a table, without those inside one of the ranges `without`. */
  private def ranges(table: ScannedTable, without: Vector[(Long, Long)]): Vector[(Long, Long)] =
    val bounds = Vector.newBuilder[(Long, Long)]
    var k = 0
    var from = 0L
    while from < table.rows do
      val until = Math.min(from + BindData.PartRows, table.rows)
      while k < without.size && without(k)(1) <= from do k += 1
      if k == without.size || from < without(k)(0) || until > without(k)(1) then
        bounds += ((from, until))
      from = until
    bounds.result()
end BindData

private[duckdb] object BindData:
  /** Rows of a part. The length of the file is checked once for each part. A multiple of the vector
    * size, and not larger than a block of a sealed file.
    */
  inline val PartRows = 1 << 16
end BindData

/** Rows of one table that a thread scans at once, and the conditions that they must fulfil. */
private[duckdb] final case class ScanPart(
    table: ScannedTable,
    conditions: RowConditions,
    from: Long,
    until: Long
)

/** The scan of a table by a query, on several threads. */
private[duckdb] final class Scan(val bound: BindData, val columns: Array[Long]):
  private val parts = bound.parts
  private val nextPart = AtomicInteger()

  /** The offsets of all fields that the scan reads, including those read by filters. */
  val offsets: Array[Int] =
    (columns.map(_.toInt) ++ RowConditions(bound.all, bound.choices).columns)
      .distinct
      .filter(index => index >= 0 && index < bound.fieldCount)
      .flatMap(bound.columns(_).offsets)

  /** The number of threads that can work in parallel. */
  def threads: Int = Math.max(1, parts.size)

  /** Takes the next part: its index, or -1 if there are no more. */
  def take(): Int =
    val part = nextPart.getAndIncrement
    if part < parts.size then part else -1

  def part(index: Int): ScanPart = parts(index)
end Scan

/** The local state of one thread in a scan. */
private[duckdb] final class LocalScanState(scan: Scan):

  // Freed by the garbage collector, not closed: DuckDB may end a scan at any time.
  private val slots = OutParams(Arena.ofAuto.nn)
  private val window = RowSelection()
  private val distances = new Array[Int](LocalScanState.Rows)

  /** The table of the last rows, with its selectors and writers. */
  private var table: Option[ScannedTable] = None
  private var choosers = Array[RowSelector]()
  private var fills = Array[VectorWriter]()

  /** The part that contained the last rows. */
  private var current = -1
  private var next = 0L
  private var until = 0L

  def part: Long = Math.max(current, 0)

  /** Runs a step of the scan; translates errors of access to the table's own exceptions. */
  def watch[A](body: => A): A = scan.bound.watch(translated(body))

  /** Translates errors of access to the current table, whose faults are thrown here if deferred. */
  private def translated[A](body: => A): A =
    try
      val result = body
      MappedReads.rethrow()
      result
    catch case error: Throwable => throw table.fold(error)(_.lanes.translate(error))

  /** Fills a chunk with the next rows; with none at the end. */
  def fill(info: Long): Unit =
    val chunk = slots.answer(
      DuckDbApi.tableFunctionExecGetOutputChunk.invokeExact(info, slots.out, slots.error)
        .asInstanceOf[Int]
    )
    var going = true
    window.count = 0
    while going && window.count == 0 do
      if next >= until then going = take()
      if going then
        if choosers.length == 0 then dense() else choose()
    for k <- scan.columns.indices do
      val vector = slots.answer(
        DuckDbApi.dataChunkGetVector.invokeExact(chunk, k.toLong, slots.out, slots.error)
          .asInstanceOf[Int]
      )
      if window.count == 0 then VectorWriter.resize(vector, 0, slots)
      else fills(k)(vector, window, null)
    // Detects truncation of the file before the last rows of a part are returned.
    if next >= until && current >= 0 then table.foreach(_.lanes.confirm())
  end fill

  private def take(): Boolean =
    current = scan.take()
    if current < 0 then false
    else
      val part = scan.part(current)
      if !table.exists(_ eq part.table) then
        // Faults and truncations of the last file must be attributed to that file.
        translated(table.foreach(_.lanes.confirm()))
        enter(part)
      part.table.lanes.confirm()
      // DuckDB notices an interrupt only when `fill` ends, which it does not while no row is found.
      scan.bound.checkInterrupt()
      next = part.from
      until = part.until
      part.table.lanes.compare(next, until, scan.offsets)
      true
  end take

  private def enter(part: ScanPart): Unit =
    val lanes = part.table.lanes
    part.table.isRead = true
    table = Some(part.table)
    choosers = (part.conditions.all.map(RowSelector.of(lanes, _)) ++
      part.conditions.choices.map(RowChoice(lanes, _))).toArray
    fills = scan.columns.map: index =>
      val column = index.toInt
      if column < scan.bound.fieldCount then
        VectorWriter.of(lanes, scan.bound.columns(column), slots)
      else ConstantWriter(part.table.constant(column), slots)

  private def dense(): Unit =
    window.from = next
    window.distances = null
    window.count = Math.min(until - next, LocalScanState.Rows).toInt
    next += window.count

  /** Collects rows that pass all filters, until a vector is more than half full. */
  private def choose(): Unit =
    val from = next
    var count = 0
    while count <= LocalScanState.Rows - LocalScanState.Looked && next < until do
      val looked = Math.min(until - next, LocalScanState.Looked).toInt
      val base = (next - from).toInt
      var left = choosers(0).choose(from, distances, count, base, looked, first = true)
      var k = 1
      while k < choosers.length && left > 0 do
        left = choosers(k).choose(from, distances, count, base, left, first = false)
        k += 1
      count += left
      next += looked
    window.from = from
    window.distances = distances
    window.count = count
end LocalScanState

private[duckdb] object LocalScanState:
  /** Rows of a vector. */
  private inline val Rows = 2048

  /** Rows that are filtered at a time. */
  private inline val Looked = 1024
end LocalScanState
