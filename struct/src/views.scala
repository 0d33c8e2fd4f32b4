package undercroft.struct

/** Views of a table's rows: the same memory and no copy. Like [[Table.slice]] they keep the number
  * of rows that the table had, and are read when an operation runs.
  */
extension [T, L <: Layout](table: Table[T, L])

  /** The first `rows` rows, or all if there are fewer, as a slice. */
  def take(rows: Long): Table[T, L] = table.slice(0, rows.max(0).min(table.size))

  /** All but the first `rows` rows, as a slice. */
  def drop(rows: Long): Table[T, L] = table.slice(rows.max(0).min(table.size), table.size)

  /** Slices of `size` rows, one beginning `step` rows after the other; the last may be shorter. One
    * object for each. Less than 1 of either is an IllegalArgumentException.
    */
  def sliding(size: Long, step: Long = 1): Iterator[Table[T, L]] =
    if size < 1 || step < 1 then
      throw IllegalArgumentException(s"windows of $size rows, $step rows apart")
    Windows(table, size, step)

  /** The rows from the last to the first. */
  def reverse: Strided[T, L] = new Strided(table, table.size - 1, -1, table.size)

  /** Every `step`-th row, from the first one on. A step below 1 is an IllegalArgumentException. */
  def strided(step: Long): Strided[T, L] =
    new Strided(table, 0, 1, table.size).strided(step)

  /** Pairs of this table's rows and another's, as many as the shorter has. */
  def zip[S, M <: Layout](other: Table[S, M]): Zipped[T, L, S, M] = new Zipped(table, other)

  /** The rows one after the other, each as an object. */
  def iterator: Iterator[T] = new Iterator[T]:
    private val all = table.size
    private var row = 0L
    override def knownSize: Int = if all - row > Int.MaxValue then -1 else (all - row).toInt
    def hasNext: Boolean = row < all
    def next(): T =
      if !hasNext then throw java.util.NoSuchElementException(s"row $row of $all")
      row += 1
      table.load(row - 1)
end extension

private final class Windows[T, L <: Layout](table: Table[T, L], size: Long, step: Long)
    extends Iterator[Table[T, L]]:
  private val all = table.size
  private var from = 0L

  /** None where the window before had the last row. */
  def hasNext: Boolean = from < all && (from == 0 || size < all - from + step)
  def next(): Table[T, L] =
    if !hasNext then throw java.util.NoSuchElementException(s"no window from row $from of $all")
    val start = from
    from += step.min(all - start)
    table.slice(start, start + size.min(all - start))
end Windows
