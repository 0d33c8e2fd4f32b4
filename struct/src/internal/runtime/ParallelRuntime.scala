package undercroft.struct
package internal.runtime

import internal.parallel.SharedTable
import internal.bytes.{BulkCopy, RowBitmap, RowWriter}
import internal.parallel.ParallelRunner
import internal.sort.{LsdRadixSort, MergeRuns, RowMover, SortFields, SortKeys}
import scala.annotation.publicInBinary
import undercroft.memory.{Allocator, Region, Reservation}

/** Runtime of the parallel operations. */
@publicInBinary private[struct] object ParallelRuntime:

  @publicInBinary private[struct] def fold[T, L <: Layout, B](
      table: Table[T, L],
      grain: Long,
      zero: () => B,
      combine: (B, B) => B
  )(part: Table[T, L] => B): B =
    val source = SharedTable(table, grain)
    val results = new Array[Any](source.parts)
    ParallelRunner.run(source.parts, source.confined, source.isSmall): i =>
      results(i) = part(source.part(i))
    if results.isEmpty then zero()
    else results.reduceLeft((a, b) => combine(a.asInstanceOf[B], b.asInstanceOf[B])).asInstanceOf[B]

  /** A new table of the rows that `choose` puts in the set. */
  @publicInBinary private[struct] def filter[T, L <: Layout](
      table: Table[T, L],
      grain: Long,
      allocator: Allocator
  )(choose: (Table[T, L], RowWriter) => Unit): Table[T, L] =
    val source = SharedTable(table, grain)
    val set = RowBitmap(source.bit(source.parts), Reservation(_))
    try
      val counts = new Array[Long](source.parts)
      ParallelRunner.run(source.parts, source.confined, source.isSmall): i =>
        val writer = set.writer(source.bit(i))
        choose(source.part(i), writer)
        writer.end()
        counts(i) = writer.count
      val starts = counts.scanLeft(0L)(_ + _)
      UnfinishedTable.filled(table.another(starts.last, allocator), allocator): result =>
        val target = SharedTable(result)
        ParallelRunner.run(source.parts, source.confined || target.confined, source.isSmall): i =>
          val copies = BulkCopy(source.here, target.here)
          val (bit, row, end) = (source.bit(i), source.start(i), source.start(i + 1))
          val _ = set.copy(bit, bit + end - row, within = true, copies, starts(i), row)
        table.confirm()
    catch case error: Throwable => throw table.translate(error)
    finally set.close()
  end filter

  /** A new table of the rows in the order of the keys that `fill` puts. Runs, at most one per
    * processor, are sorted in parallel, and then shares of the result are merged in parallel.
    */
  @publicInBinary private[struct] def sort[T, L <: Layout](
      table: Table[T, L],
      keyBytes: Int,
      grain: Long,
      allocator: Allocator
  )(fill: (Table[T, L], LsdRadixSort) => Unit): Table[T, L] =
    sorted(table, keyBytes, grain, allocator, _ => null): (part, buffer) =>
      fill(part, buffer)
      buffer.sort()

  /** As `sort`, by fields whose keys may have several words. */
  @publicInBinary private[struct] def sortByFields[T, L <: Layout](
      table: Table[T, L],
      fields: Array[Int],
      grain: Long,
      allocator: Allocator
  ): Table[T, L] =
    val sortFields = SortFields.of(table, fields)
    sorted(table, sortFields.bytes, grain, allocator, sortFields.keys): (part, buffer) =>
      buffer.sortBy(sortFields.keys(part))

  private def sorted[T, L <: Layout](
      table: Table[T, L],
      keyBytes: Int,
      grain: Long,
      allocator: Allocator,
      keys: Table[T, L] => SortKeys | Null
  )(sort: (Table[T, L], LsdRadixSort) => Unit): Table[T, L] =
    val source = SharedTable(table)
    val region = Region.shared()
    try
      val minRows = SharedTable.grain(grain, MergeRuns.Least)
      val runs = MergeRuns(source.rows, ParallelRunner.width, minRows)
      ParallelRunner.run(runs.count, source.confined): i =>
        val part = source.here.slice(runs.start(i), runs.start(i + 1))
        val buffer = LsdRadixSort(part.size, keyBytes, region)
        sort(part, buffer)
        runs(i) = buffer
      val merged = runs.split(region, keys(source.here))
      UnfinishedTable.filled(table.another(source.rows, allocator), allocator): result =>
        val target = SharedTable(result)
        ParallelRunner.run(runs.count, source.confined || target.confined): i =>
          val order = merged(i)
          order.merge(keys(source.here))
          val share = target.here.slice(order.from, order.from + order.size)
          RowMover(source.here).gather(order, 0, order.size, share)
        table.confirm()
    catch case error: Throwable => throw table.translate(error)
    finally region.close()
  end sorted
end ParallelRuntime
