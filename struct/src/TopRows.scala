package undercroft.struct

/** The rows with the largest keys so far: a heap whose root is the least of them (J. Williams,
  * "Algorithm 232: Heapsort", 1964). Of equal keys the earlier row is the larger. Keys of several
  * words are compared by the first, which is kept here, and then where the rows lie.
  */
private[struct] final class TopRows(most: Int, wide: SortKeys | Null) extends RowOrder:
  private val keys = new Array[Long](most)
  private val rows = new Array[Long](most)
  private var count = 0
  private var seen = 0L

  def size: Long = count
  def row(position: Long): Long = rows(position.toInt)

  /** The next row's key, as [[internal.SortKey]] makes it. */
  def put(key: Long): Unit =
    if count < most then
      keys(count) = key
      rows(count) = seen
      count += 1
      up(count - 1)
    else if most > 0 && compare(key, seen, keys(0), rows(0)) > 0 then
      keys(0) = key
      rows(0) = seen
      down(0, count)
    seen += 1

  /** Puts them in their order, the largest first. */
  def sort(): Unit =
    var end = count - 1
    while end > 0 do
      swap(0, end)
      down(0, end)
      end -= 1

  private def isLess(a: Int, b: Int): Boolean =
    val order = compare(keys(a), rows(a), keys(b), rows(b))
    order < 0 || (order == 0 && rows(a) > rows(b))

  private def compare(key: Long, row: Long, other: Long, otherRow: Long): Int =
    val order = java.lang.Long.compareUnsigned(key, other)
    if order != 0 || wide == null then order else wide.compare(row, otherRow, 1)

  private def up(start: Int): Unit =
    var at = start
    while at > 0 && isLess(at, (at - 1) / 2) do
      swap(at, (at - 1) / 2)
      at = (at - 1) / 2

  private def down(start: Int, end: Int): Unit =
    var at = start
    var least = leastOf(at, end)
    while least != at do
      swap(at, least)
      at = least
      least = leastOf(at, end)

  /** The least of a place and those below it. */
  private def leastOf(at: Int, end: Int): Int =
    val left = at.toLong * 2 + 1
    var least = at
    if left < end && isLess(left.toInt, least) then least = left.toInt
    if left + 1 < end && isLess(left.toInt + 1, least) then least = left.toInt + 1
    least

  private def swap(a: Int, b: Int): Unit =
    val (key, row) = (keys(a), rows(a))
    keys(a) = keys(b)
    rows(a) = rows(b)
    keys(b) = key
    rows(b) = row
end TopRows
