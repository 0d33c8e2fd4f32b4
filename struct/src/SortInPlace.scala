package undercroft.struct

/** Sorts rows in their place: American flag sort, a radix sort from the most significant byte on
  * that swaps each row into the part of its byte (P. McIlroy, K. Bostic, D. McIlroy, "Engineering
  * Radix Sort", Computing Systems 6(1), 1993). It goes on to the next row whatever was swapped in,
  * so that no row waits for the one before (M. Skarupke, "I Wrote a Faster Sorting Algorithm",
  * 2016), and comes back until all are placed: see [[SortParts]]. Of the parts of a part the
  * largest is gone on with and only the others are descended into, so that the stack is as deep as
  * the logarithm of the rows.
  *
  * A part that the caches hold is sorted as words, five bytes of the key above the row's number in
  * the part; then its rows are moved in that order.
  */
private[struct] final class SortInPlace(table: Table[?, ?], leaf: Leaf):
  private val keys = SortKeys(table, leaf)
  private val moves = RowMoves(table)
  private val parts = SortParts(keys, moves)

  /** Where the parts end, at each depth of the stack. */
  private val ends = new Array[Array[Long]](64)
  private val heads = new Array[Long](SortParts.Count)

  /** Keys above the numbers of a part's rows. */
  private val cached = SortWords(table.size.min(SortInPlace.Cached).toInt)

  def sort(): Unit =
    try
      if !isSorted then sort(0, table.size, 0, 0)
      table.confirm()
    catch case error: Throwable => throw table.explained(error)

  /** Sorts rows whose keys are the same up to a byte. */
  def sort(from: Long, until: Long, digit: Int): Unit = sort(from, until, digit, 0)

  private def isSorted: Boolean =
    var i = 1L
    while i < table.size && keys.compare(i - 1, i, 0) <= 0 do i += 1
    i >= table.size

  private def sort(start: Long, end: Long, firstDigit: Int, depth: Int): Unit =
    var from = start
    var until = end
    var digit = firstDigit
    while until - from > SortInPlace.Cached && digit < keys.bytes do
      val bounds = boundsAt(depth)
      java.util.Arrays.fill(bounds, 0)
      parts.count(from, until, digit, bounds)
      if !SortParts.ends(from, bounds) then
        heads(0) = from
        System.arraycopy(bounds, 0, heads, 1, SortParts.Count - 1)
        parts.place(digit, heads, bounds)
        var largest = 0
        var b = 1
        while b < SortParts.Count do
          if size(bounds, b, from) > size(bounds, largest, from) then largest = b
          b += 1
        b = 0
        while b < SortParts.Count do
          val first = SortParts.start(from, bounds, b)
          if b != largest && bounds(b) - first > 1 then
            sort(first, bounds(b), digit + 1, depth + 1)
          b += 1
        until = bounds(largest)
        from = SortParts.start(from, bounds, largest)
      digit += 1
    end while
    if digit < keys.bytes && until - from > 1 && until - from <= SortInPlace.Cached then
      sortCached(from, (until - from).toInt, digit)
  end sort

  private def size(bounds: Array[Long], part: Int, from: Long): Long =
    bounds(part) - SortParts.start(from, bounds, part)

  private def boundsAt(depth: Int): Array[Long] =
    val known = ends(depth)
    if known != null then known
    else
      val made = new Array[Long](SortParts.Count)
      ends(depth) = made
      made

  private def sortCached(from: Long, count: Int, digit: Int): Unit =
    var k = 0
    while k < count do
      cached.put(k, keys.part(from + k, digit))
      k += 1
    cached.sort(count, keys.bytes - digit)
    moves.arrange(from, count, cached)
    if digit + SortWords.KeyBytes < keys.bytes then
      var start = 0
      while start < count do
        val same = keys.part(from + start, digit) >>> SortWords.KeyShift
        var end = start + 1
        while end < count && keys.part(from + end, digit) >>> SortWords.KeyShift == same do end += 1
        if end - start > 1 then
          sort(from + start, from + end, digit + SortWords.KeyBytes, 0)
        start = end
end SortInPlace

private[struct] object SortInPlace:
  /** Rows of a part that is sorted as words, which are 2 MiB then, and as many to sort them. */
  private inline val Cached = 0x40000L
end SortInPlace
