package undercroft.struct

/** Sorts rows in their place by several threads, after PARADIS (M. Cho et al., "PARADIS: An
  * Efficient Parallel Algorithm for In-place Radix Sort", PVLDB 8(12), 2015).
  *
  * A range is shared out among the threads by the most significant byte of its keys. Each thread
  * has a stripe of each part and swaps rows between its stripes alone. What it cannot place,
  * because its stripe of that part is full, is then brought together at each part's end, and shared
  * out again. When a few are left, one thread places them. The parts are sorted by [[SortInPlace]],
  * each by one thread; one with more rows than a thread's share is shared out by its next byte
  * before.
  */
private[struct] final class SortTogether(
    source: Lent[?, ?],
    leaf: Leaf,
    least: Long = SortTogether.Least
):
  private val width = Crew.width
  private val bytes = leaf.kind.size

  def sort(): Unit = sort(0, source.rows, 0)

  private def sort(from: Long, until: Long, firstDigit: Int): Unit =
    var digit = firstDigit
    var ends = Array.empty[Long]
    if until - from > least then
      while ends.isEmpty && digit < bytes do
        val counts = counted(from, until, digit)
        if SortParts.ends(from, counts) then digit += 1 else ends = counts
    if ends.nonEmpty then
      place(from, digit, ends)
      val share = Math.ceilDiv(until - from, width.toLong)
      val isLarge = Array.tabulate(SortParts.Count): part =>
        ends(part) - SortParts.start(from, ends, part) > share
      sortSmall(from, ends, digit + 1, isLarge)
      for part <- 0 until SortParts.Count if isLarge(part) do
        sort(SortParts.start(from, ends, part), ends(part), digit + 1)
    else if digit < bytes && until - from > 1 then
      run(1)(_ => SortInPlace(source.here, leaf).sort(from, until, digit))

  /** How many rows belong to each part. */
  private def counted(from: Long, until: Long, digit: Int): Array[Long] =
    val counts = Array.fill(width)(new Array[Long](SortParts.Count))
    run(width): thread =>
      val (start, end) = (cut(from, until, thread), cut(from, until, thread + 1))
      parts.count(start, end, digit, counts(thread))
    counts.reduce((a, b) => Array.tabulate(SortParts.Count)(part => a(part) + b(part)))

  /** Brings all rows to their parts. */
  private def place(from: Long, digit: Int, ends: Array[Long]): Unit =
    val heads = Array.tabulate(SortParts.Count)(SortParts.start(from, ends, _))
    def left = ends.indices.map(part => ends(part) - heads(part)).sum
    var rounds = 0
    while left > least && rounds < SortTogether.Rounds do
      val stripes = Array.tabulate(width + 1, SortParts.Count): (thread, part) =>
        cut(heads(part), ends(part), thread)
      val placed = stripes.map(_.clone)
      run(width)(thread => parts.place(digit, placed(thread), stripes(thread + 1)))
      run(SortParts.Count): part =>
        heads(part) = gather(part, digit, ends(part)): thread =>
          (placed(thread)(part), stripes(thread + 1)(part))
      rounds += 1
    run(1)(_ => parts.place(digit, heads, ends))
  end place

  /** Brings what does not belong to a part to its end; answers where that begins. */
  private def gather(part: Int, digit: Int, end: Long)(left: Int => (Long, Long)): Long =
    val (own, moves) = (parts, RowMoves(source.here))
    var tail = end
    var thread = 0
    while thread < width do
      val (from, until) = left(thread)
      var row = from
      while row < until && row < tail do
        if own.of(row, digit) != part then
          tail -= 1
          while tail > row && own.of(tail, digit) != part do tail -= 1
          if tail > row then moves.swap(row, tail)
        row += 1
      thread += 1
    tail

  /** Sorts the parts that are not large, those that begin in one share of the rows by one thread.
    */
  private def sortSmall(
      from: Long,
      ends: Array[Long],
      digit: Int,
      isLarge: Array[Boolean]
  ): Unit =
    val shares = width * SortTogether.SharesEach
    val until = ends.last
    if digit < bytes then
      run(shares): share =>
        val (low, high) = (cut(from, until, share, shares), cut(from, until, share + 1, shares))
        val sorting = SortInPlace(source.here, leaf)
        var part = 0
        while part < SortParts.Count do
          val start = SortParts.start(from, ends, part)
          if start >= low && start < high && ends(part) - start > 1 && !isLarge(part) then
            sorting.sort(start, ends(part), digit)
          part += 1

  private def cut(from: Long, until: Long, share: Int, of: Int = width): Long =
    from + (until - from) / of * share + (until - from) % of * share / of

  /** The parts as the thread that asks may use them. */
  private def parts: SortParts =
    val table = source.here
    SortParts(SortKeys(table, leaf), RowMoves(table))

  private def run(count: Int)(part: Int => Unit): Unit = Crew.run(count, source.confined)(part)
end SortTogether

private[struct] object SortTogether:
  /** Rows that one thread sorts sooner than several: some milliseconds of work. */
  private val Least = 1L << 16

  /** Times that what is left is shared out, at the most: each leaves a small part of the rows. */
  private inline val Rounds = 16

  /** Shares of the parts for each thread, so that threads end together. */
  private inline val SharesEach = 4
end SortTogether
