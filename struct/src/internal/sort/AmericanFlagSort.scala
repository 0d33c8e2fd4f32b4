package undercroft.struct
package internal.sort

/** In-place sort of rows: American flag sort, an MSD radix sort that swaps each row into the part
  * of its first bits (P. McIlroy, K. Bostic, D. McIlroy, "Engineering Radix Sort", Computing
  * Systems 6(1), 1993). It proceeds to the next row after each swap, so that no row waits for the
  * previous one (M. Skarupke, "I Wrote a Faster Sorting Algorithm", 2016), and repeats until all
  * rows are placed: see [[RadixPartition]]. It recurses into all parts but the largest and iterates
  * over that one, so that the depth of the stack is at most the logarithm of the number of rows.
  *
  * A part that fits in the caches is sorted as words, five bytes of the key above the row's number
  * in the part; then its rows are moved in that order. Words in which all keys of a part are equal
  * are skipped. Many rows are partitioned by ten bits instead of eight, so that their words and
  * rows fit in the L2 cache.
  *
  * @param narrowRows
  *   the most rows that are partitioned by eight bits
  */
private[struct] final class AmericanFlagSort(
    table: Table[?, ?],
    fields: SortFields,
    narrowRows: Long = AmericanFlagSort.NarrowRows
):
  private val keys = fields.keys(table)
  private val moves = RowMover(table)
  private val narrow = Level(8)
  private val wide = Level(10)

  /** Key bytes above row numbers, for a part that fits in the caches. */
  private val cached = SmallKeySort(table.size.min(AmericanFlagSort.Cached).toInt)

  def sort(): Unit = if !isSorted then sort(0, table.size, 0, 0)

  /** Sorts rows whose keys are equal before bit `bit`. */
  def sort(from: Long, until: Long, bit: Int): Unit = sort(from, until, bit, 0)

  private def isSorted: Boolean =
    var i = 1L
    while i < table.size && keys.compare(i - 1, i, 0) <= 0 do i += 1
    i >= table.size

  private def sort(start: Long, end: Long, firstBit: Int, depth: Int): Unit =
    var from = start
    var until = end
    var bit = firstBit
    while until - from > AmericanFlagSort.Cached && bit < keys.bits do
      val level = if until - from > narrowRows then wide else narrow
      val bounds = level.boundsAt(depth)
      val next = bit + level.width
      java.util.Arrays.fill(bounds, 0)
      level.parts.count(from, until, bit, bounds)
      if RadixPartition.ends(from, bounds) then bit = keys.differing(from, until, next)
      else
        val count = bounds.length
        level.heads(0) = from
        System.arraycopy(bounds, 0, level.heads, 1, count - 1)
        level.parts.place(bit, level.heads, bounds)
        var largest = 0
        var b = 1
        while b < count do
          if size(bounds, b, from) > size(bounds, largest, from) then largest = b
          b += 1
        b = 0
        while b < count do
          val first = RadixPartition.start(from, bounds, b)
          if b != largest && bounds(b) - first > 1 then sort(first, bounds(b), next, depth + 1)
          b += 1
        until = bounds(largest)
        from = RadixPartition.start(from, bounds, largest)
        bit = next
    end while
    if until - from <= AmericanFlagSort.Cached then sortCached(from, (until - from).toInt, bit)
  end sort

  private def size(bounds: Array[Long], part: Int, from: Long): Long =
    bounds(part) - RadixPartition.start(from, bounds, part)

  /** Sorts rows that fit in the caches, by five bytes of their keys and then each run of equal rows
    * by further bytes: it recurses into all runs but the largest, and iterates over that one.
    */
  private def sortCached(first: Long, rows: Int, firstBit: Int): Unit =
    var from = first
    var count = rows
    var bit = firstBit
    while count > 1 && bit < keys.bits do
      sortBytes(from, count, bit)
      val next = bit + 8 * SmallKeySort.KeyBytes
      var largest = from
      var largestCount = 1
      if next < keys.bits then
        val until = from + count
        var start = from
        while start < until do
          val prefix = keys.part(start, bit) >>> SmallKeySort.KeyShift
          var end = start + 1
          while end < until && keys.part(end, bit) >>> SmallKeySort.KeyShift == prefix do end += 1
          val run = (end - start).toInt
          if run > largestCount then
            if largestCount > 1 then sortRun(largest, largestCount, next)
            largest = start
            largestCount = run
          else if run > 1 then sortRun(start, run, next)
          start = end
      from = largest
      count = largestCount
      bit = if count > 1 then keys.differing(from, from + count, next) else next
    end while
  end sortCached

  private def sortRun(from: Long, count: Int, bit: Int): Unit =
    sortCached(from, count, keys.differing(from, from + count, bit))

  private def sortBytes(from: Long, count: Int, bit: Int): Unit =
    var k = 0
    while k < count do
      cached.put(k, keys.part(from + k, bit))
      k += 1
    cached.sort(count, Math.ceilDiv(keys.bits - bit, 8))
    moves.arrange(from, count, cached)

  /** A partition by some bits, and its arrays. */
  private final class Level(val width: Int):
    val parts: RadixPartition = RadixPartition(keys, moves, width)
    val heads: Array[Long] = new Array[Long](1 << width)

    /** The ends of the parts, at each depth of the stack. */
    private val ends = new Array[Array[Long]](64)

    def boundsAt(depth: Int): Array[Long] =
      val bounds = ends(depth)
      if bounds != null then bounds
      else
        val newBounds = new Array[Long](1 << width)
        ends(depth) = newBounds
        newBounds
end AmericanFlagSort

private[struct] object AmericanFlagSort:
  /** The most rows of a part that is sorted as words: 2 MiB of words, and as much to sort them. */
  private inline val Cached = SmallKeySort.MaxKeys

  /** A part of more rows would have more than 64 Ki in the mean. */
  private val NarrowRows = 1L << 24
end AmericanFlagSort
