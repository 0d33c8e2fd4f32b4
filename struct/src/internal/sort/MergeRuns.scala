package undercroft.struct
package internal.sort

import internal.bytes.ValueLayouts
import java.lang.foreign.MemorySegment
import undercroft.memory.Allocator

/** Sorted runs of a table's rows and their parallel merge: the merged order is cut into shares of
  * about equal size, each of which is merged separately. Stable. The cuts are found by searching
  * for the key at each cut (P. Varman et al., "Merging multiple lists on hierarchical-memory
  * multiprocessors", JPDC 12(2), 1991), word by word if keys have several: the second words are
  * compared only if the first are equal.
  */
private[struct] final class MergeRuns(rows: Long, maxRuns: Int, minRows: Long):

  /** The number of runs, and of shares. */
  val count: Int = Math.ceilDiv(rows, minRows).min(maxRuns.toLong).max(1).toInt

  private val runRows = Math.ceilDiv(rows, count.toLong)
  private val runs = new Array[LsdRadixSort](count)

  /** The first row of a run. */
  def start(run: Int): Long = (run * runRows).min(rows)

  /** Adds a sorted run. */
  def update(run: Int, sorted: LsdRadixSort): Unit = runs(run) = sorted

  /** The shares, in memory of the allocator. Keys of more than one word are read from the rows by
    * `keys`.
    */
  def split(allocator: Allocator, keys: SortKeys | Null = null): Array[MergeShare] =
    val memory = allocator.allocateUninit(rows * 8, 8)
    val runKeys = RunKeys(runs, Array.tabulate(count)(start), keys)
    val cuts = Array.tabulate(count + 1)(share => cut(start(share), runKeys))
    Array.tabulate(count): share =>
      val from = start(share)
      val order = memory.asSlice(from * 8, (start(share + 1) - from) * 8)
      MergeShare(runKeys, cuts(share).clone, cuts(share + 1), from, order)

  /** The number of rows of each run that are among the first `rank` rows. */
  private def cut(rank: Long, keys: RunKeys): Array[Long] =
    val low = new Array[Long](count)
    val high = runs.map(_.size)
    var index = 0
    // Rows before `low` are included, rows from `high` on are not; rows between have equal keys so
    // far.
    while index < keys.words do
      val word = wordAt(rank, keys, low, high, index)
      for run <- 0 until count do
        val from = low(run)
        low(run) = below(keys, run, from, high(run), index, word, within = false)
        high(run) = below(keys, run, low(run), high(run), index, word, within = true)
      index += 1
    var remaining = rank - low.sum
    var run = 0
    while run < count do
      val equal = (high(run) - low(run)).min(remaining)
      low(run) += equal
      remaining -= equal
      run += 1
    low
  end cut

  /** The smallest word for which at least `rank` rows have a word up to it; searches each run in
    * `[from, until)`.
    */
  private def wordAt(
      rank: Long,
      keys: RunKeys,
      from: Array[Long],
      until: Array[Long],
      index: Int
  ): Long =
    var low = 0L
    var high = -1L
    while low != high do
      val middle = low + ((high - low) >>> 1)
      var rows = 0L
      for run <- 0 until count do
        rows += below(keys, run, from(run), until(run), index, middle, within = true)
      if rows >= rank then high = middle else low = middle + 1
    low

  /** The end of the rows of a run whose words are below `word` (up to `word` if `within`). */
  private def below(
      keys: RunKeys,
      run: Int,
      from: Long,
      until: Long,
      index: Int,
      word: Long,
      within: Boolean
  ): Long =
    var low = from
    var high = until
    while low < high do
      val middle = (low + high) >>> 1
      val order = java.lang.Long.compareUnsigned(keys.word(run, middle, index), word)
      if order < 0 || (within && order == 0) then low = middle + 1 else high = middle
    low
end MergeRuns

private[struct] object MergeRuns:
  /** The minimum number of rows of a run by default: some milliseconds of work. */
  val Least = 1L << 16
end MergeRuns

/** The keys of runs that start at given rows. One-word keys are read from the sorted runs, longer
  * ones from the rows, by the thread that may read them.
  */
private[struct] final class RunKeys(
    runs: Array[LsdRadixSort],
    starts: Array[Long],
    sorted: SortKeys | Null
):
  private val keys: SortKeys | Null = if sorted == null || sorted.words == 1 then null else sorted
  val count: Int = runs.length
  val words: Int = if keys == null then 1 else keys.words

  /** The row at a position of a run. */
  def row(run: Int, position: Long): Long = starts(run) + runs(run).row(position)

  def word(run: Int, position: Long, index: Int): Long =
    if keys == null then runs(run).key(position) else keys.word(row(run, position), index)

  /** Compares two rows by all words of their keys but the first. */
  def compareMore(a: Long, b: Long): Int = if keys == null then 0 else keys.compare(a, b, 1)

  /** The same runs, with keys for another thread. */
  def by(keys: SortKeys | Null): RunKeys = RunKeys(runs, starts, keys)
end RunKeys

/** One share of the merged order: the rows between two cuts of each run. */
private[struct] final class MergeShare(
    runs: RunKeys,
    at: Array[Long],
    until: Array[Long],
    val from: Long,
    order: MemorySegment
) extends RowOrder:

  /** The runs that are not at their ends, as a heap; the root has the smallest key. */
  private val heap = new Array[Int](runs.count)
  private val words = new Array[Long](runs.count)
  private var left = 0

  def size: Long = order.byteSize / 8
  def row(position: Long): Long = order.get(ValueLayouts.long, position * 8)

  /** Merges the rows of the share; `threadKeys` are keys that this thread may read. */
  def merge(threadKeys: SortKeys | Null = null): Unit =
    val keys = runs.by(threadKeys)
    var run = 0
    while run < keys.count do
      if at(run) < until(run) then
        words(run) = keys.word(run, at(run), 0)
        heap(left) = run
        left += 1
      run += 1
    var place = left / 2
    while place > 0 do
      place -= 1
      down(place, keys)
    var i = 0L
    while left > 0 do
      val next = heap(0)
      order.set(ValueLayouts.long, i * 8, keys.row(next, at(next)))
      i += 1
      at(next) += 1
      if at(next) < until(next) then words(next) = keys.word(next, at(next), 0)
      else
        left -= 1
        heap(0) = heap(left)
      down(0, keys)
  end merge

  /** Whether run `a` has the smaller next key; for equal keys, whether it is the earlier run. */
  private def isLess(a: Int, b: Int, keys: RunKeys): Boolean =
    var order = java.lang.Long.compareUnsigned(words(a), words(b))
    if order == 0 then order = keys.compareMore(keys.row(a, at(a)), keys.row(b, at(b)))
    order < 0 || (order == 0 && a < b)

  private def down(start: Int, keys: RunKeys): Unit =
    var place = start
    var child = place * 2 + 1
    val moved = heap(place)
    while child < left do
      if child + 1 < left && isLess(heap(child + 1), heap(child), keys) then child += 1
      if isLess(heap(child), moved, keys) then
        heap(place) = heap(child)
        place = child
        child = place * 2 + 1
      else child = left
    heap(place) = moved
end MergeShare
