package undercroft.struct

import scala.annotation.publicInBinary
import undercroft.memory.{Allocator, Region, Reservation}

/** What the operations of several threads run on. */
@publicInBinary private[struct] object ParallelRows:

  @publicInBinary private[struct] def fold[T, L <: Layout, B](
      table: Table[T, L],
      zero: () => B,
      combine: (B, B) => B
  )(part: Table[T, L] => B): B =
    val source = Lent(table)
    val results = new Array[Any](source.parts)
    Crew.run(source.parts, source.confined)(i => results(i) = part(source.part(i)))
    if results.isEmpty then zero()
    else results.reduceLeft((a, b) => combine(a.asInstanceOf[B], b.asInstanceOf[B])).asInstanceOf[B]

  /** The rows that `choose` puts in the set, as a new table. */
  @publicInBinary private[struct] def filter[T, L <: Layout](
      table: Table[T, L],
      allocator: Allocator
  )(choose: (Table[T, L], RowWriter) => Unit): Table[T, L] =
    val source = Lent(table)
    val set = RowSet(source.rows, Reservation(_))
    try
      val counts = new Array[Long](source.parts)
      Crew.run(source.parts, source.confined): i =>
        val writer = set.writer(source.start(i))
        choose(source.part(i), writer)
        writer.end()
        counts(i) = writer.count
      val starts = counts.scanLeft(0L)(_ + _)
      val made = table.another(starts.last, allocator)
      val target = Lent(made)
      Crew.run(source.parts, source.confined || target.confined): i =>
        val copies = BulkCopy(source.here, target.here)
        val _ = set.copy(source.start(i), source.start(i + 1), within = true, copies, starts(i))
      table.confirm()
      made
    catch case error: Throwable => throw table.explained(error)
    finally set.close()
  end filter

  /** The rows in the order of the keys that `fill` puts: runs, as many as there are processors, are
    * sorted at once, and shares of what comes of them merged at once.
    */
  @publicInBinary private[struct] def sort[T, L <: Layout](
      table: Table[T, L],
      keyBytes: Int,
      allocator: Allocator
  )(fill: (Table[T, L], SortBuffer) => Unit): Table[T, L] =
    sorted(table, keyBytes, allocator, _ => null): (part, buffer) =>
      fill(part, buffer)
      buffer.sort()

  /** As `sort`, by a field of several words. */
  @publicInBinary private[struct] def sortByLeaf[T, L <: Layout](
      table: Table[T, L],
      leaf: Int,
      allocator: Allocator
  ): Table[T, L] =
    def keys(rows: Table[T, L]) = SortKeys(rows, table.struct.leaves(leaf))
    sorted(table, table.struct.leaves(leaf).kind.size, allocator, keys): (part, buffer) =>
      buffer.sortBy(keys(part))

  private def sorted[T, L <: Layout](
      table: Table[T, L],
      keyBytes: Int,
      allocator: Allocator,
      keys: Table[T, L] => SortKeys | Null
  )(sort: (Table[T, L], SortBuffer) => Unit): Table[T, L] =
    val source = Lent(table)
    val made = table.another(source.rows, allocator)
    val target = Lent(made)
    val region = Region.shared()
    try
      val runs = SortRuns(source.rows, Crew.width)
      Crew.run(runs.count, source.confined): i =>
        val part = source.here.slice(runs.start(i), runs.start(i + 1))
        val buffer = SortBuffer(part.size, keyBytes, region)
        sort(part, buffer)
        runs(i) = buffer
      val merged = runs.split(region, keys(source.here))
      Crew.run(runs.count, source.confined || target.confined): i =>
        val order = merged(i)
        order.merge(keys(source.here))
        RowMoves(source.here).gather(order, target.here.slice(order.from, order.from + order.size))
      table.confirm()
      made
    catch case error: Throwable => throw table.explained(error)
    finally region.close()
  end sorted
end ParallelRows
