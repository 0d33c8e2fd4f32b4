package undercroft.struct

import java.lang.foreign.MemorySegment
import undercroft.memory.Allocator
import undercroft.struct.internal.Unaligned

/** Runs of a table's rows, each sorted on its own, and how they become one order: it is cut in
  * shares of about one size, of which each is merged on its own. Rows of equal keys keep their
  * order. Where to cut the runs is found by a search for the key at each cut (P. Varman et al.,
  * "Merging multiple lists on hierarchical-memory multiprocessors", JPDC 12(2), 1991), word by word
  * where keys have several: the second ones are asked for where the first are equal.
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

  /** The shares, in memory of the allocator. Keys of more words than one are those of the rows. */
  def split(allocator: Allocator, keys: SortKeys | Null = null): Array[SortShare] =
    val memory = allocator.allocateUninit(rows * 8, 8)
    val all = RunKeys(runs, Array.tabulate(count)(start), keys)
    val cuts = Array.tabulate(count + 1)(share => cut(start(share), all))
    Array.tabulate(count): share =>
      val from = start(share)
      val order = memory.asSlice(from * 8, (start(share + 1) - from) * 8)
      SortShare(all, cuts(share).clone, cuts(share + 1), from, order)

  /** How much of each run is in the first `rank` rows. */
  private def cut(rank: Long, keys: RunKeys): Array[Long] =
    val low = new Array[Long](count)
    val high = runs.map(_.size)
    var index = 0
    // Rows before `low` are in, those from `high` on are not; between them keys are equal so far.
    while index < keys.words do
      val word = wordAt(rank, keys, low, high, index)
      for run <- 0 until count do
        val from = low(run)
        low(run) = below(keys, run, from, high(run), index, word, within = false)
        high(run) = below(keys, run, low(run), high(run), index, word, within = true)
      index += 1
    var more = rank - low.sum
    var run = 0
    while run < count do
      val equal = (high(run) - low(run)).min(more)
      low(run) += equal
      more -= equal
      run += 1
    low
  end cut

  /** The smallest word up to which there are `rank` rows, of words between places. */
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

  /** Up to where the words of a run's keys are below one, or not above it. */
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
end SortRuns

private[struct] object SortRuns:
  /** Rows of a run, at the least: some milliseconds of work. */
  private val Least = 1L << 16
end SortRuns

/** The keys of runs that begin at some rows: of one word where they were sorted, else those of the
  * rows, for the thread that may read these.
  */
private[struct] final class RunKeys(
    runs: Array[SortBuffer],
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

  /** How two rows compare by all words but the first. */
  def compareMore(a: Long, b: Long): Int = if keys == null then 0 else keys.compare(a, b, 1)

  /** The same runs, for another thread. */
  def by(keys: SortKeys | Null): RunKeys = RunKeys(runs, starts, keys)
end RunKeys

/** One share of the order of some runs: the rows between two cuts of each. */
private[struct] final class SortShare(
    all: RunKeys,
    at: Array[Long],
    until: Array[Long],
    val from: Long,
    order: MemorySegment
) extends RowOrder:

  /** The runs that are not at their ends, as a heap whose root is the one with the least key. */
  private val heap = new Array[Int](all.count)
  private val words = new Array[Long](all.count)
  private var left = 0

  def size: Long = order.byteSize / 8
  def row(position: Long): Long = order.get(Unaligned.long, position * 8)

  /** Finds the order of its rows, by keys that this thread may read. */
  def merge(own: SortKeys | Null = null): Unit =
    val keys = all.by(own)
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
      order.set(Unaligned.long, i * 8, keys.row(next, at(next)))
      i += 1
      at(next) += 1
      if at(next) < until(next) then words(next) = keys.word(next, at(next), 0)
      else
        left -= 1
        heap(0) = heap(left)
      down(0, keys)
  end merge

  /** Of equal keys the one of the earlier run comes first. */
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
end SortShare
