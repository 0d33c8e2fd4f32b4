package undercroft.struct

import java.lang.foreign.MemorySegment
import undercroft.memory.Allocator
import undercroft.struct.internal.Unaligned

/** Runs of a table's rows, each sorted on its own, and how they become one order: it is cut in
  * shares of about one size, of which each is merged on its own. Rows of equal keys keep their
  * order. Where to cut the runs is found by a search for the key at each cut (P. Varman et al.,
  * "Merging multiple lists on hierarchical-memory multiprocessors", JPDC 12(2), 1991).
  */
private[struct] final class SortRuns(rows: Long, most: Int, least: Long = SortRuns.Least):

  /** How many runs there are, and how many shares. */
  val count: Int = Math.ceilDiv(rows, least).min(most.toLong).max(1).toInt

  private val each = Math.ceilDiv(rows, count.toLong)
  private val runs = new Array[SortBuffer](count)

  /** The first row of a run. */
  def start(run: Int): Long = (run * each).min(rows)

  /** Takes a run that has been sorted. */
  def update(run: Int, sorted: SortBuffer): Unit = runs(run) = sorted

  /** The shares, in memory of the allocator. */
  def split(allocator: Allocator): Array[SortShare] =
    val memory = allocator.allocateUninit(rows * 8, 8)
    val cuts = Array.tabulate(count + 1)(share => cut(start(share)))
    val starts = Array.tabulate(count)(start)
    Array.tabulate(count): share =>
      val from = start(share)
      val order = memory.asSlice(from * 8, (start(share + 1) - from) * 8)
      SortShare(runs, starts, cuts(share).clone, cuts(share + 1), from, order)

  /** How much of each run is in the first `rank` rows. */
  private def cut(rank: Long): Array[Long] =
    // The smallest key up to which there are that many rows.
    var low = 0L
    var high = -1L
    while low != high do
      val middle = low + ((high - low) >>> 1)
      if runs.iterator.map(below(_, middle, within = true)).sum >= rank then high = middle
      else low = middle + 1
    val places = runs.map(below(_, low, within = false))
    var more = rank - places.sum
    var run = 0
    while run < count do
      val equal = (below(runs(run), low, within = true) - places(run)).min(more)
      places(run) += equal
      more -= equal
      run += 1
    places

  /** How many keys of a run are below a key, or not above it. */
  private def below(run: SortBuffer, key: Long, within: Boolean): Long =
    var low = 0L
    var high = run.size
    while low < high do
      val middle = (low + high) >>> 1
      val order = java.lang.Long.compareUnsigned(run.key(middle), key)
      if order < 0 || (within && order == 0) then low = middle + 1 else high = middle
    low
end SortRuns

private[struct] object SortRuns:
  /** Rows of a run, at the least: some milliseconds of work. */
  private val Least = 1L << 16
end SortRuns

/** One share of the order of some runs: the rows between two cuts of each. */
private[struct] final class SortShare(
    runs: Array[SortBuffer],
    starts: Array[Long],
    at: Array[Long],
    until: Array[Long],
    val from: Long,
    order: MemorySegment
) extends RowOrder:

  /** The runs that are not at their ends, as a heap whose root is the one with the least key. */
  private val heap = new Array[Int](runs.length)
  private val keys = new Array[Long](runs.length)
  private var left = 0

  def size: Long = order.byteSize / 8
  def row(position: Long): Long = order.get(Unaligned.long, position * 8)

  /** Finds the order of its rows. */
  def merge(): Unit =
    var run = 0
    while run < runs.length do
      if at(run) < until(run) then
        keys(run) = runs(run).key(at(run))
        heap(left) = run
        left += 1
      run += 1
    var place = left / 2
    while place > 0 do
      place -= 1
      down(place)
    var i = 0L
    while left > 0 do
      val next = heap(0)
      order.set(Unaligned.long, i * 8, starts(next) + runs(next).row(at(next)))
      i += 1
      at(next) += 1
      if at(next) < until(next) then keys(next) = runs(next).key(at(next))
      else
        left -= 1
        heap(0) = heap(left)
      down(0)
  end merge

  /** Of equal keys the one of the earlier run comes first. */
  private def isLess(a: Int, b: Int): Boolean =
    val order = java.lang.Long.compareUnsigned(keys(a), keys(b))
    order < 0 || (order == 0 && a < b)

  private def down(start: Int): Unit =
    var place = start
    var child = place * 2 + 1
    val moved = heap(place)
    while child < left do
      if child + 1 < left && isLess(heap(child + 1), heap(child)) then child += 1
      if isLess(heap(child), moved) then
        heap(place) = heap(child)
        place = child
        child = place * 2 + 1
      else child = left
    heap(place) = moved
end SortShare
