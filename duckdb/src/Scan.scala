package undercroft.duckdb

import undercroft.struct.internal.bytes.MappedReads
import java.lang.foreign.Arena
import java.util.concurrent.atomic.AtomicInteger
import scala.collection.mutable.ArrayBuffer
import undercroft.file.format.BlockStatistics
import undercroft.file.{ColumnKind, FieldSlices}

/** DuckDB's bind data: one use of a table in a query, with the filters pushed down to it. */
private[duckdb] final class BindData(
    val columns: Vector[ColumnKind],
    val lanes: FieldSlices,
    ranges: String => Vector[BlockStatistics],
    failures: ScanFailures,
    current: () => FieldSlices
):
  private val filters = ArrayBuffer[ColumnFilter]()
  private val filterChoices = ArrayBuffer[FilterChoice]()

  /** The same table and filters, with the rows of the current query: a prepared statement may have
    * been bound by an earlier one.
    */
  def started(): BindData =
    val now = current()
    if now eq lanes then this
    else
      val bound = BindData(columns, now, ranges, failures, current)
      all.foreach(bound.add)
      choices.foreach(bound.add)
      bound

  def add(filter: ColumnFilter): Unit = synchronized { filters += filter }: Unit

  def add(choice: FilterChoice): Unit = synchronized { filterChoices += choice }: Unit

  /** The filters that must all hold. */
  def all: Vector[ColumnFilter] = synchronized(filters.toVector)

  /** The choices that must all hold, too. */
  def choices: Vector[FilterChoice] = synchronized(filterChoices.toVector)

  /** Runs a part of the query; translates errors of access to the table's own exceptions. */
  def watch[A](body: => A): A =
    failures.watch:
      try
        val result = body
        MappedReads.rethrow() // throws a deferred fault of a mapped file here
        result
      catch case error: Throwable => throw lanes.translate(error)

  /** The parts that threads take in turn, as pairs of first row and end. Parts inside blocks that
    * the filters exclude are left out.
    */
  def parts: Array[Long] =
    val bounds = ArrayBuffer[Long]()
    val without = pruned
    var k = 0
    var from = 0L
    while from < lanes.rows do
      val until = Math.min(from + BindData.PartRows, lanes.rows)
      while k < without.size && without(k)(1) <= from do k += 1
      if k == without.size || from < without(k)(0) || until > without(k)(1) then
        bounds += from
        bounds += until
      from = until
    bounds.toArray

  /** Sorted disjoint row ranges `[from, until)` that the block statistics exclude. */
  private def pruned: Vector[(Long, Long)] =
    val byChoices = choices.flatMap(_.alternatives.map(excluded).reduce(BindData.both))
    BindData.joined(excluded(all) ++ byChoices)

  /** The row ranges in which the block statistics exclude that all filters hold. */
  private def excluded(filters: Vector[ColumnFilter]): Vector[(Long, Long)] =
    BindData.joined:
      for
        filter <- filters
        if filter.hasStatistics && !filter.isNegated
        block <- ranges(filter.path)
        if !filter.meets(block.min.longValue, block.max.longValue)
      yield (block.from, block.until)
end BindData

private[duckdb] object BindData:
  /** Rows of a part. The length of the file is checked once for each part. A multiple of the vector
    * size, and not larger than a block of a sealed file.
    */
  inline val PartRows = 1 << 16

  /** The ranges sorted, and joined where they overlap or touch. */
  private def joined(ranges: Vector[(Long, Long)]): Vector[(Long, Long)] =
    val joined = ArrayBuffer[(Long, Long)]()
    for (from, until) <- ranges.sorted do
      joined.lastOption match
        case Some((first, end)) if from <= end =>
          joined(joined.size - 1) = (first, Math.max(end, until))
        case _ => joined += ((from, until))
    joined.toVector

  /** The rows that are in a range of `a` and in one of `b`. */
  private def both(a: Vector[(Long, Long)], b: Vector[(Long, Long)]): Vector[(Long, Long)] =
    for
      (from, until) <- a
      (otherFrom, otherUntil) <- b
      start = Math.max(from, otherFrom)
      end = Math.min(until, otherUntil)
      if start < end
    yield (start, end)
end BindData

/** The scan of a table by a query, on several threads. */
private[duckdb] final class Scan(val bound: BindData, val columns: Array[Long]):
  private val parts = bound.parts
  private val nextPart = AtomicInteger()
  val filters: Vector[ColumnFilter] = bound.all
  val choices: Vector[FilterChoice] = bound.choices

  /** The offsets of all values that the scan reads, including those read by filters. */
  val offsets: Array[Int] =
    (columns.map(_.toInt) ++ (filters ++ choices.flatMap(_.alternatives.flatten)).map(_.column))
      .distinct
      .filter(index => index >= 0 && index < bound.columns.size)
      .flatMap(bound.columns(_).offsets)

  /** The number of threads that can work in parallel. */
  def threads: Int = Math.max(1, parts.length / 2)

  /** Takes the next part: its index, or -1 if there are no more. */
  def take(): Int =
    val part = nextPart.getAndIncrement
    if part < parts.length / 2 then part else -1

  def from(part: Int): Long = parts(2 * part)
  def until(part: Int): Long = parts(2 * part + 1)
end Scan

/** The local state of one thread in a scan. */
private[duckdb] final class LocalScanState(scan: Scan):
  def bound: BindData = scan.bound

  // Freed by the garbage collector, not closed: DuckDB may end a scan at any time.
  private val slots = OutParams(Arena.ofAuto.nn)
  private val lanes = scan.bound.lanes
  private val window = RowSelection()
  private val choosers: Array[RowSelector] =
    (scan.filters.map(RowFilter(lanes, _)) ++ scan.choices.map(RowChoice(lanes, _))).toArray
  private val distances = new Array[Int](LocalScanState.Rows)
  private val fills =
    scan.columns.map(index => VectorWriter.of(lanes, scan.bound.columns(index.toInt), slots))

  /** The part that contained the last rows. */
  private var current = -1
  private var next = 0L
  private var until = 0L

  def part: Long = Math.max(current, 0)

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
    for k <- fills.indices do
      val vector = slots.answer(
        DuckDbApi.dataChunkGetVector.invokeExact(chunk, k.toLong, slots.out, slots.error)
          .asInstanceOf[Int]
      )
      if window.count == 0 then VectorWriter.resize(vector, 0, slots)
      else fills(k)(vector, window, null)
    // Detects truncation of the file before the last rows of a part are returned.
    if next >= until && current >= 0 then lanes.confirm()
  end fill

  private def take(): Boolean =
    current = scan.take()
    if current < 0 then false
    else
      lanes.confirm()
      next = scan.from(current)
      until = scan.until(current)
      lanes.compare(next, until, scan.offsets)
      true

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
