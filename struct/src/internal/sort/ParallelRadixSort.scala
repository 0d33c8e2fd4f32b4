package undercroft.struct
package internal.sort

import internal.parallel.{ParallelRunner, SharedTable}

/** Parallel radix sort in place, after PARADIS (M. Cho et al., "PARADIS: An Efficient Parallel
  * Algorithm for In-place Radix Sort", PVLDB 8(12), 2015).
  *
  * All threads together partition a range by the most significant byte of its keys. Each thread has
  * a stripe of each part and swaps rows between its stripes alone. Rows that it cannot place,
  * because its stripe of their part is full, are then gathered at the end of each part, and
  * distributed again. When few remain, one thread places them. Each part is then sorted by one
  * thread with [[AmericanFlagSort]]; a part with more rows than a thread's share is first
  * partitioned by its next byte, by all threads.
  */
private[struct] final class ParallelRadixSort(
    source: SharedTable[?, ?],
    fields: SortFields,
    serialRows: Long
):
  private val width = ParallelRunner.width
  private val bits = 8 * fields.bytes

  def sort(): Unit = sort(0, source.rows, 0)

  /** Sorts rows whose keys are equal before bit `firstBit`. It recurses into all large parts but
    * the largest, and iterates over that one, so that the depth of the stack is at most the
    * logarithm of the number of rows.
    */
  private def sort(first: Long, end: Long, firstBit: Int): Unit =
    var from = first
    var until = end
    var bit = firstBit
    while until - from > serialRows && bit < bits do
      val ends = counted(from, until, bit)
      val next = bit + ParallelRadixSort.Width
      if RadixPartition.ends(from, ends) then bit = differing(from, until, next)
      else
        place(from, bit, ends)
        val isLarge = largeParts(from, ends)
        sortSmall(from, ends, next, isLarge)
        var largest = until
        var largestEnd = until
        var part = 0
        while part < ParallelRadixSort.Parts do
          if isLarge(part) then
            val start = RadixPartition.start(from, ends, part)
            if ends(part) - start > largestEnd - largest then
              if largestEnd > largest then sort(largest, largestEnd, next)
              largest = start
              largestEnd = ends(part)
            else sort(start, ends(part), next)
          part += 1
        from = largest
        until = largestEnd
        bit = next
      end if
    end while
    if bit < bits && until - from > 1 then sortSerially(from, until, bit)
  end sort

  /** Whether a part has more rows than a thread's share, for each part. */
  private def largeParts(from: Long, ends: Array[Long]): Array[Boolean] =
    val share = Math.ceilDiv(ends.last - from, width.toLong)
    Array.tabulate(ParallelRadixSort.Parts): part =>
      ends(part) - RadixPartition.start(from, ends, part) > share

  private def sortSerially(from: Long, until: Long, bit: Int): Unit =
    run(1)(_ => AmericanFlagSort(source.here, fields).sort(from, until, bit))

  /** The first bit from `bit` on in which keys that are equal before may differ. */
  private def differing(from: Long, until: Long, bit: Int): Int =
    var result = bits
    run(1)(_ => result = fields.keys(source.here).differing(from, until, bit))
    result

  /** The number of rows of each part. */
  private def counted(from: Long, until: Long, bit: Int): Array[Long] =
    val counts = Array.fill(width)(new Array[Long](ParallelRadixSort.Parts))
    run(width): thread =>
      val (start, end) = (cut(from, until, thread), cut(from, until, thread + 1))
      parts.count(start, end, bit, counts(thread))
    counts.reduce((a, b) => Array.tabulate(ParallelRadixSort.Parts)(part => a(part) + b(part)))

  /** Moves all rows to their parts. */
  private def place(from: Long, bit: Int, ends: Array[Long]): Unit =
    val heads = Array.tabulate(ParallelRadixSort.Parts)(RadixPartition.start(from, ends, _))
    def left = ends.indices.map(part => ends(part) - heads(part)).sum
    var rounds = 0
    while left > serialRows && rounds < ParallelRadixSort.Rounds do
      val stripes = Array.tabulate(width + 1, ParallelRadixSort.Parts): (thread, part) =>
        cut(heads(part), ends(part), thread)
      val placed = stripes.map(_.clone)
      run(width)(thread => parts.place(bit, placed(thread), stripes(thread + 1)))
      run(ParallelRadixSort.Parts): part =>
        heads(part) = gather(part, bit, ends(part)): thread =>
          (placed(thread)(part), stripes(thread + 1)(part))
      rounds += 1
    run(1)(_ => parts.place(bit, heads, ends))
  end place

  /** Moves the rows that do not belong to a part to its end; returns where they start. */
  private def gather(part: Int, bit: Int, end: Long)(left: Int => (Long, Long)): Long =
    val (partition, moves) = (parts, RowMover(source.here))
    var tail = end
    var thread = 0
    while thread < width do
      val (from, until) = left(thread)
      var row = from
      while row < until && row < tail do
        if partition.of(row, bit) != part then
          tail -= 1
          while tail > row && partition.of(tail, bit) != part do tail -= 1
          if tail > row then moves.swap(row, tail)
        row += 1
      thread += 1
    tail

  /** Sorts the parts that are not large; one thread sorts all parts that start in the same share of
    * the rows.
    */
  private def sortSmall(
      from: Long,
      ends: Array[Long],
      bit: Int,
      isLarge: Array[Boolean]
  ): Unit =
    val shares = width * ParallelRadixSort.SharesEach
    val until = ends.last
    if bit < bits then
      run(shares): share =>
        val (low, high) = (cut(from, until, share, shares), cut(from, until, share + 1, shares))
        val sorting = AmericanFlagSort(source.here, fields)
        var part = 0
        while part < ParallelRadixSort.Parts do
          val start = RadixPartition.start(from, ends, part)
          if start >= low && start < high && ends(part) - start > 1 && !isLarge(part) then
            sorting.sort(start, ends(part), bit)
          part += 1

  private def cut(from: Long, until: Long, share: Int, of: Int = width): Long =
    from + (until - from) / of * share + (until - from) % of * share / of

  /** The parts, for the current thread. */
  private def parts: RadixPartition =
    val table = source.here
    RadixPartition(fields.keys(table), RowMover(table), ParallelRadixSort.Width)

  private def run(count: Int)(part: Int => Unit): Unit =
    ParallelRunner.run(count, source.confined)(part)
end ParallelRadixSort

private[struct] object ParallelRadixSort:
  /** Bits by which rows are partitioned: a byte. */
  private inline val Width = 8

  private inline val Parts = 1 << Width

  /** The number of rows up to which one thread is faster: some milliseconds of work. */
  val Least = 1L << 16

  /** The most rounds of placing rows in parallel; each leaves a small part of them. */
  private inline val Rounds = 16

  /** Shares of the parts for each thread, so that threads end at about the same time. */
  private inline val SharesEach = 4
end ParallelRadixSort
