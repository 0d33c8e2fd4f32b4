package undercroft.struct
package internal.sort

/** The rows with the largest keys so far (top-k), as a heap whose root is the smallest of them (J.
  * Williams, "Algorithm 232: Heapsort", 1964). Of equal keys the earlier row is the larger. Keys of
  * several words are compared by the first word, which is kept here, and then in the table.
  */
private[struct] final class TopK(maxRows: Int, wide: SortKeys | Null) extends RowOrder:
  private val keys = new Array[Long](maxRows)
  private val rows = new Array[Long](maxRows)
  private var count = 0
  private var nextRow = 0L

  def size: Long = count
  def row(position: Long): Long = rows(position.toInt)

  /** Adds the next row's key, as computed by [[SortKey]]. */
  def put(key: Long): Unit =
    if count < maxRows then
      keys(count) = key
      rows(count) = nextRow
      count += 1
      up(count - 1)
    else if maxRows > 0 && compare(key, nextRow, keys(0), rows(0)) > 0 then
      keys(0) = key
      rows(0) = nextRow
      down(0, count)
    nextRow += 1

  /** Sorts the rows, the largest key first. */
  def sort(): Unit =
    var end = count - 1
    while end > 0 do
      swap(0, end)
      down(0, end)
      end -= 1

  private def isLess(a: Int, b: Int): Boolean =
    val order = compare(keys(a), rows(a), keys(b), rows(b))
    order < 0 || (order == 0 && rows(a) > rows(b))

  private def compare(key: Long, row: Long, otherKey: Long, otherRow: Long): Int =
    val order = java.lang.Long.compareUnsigned(key, otherKey)
    if order != 0 || wide == null then order else wide.compare(row, otherRow, 1)

  private def up(start: Int): Unit =
    var at = start
    while at > 0 && isLess(at, (at - 1) / 2) do
      swap(at, (at - 1) / 2)
      at = (at - 1) / 2

  private def down(start: Int, end: Int): Unit =
    var at = start
    var smallest = leastOf(at, end)
    while smallest != at do
      swap(at, smallest)
      at = smallest
      smallest = leastOf(at, end)

  /** The smallest of an element of the heap and its children. */
  private def leastOf(at: Int, end: Int): Int =
    val left = at.toLong * 2 + 1
    var smallest = at
    if left < end && isLess(left.toInt, smallest) then smallest = left.toInt
    if left + 1 < end && isLess(left.toInt + 1, smallest) then smallest = left.toInt + 1
    smallest

  private def swap(a: Int, b: Int): Unit =
    val (key, row) = (keys(a), rows(a))
    keys(a) = keys(b)
    rows(a) = rows(b)
    keys(b) = key
    rows(b) = row
end TopK
