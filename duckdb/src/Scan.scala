package undercroft.duckdb

import java.lang.foreign.Arena
import java.util.concurrent.atomic.AtomicInteger
import scala.collection.mutable.ArrayBuffer
import undercroft.file.Range
import undercroft.struct.internal.Mapping
import undercroft.structfile.{Column, Lanes}

/** A table as a query names it, once, with the conditions that are left to us. */
private[duckdb] final class Bound(
    val columns: Vector[Column],
    val lanes: Lanes,
    ranges: String => Vector[Range],
    failures: Failures
):
  private val filters = ArrayBuffer[Filter]()

  def add(filter: Filter): Unit = synchronized { filters += filter }: Unit

  def all: Vector[Filter] = synchronized(filters.toVector)

  /** Runs a part of the query; the error of an access is that of the table. */
  def watch[A](body: => A): A =
    failures.watch:
      try
        val result = body
        Mapping.settle() // what a read of a file failed with is this callback's error
        result
      catch case error: Throwable => throw lanes.explained(error)

  /** The parts that rows are shared out in among threads, as first rows and ends: those blocks of a
    * sealed file left out that have no row for some filter.
    */
  def parts: Array[Long] =
    val found = ArrayBuffer[Long]()
    val without = pruned
    var k = 0
    var from = 0L
    while from < lanes.rows do
      val until = Math.min(from + Bound.PartRows, lanes.rows)
      while k < without.size && without(k)(1) <= from do k += 1
      if k == without.size || from < without(k)(0) || until > without(k)(1) then
        found += from
        found += until
      from = until
    found.toArray

  /** Rows `[from, until)` of which none is wanted, in their order, as long as they can be. */
  private def pruned: Vector[(Long, Long)] =
    val blocks =
      for
        filter <- all
        if filter.isWhole && !filter.isNegated
        block <- ranges(filter.path)
        if !filter.meets(block.least.longValue, block.most.longValue)
      yield (block.from, block.until)
    val joined = ArrayBuffer[(Long, Long)]()
    for (from, until) <- blocks.sorted do
      joined.lastOption match
        case Some((first, end)) if from <= end =>
          joined(joined.size - 1) = (first, Math.max(end, until))
        case _ => joined += ((from, until))
    joined.toVector
end Bound

private[duckdb] object Bound:
  /** Rows of a part: the file is asked for its length once for each. A multiple of what a vector
    * holds, and not more than a block of a sealed file has.
    */
  inline val PartRows = 1 << 16
end Bound

/** A scan of a table by a query, on several threads. */
private[duckdb] final class Scan(val bound: Bound, val columns: Array[Long]):
  private val parts = bound.parts
  private val taken = AtomicInteger()
  val filters: Vector[Filter] = bound.all

  /** How many threads have something to do. */
  def threads: Int = Math.max(1, parts.length / 2)

  /** The number of the next part that nobody has; -1 where there is none. */
  def take(): Int =
    val next = taken.getAndIncrement
    if next < parts.length / 2 then next else -1

  def from(part: Int): Long = parts(2 * part)
  def until(part: Int): Long = parts(2 * part + 1)
end Scan

/** What one thread does of a scan. */
private[duckdb] final class Worker(scan: Scan):
  def bound: Bound = scan.bound

  // Not closed but collected: DuckDB may end a scan at any time.
  private val slots = Slots(Arena.ofAuto.nn)
  private val lanes = scan.bound.lanes
  private val window = Window()
  private val choosers = scan.filters.map(Chooser(lanes, _)).toArray
  private val chosen = new Array[Int](Worker.Rows)
  private val fills =
    scan.columns.map(index => Fill.of(lanes, scan.bound.columns(index.toInt), slots))

  /** The part that the last rows were of. */
  private var current = -1
  private var next = 0L
  private var until = 0L

  def part: Long = Math.max(current, 0)

  /** Fills a chunk with the next rows; none at the end. */
  def fill(info: Long): Unit =
    val chunk = slots.answer(
      Native.tableFunctionExecGetOutputChunk.invokeExact(info, slots.out, slots.error)
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
        Native.dataChunkGetVector.invokeExact(chunk, k.toLong, slots.out, slots.error)
          .asInstanceOf[Int]
      )
      if window.count == 0 then Fill.resize(vector, 0, slots)
      else fills(k)(vector, window, null)
    // A file that became shorter is found before the last rows of a part get out.
    if next >= until && current >= 0 then lanes.confirm()
  end fill

  private def take(): Boolean =
    current = scan.take()
    if current < 0 then false
    else
      lanes.confirm()
      next = scan.from(current)
      until = scan.until(current)
      true

  private def dense(): Unit =
    window.from = next
    window.chosen = null
    window.count = Math.min(until - next, Worker.Rows).toInt
    next += window.count

  /** Collects rows that every filter wants, until a vector is more than half full. */
  private def choose(): Unit =
    val from = next
    var count = 0
    while count <= Worker.Rows - Worker.Looked && next < until do
      val looked = Math.min(until - next, Worker.Looked).toInt
      val base = (next - from).toInt
      var left = choosers(0).choose(from, chosen, count, base, looked, first = true)
      var k = 1
      while k < choosers.length && left > 0 do
        left = choosers(k).choose(from, chosen, count, base, left, first = false)
        k += 1
      count += left
      next += looked
    window.from = from
    window.chosen = chosen
    window.count = count
end Worker

private[duckdb] object Worker:
  /** Rows of a vector. */
  private inline val Rows = 2048

  /** Rows that filters look at in one go. */
  private inline val Looked = 1024
end Worker
