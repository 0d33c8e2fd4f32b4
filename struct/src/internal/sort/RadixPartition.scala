package undercroft.struct
package internal.sort

/** Partitions a range of rows by some bits of their keys, into consecutive parts.
  *
  * @param width
  *   the number of bits; there are `2^width` parts
  */
private[struct] final class RadixPartition(keys: SortKeys, moves: RowMover, width: Int):
  private val parts = 1 << width
  private val shift = 64 - width

  /** The part of a row: `width` bits of its key from bit `bit` on. */
  def of(row: Long, bit: Int): Int = (keys.part(row, bit) >>> shift).toInt

  /** Adds the number of rows of each part to `counts`. */
  def count(from: Long, until: Long, bit: Int, counts: Array[Long]): Unit =
    val shift = this.shift
    var row = from
    while row < until do
      counts((keys.part(row, bit) >>> shift).toInt) += 1
      row += 1

  /** Swaps rows between `[heads(part), ends(part))` of all parts until each row is in its part, or
    * its part is full; heads advance over the placed rows.
    */
  def place(bit: Int, heads: Array[Long], ends: Array[Long]): Unit =
    var placed = -1L
    while placed != 0 do
      placed = 0
      var part = 0
      while part < parts do
        placed += placeFrom(heads(part), ends(part), bit, heads, ends)
        part += 1

  /** Proceeds to the next row after each swap, so that no row waits for the previous one. */
  private def placeFrom(
      from: Long,
      until: Long,
      bit: Int,
      heads: Array[Long],
      ends: Array[Long]
  ): Long =
    val shift = this.shift
    var placed = 0L
    var row = from
    while row < until do
      val part = (keys.part(row, bit) >>> shift).toInt
      val head = heads(part)
      if head < ends(part) then
        if head != row then moves.swap(row, head)
        heads(part) = head + 1
        placed += 1
      row += 1
    placed
end RadixPartition

private[struct] object RadixPartition:

  /** Replaces counts by the ends of the parts; the first part starts at `from`. Returns whether all
    * rows are in one part.
    */
  def ends(from: Long, counts: Array[Long]): Boolean =
    val parts = counts.length
    var alone = false
    var sum = 0L
    var b = 0
    while b < parts do
      sum += counts(b)
      b += 1
    var end = from
    b = 0
    while b < parts do
      if counts(b) == sum then alone = true
      end += counts(b)
      counts(b) = end
      b += 1
    alone

  /** The first row of a part; the first part starts at `from`. */
  def start(from: Long, ends: Array[Long], part: Int): Long =
    if part == 0 then from else ends(part - 1)
end RadixPartition
