package undercroft.struct

/** Sorts rows in their place: American flag sort, a radix sort from the most significant byte on
  * that swaps each row into the part of its byte (P. McIlroy, K. Bostic, D. McIlroy, "Engineering
  * Radix Sort", Computing Systems 6(1), 1993). Of the parts of a part the largest is gone on with
  * and only the others are descended into, so that the stack is as deep as the logarithm of the
  * rows.
  *
  * A part that the caches hold is sorted as an array of longs, five bytes of the key above the
  * row's number in the part, which the JDK does with vector instructions; then its rows are moved
  * along the cycles of that order.
  */
private[struct] final class SortInPlace(table: Table[?, ?], leaf: Leaf, unsigned: Boolean):
  private val keys = SortKeys(table, leaf, unsigned)
  private val moves = RowMoves(table)

  /** Where the parts end, at each depth of the stack. */
  private val ends = new Array[Array[Long]](64)
  private val heads = new Array[Long](256)

  /** Keys above the numbers of a part's rows. */
  private val cached = new Array[Long](table.size.min(SortInPlace.Cached).toInt)

  def sort(): Unit =
    try if !isSorted then sort(0, table.size, 0, 0)
    catch case error: RuntimeException => throw table.explained(error)

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
      val alone = count(from, until, digit, bounds)
      if !alone then
        swapIntoParts(from, digit, bounds)
        var largest = 0
        var b = 1
        while b < 256 do
          if size(bounds, b, from) > size(bounds, largest, from) then largest = b
          b += 1
        b = 0
        while b < 256 do
          val first = if b == 0 then from else bounds(b - 1)
          if b != largest && bounds(b) - first > 1 then
            sort(first, bounds(b), digit + 1, depth + 1)
          b += 1
        until = bounds(largest)
        if largest > 0 then from = bounds(largest - 1)
      digit += 1
    if digit < keys.bytes && until - from > 1 && until - from <= SortInPlace.Cached then
      sortCached(from, (until - from).toInt, digit)
  end sort

  private def size(bounds: Array[Long], part: Int, from: Long): Long =
    bounds(part) - (if part == 0 then from else bounds(part - 1))

  private def boundsAt(depth: Int): Array[Long] =
    val known = ends(depth)
    if known != null then known
    else
      val made = new Array[Long](256)
      ends(depth) = made
      made

  private def digitOf(row: Long, digit: Int): Int =
    (keys.word(row, digit >> 3) >>> (56 - 8 * (digit & 7))).toInt & 0xff

  /** Where each part is to end. True if there is but one. */
  private def count(from: Long, until: Long, digit: Int, bounds: Array[Long]): Boolean =
    java.util.Arrays.fill(bounds, 0)
    var i = from
    while i < until do
      bounds(digitOf(i, digit)) += 1
      i += 1
    var alone = false
    var end = from
    var b = 0
    while b < 256 do
      if bounds(b) == until - from then alone = true
      end += bounds(b)
      bounds(b) = end
      b += 1
    alone

  private def swapIntoParts(from: Long, digit: Int, bounds: Array[Long]): Unit =
    heads(0) = from
    System.arraycopy(bounds, 0, heads, 1, 255)
    var part = 0
    while part < 256 do
      while heads(part) < bounds(part) do
        val row = heads(part)
        val its = digitOf(row, digit)
        if its != part then moves.swap(row, heads(its))
        heads(its) += 1
      part += 1

  private def sortCached(from: Long, count: Int, digit: Int): Unit =
    var k = 0
    while k < count do
      cached(k) = key(from + k, digit) | k
      k += 1
    java.util.Arrays.sort(cached, 0, count)
    move(from, count)
    if digit + SortInPlace.KeyBytes < keys.bytes then
      var start = 0
      while start < count do
        val same = key(from + start, digit)
        var end = start + 1
        while end < count && key(from + end, digit) == same do end += 1
        if end - start > 1 then
          sort(from + start, from + end, digit + SortInPlace.KeyBytes, 0)
        start = end

  /** Five bytes of a row's key, in the order of signed words. */
  private def key(row: Long, digit: Int): Long =
    (keys.part(row, digit) ^ Long.MinValue) & ~SortInPlace.NumberMask

  /** Moves each row to where its number is. */
  private def move(from: Long, count: Int): Unit =
    var k = 0
    while k < count do
      var at = k
      var next = numberAt(k)
      while next != k do
        moves.swap(from + at, from + next)
        cached(at) = at
        at = next
        next = numberAt(at)
      cached(at) = at
      k += 1

  private def numberAt(k: Int): Int = (cached(k) & SortInPlace.NumberMask).toInt
end SortInPlace

private[struct] object SortInPlace:
  /** Rows of a part that is sorted as an array: its longs are 2 MiB. */
  private inline val Cached = 0x40000L

  private inline val KeyBytes = 5
  private inline val NumberMask = 0xffffffL
end SortInPlace
