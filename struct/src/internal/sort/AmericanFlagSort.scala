package undercroft.struct
package internal.sort

/** In-place sort of rows: American flag sort, an MSD radix sort that swaps each row into the part
  * of its byte (P. McIlroy, K. Bostic, D. McIlroy, "Engineering Radix Sort", Computing Systems
  * 6(1), 1993). It proceeds to the next row after each swap, so that no row waits for the previous
  * one (M. Skarupke, "I Wrote a Faster Sorting Algorithm", 2016), and repeats until all rows are
  * placed: see [[RadixPartition]]. It recurses into all parts but the largest and iterates over
  * that one, so that the depth of the stack is at most the logarithm of the number of rows.
  *
  * A part that fits in the caches is sorted as words, five bytes of the key above the row's number
  * in the part; then its rows are moved in that order.
  */
private[struct] final class AmericanFlagSort(table: Table[?, ?], fields: SortFields):
  private val keys = fields.keys(table)
  private val moves = RowMover(table)
  private val parts = RadixPartition(keys, moves)

  /** The ends of the parts, at each depth of the stack. */
  private val ends = new Array[Array[Long]](64)
  private val heads = new Array[Long](RadixPartition.Count)

  /** Key bytes above row numbers, for a part that fits in the caches. */
  private val cached = SmallKeySort(table.size.min(AmericanFlagSort.Cached).toInt)

  def sort(): Unit = if !isSorted then sort(0, table.size, 0, 0)

  /** Sorts rows whose keys are equal up to byte `digit`. */
  def sort(from: Long, until: Long, digit: Int): Unit = sort(from, until, digit, 0)

  private def isSorted: Boolean =
    var i = 1L
    while i < table.size && keys.compare(i - 1, i, 0) <= 0 do i += 1
    i >= table.size

  private def sort(start: Long, end: Long, firstDigit: Int, depth: Int): Unit =
    var from = start
    var until = end
    var digit = firstDigit
    while until - from > AmericanFlagSort.Cached && digit < keys.bytes do
      val bounds = boundsAt(depth)
      java.util.Arrays.fill(bounds, 0)
      parts.count(from, until, digit, bounds)
      if !RadixPartition.ends(from, bounds) then
        heads(0) = from
        System.arraycopy(bounds, 0, heads, 1, RadixPartition.Count - 1)
        parts.place(digit, heads, bounds)
        var largest = 0
        var b = 1
        while b < RadixPartition.Count do
          if size(bounds, b, from) > size(bounds, largest, from) then largest = b
          b += 1
        b = 0
        while b < RadixPartition.Count do
          val first = RadixPartition.start(from, bounds, b)
          if b != largest && bounds(b) - first > 1 then
            sort(first, bounds(b), digit + 1, depth + 1)
          b += 1
        until = bounds(largest)
        from = RadixPartition.start(from, bounds, largest)
      digit += 1
    end while
    if digit < keys.bytes && until - from > 1 && until - from <= AmericanFlagSort.Cached then
      sortCached(from, (until - from).toInt, digit)
  end sort

  private def size(bounds: Array[Long], part: Int, from: Long): Long =
    bounds(part) - RadixPartition.start(from, bounds, part)

  private def boundsAt(depth: Int): Array[Long] =
    val bounds = ends(depth)
    if bounds != null then bounds
    else
      val newBounds = new Array[Long](RadixPartition.Count)
      ends(depth) = newBounds
      newBounds

  private def sortCached(from: Long, count: Int, digit: Int): Unit =
    var k = 0
    while k < count do
      cached.put(k, keys.part(from + k, digit))
      k += 1
    cached.sort(count, keys.bytes - digit)
    moves.arrange(from, count, cached)
    if digit + SmallKeySort.KeyBytes < keys.bytes then
      var start = 0
      while start < count do
        val prefix = keys.part(from + start, digit) >>> SmallKeySort.KeyShift
        var end = start + 1
        while end < count && keys.part(from + end, digit) >>> SmallKeySort.KeyShift == prefix do
          end += 1
        if end - start > 1 then
          sort(from + start, from + end, digit + SmallKeySort.KeyBytes, 0)
        start = end
end AmericanFlagSort

private[struct] object AmericanFlagSort:
  /** The most rows of a part that is sorted as words: 2 MiB of words, and as much to sort them. */
  private inline val Cached = SmallKeySort.MaxKeys
end AmericanFlagSort
