package undercroft.struct
package internal.sort

/** Partitions a range of rows by one byte of their keys, into 256 consecutive parts. */
private[struct] final class RadixPartition(keys: SortKeys, moves: RowMover):

  /** The part of a row: a byte of its key. */
  def of(row: Long, digit: Int): Int =
    (keys.word(row, digit >> 3) >>> (56 - 8 * (digit & 7))).toInt & 0xff

  /** Adds the number of rows of each part to `counts`. */
  def count(from: Long, until: Long, digit: Int, counts: Array[Long]): Unit =
    var row = from
    while row < until do
      counts(of(row, digit)) += 1
      row += 1

  /** Swaps rows between `[heads(part), ends(part))` of all parts until each row is in its part, or
    * its part is full; heads advance over the placed rows.
    */
  def place(digit: Int, heads: Array[Long], ends: Array[Long]): Unit =
    var placed = -1L
    while placed != 0 do
      placed = 0
      var part = 0
      while part < RadixPartition.Count do
        placed += placeFrom(heads(part), ends(part), digit, heads, ends)
        part += 1

  /** Proceeds to the next row after each swap, so that no row waits for the previous one. */
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
      val part = of(row, digit)
      val head = heads(part)
      if head < ends(part) then
        if head != row then moves.swap(row, head)
        heads(part) = head + 1
        placed += 1
      row += 1
    placed
end RadixPartition

private[struct] object RadixPartition:
  inline val Count = 256

  /** Replaces counts by the ends of the parts; the first part starts at `from`. Returns whether all
    * rows are in one part.
    */
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

  /** The first row of a part; the first part starts at `from`. */
  def start(from: Long, ends: Array[Long], part: Int): Long =
    if part == 0 then from else ends(part - 1)
end RadixPartition
