package undercroft.struct

/** Where rows of one range belong, by one byte of their keys: to 256 parts one after the other. */
private[struct] final class SortParts(keys: SortKeys, moves: RowMoves):

  /** The byte of a row's key that tells its part. */
  def of(row: Long, digit: Int): Int =
    (keys.word(row, digit >> 3) >>> (56 - 8 * (digit & 7))).toInt & 0xff

  /** Adds up how many of the rows belong to each part. */
  def count(from: Long, until: Long, digit: Int, counts: Array[Long]): Unit =
    var row = from
    while row < until do
      counts(of(row, digit)) += 1
      row += 1

  /** Swaps rows between `[heads(part), ends(part))` of all parts until each is in the part it
    * belongs to, or that one is full; heads move on over what belongs there.
    */
  def place(digit: Int, heads: Array[Long], ends: Array[Long]): Unit =
    var placed = -1L
    while placed != 0 do
      placed = 0
      var part = 0
      while part < SortParts.Count do
        placed += placeFrom(heads(part), ends(part), digit, heads, ends)
        part += 1

  /** Goes on to the next row whatever was swapped in, so that no row waits for the one before. */
  private def placeFrom(
      from: Long,
      until: Long,
      digit: Int,
      heads: Array[Long],
      ends: Array[Long]
  ): Long =
    var placed = 0L
    var row = from
    while row < until do
      val its = of(row, digit)
      val head = heads(its)
      if head < ends(its) then
        if head != row then moves.swap(row, head)
        heads(its) = head + 1
        placed += 1
      row += 1
    placed
end SortParts

private[struct] object SortParts:
  inline val Count = 256

  /** Counts become where each part ends, the first from `from` on. True if all rows are in one. */
  def ends(from: Long, counts: Array[Long]): Boolean =
    var alone = false
    var sum = 0L
    var b = 0
    while b < Count do
      sum += counts(b)
      b += 1
    var end = from
    b = 0
    while b < Count do
      if counts(b) == sum then alone = true
      end += counts(b)
      counts(b) = end
      b += 1
    alone

  /** The first row of a part, of parts from `from` on. */
  def start(from: Long, ends: Array[Long], part: Int): Long =
    if part == 0 then from else ends(part - 1)
end SortParts
