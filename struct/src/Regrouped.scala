package undercroft.struct

import scala.annotation.publicInBinary
import undercroft.memory.Allocator

/** What the code generated for regrouping calls. */
private[struct] object Regrouped:

  @publicInBinary private[struct] def put(writer: RowWriter, within: Boolean): Unit =
    writer.put(within)

  /** The rows that `choose` puts in the set, as a new table. */
  @publicInBinary private[struct] def chosen[T, L <: Layout](
      table: Table[T, L],
      allocator: Allocator
  )(choose: (Table[T, L], RowWriter) => Unit): Table[T, L] =
    withSet(table, allocator)(choose): (set, count, rows) =>
      val made = table.another(count, allocator)
      val _ = set.copy(0, rows, within = true, BulkCopy(table, made), 0)
      made

  /** The rows that `choose` puts in the set, and the others, as parts of one new table. */
  @publicInBinary private[struct] def partition[T, L <: Layout](
      table: Table[T, L],
      allocator: Allocator
  )(choose: (Table[T, L], RowWriter) => Unit): (Table[T, L], Table[T, L]) =
    withSet(table, allocator)(choose): (set, _, rows) =>
      val made = table.another(rows, allocator)
      val copies = BulkCopy(table, made)
      val middle = set.copy(0, rows, within = true, copies, 0)
      val end = set.copy(0, rows, within = false, copies, middle)
      (made.slice(0, middle), made.slice(middle, end))

  private def withSet[T, L <: Layout, R](table: Table[T, L], allocator: Allocator)(
      choose: (Table[T, L], RowWriter) => Unit
  )(use: (RowSet, Long, Long) => R): R =
    val rows = table.size
    val set = RowSet(rows, allocator.reserve)
    try
      val writer = set.writer(0)
      choose(table.slice(0, rows), writer)
      writer.end()
      table.confirm()
      val result = use(set, writer.count, rows)
      table.confirm()
      result
    catch case error: Throwable => throw table.explained(error)
    finally set.close()

  /** The rows with the largest keys of those that `fill` puts. */
  @publicInBinary private[struct] def top[T, L <: Layout](
      table: Table[T, L],
      most: Int,
      allocator: Allocator
  )(fill: (Table[T, L], TopRows) => Unit): Table[T, L] =
    topOf(table, most, allocator, null)(fill)

  /** As `top`, by a field of several words. */
  @publicInBinary private[struct] def topByLeaf[T, L <: Layout](
      table: Table[T, L],
      most: Int,
      leaf: Int,
      allocator: Allocator
  ): Table[T, L] =
    val keys = SortKeys(table, table.struct.leaves(leaf))
    topOf(table, most, allocator, keys): (rows, top) =>
      var row = 0L
      while row < rows.size do
        top.put(keys.word(row, 0))
        row += 1

  private def topOf[T, L <: Layout](
      table: Table[T, L],
      most: Int,
      allocator: Allocator,
      keys: SortKeys | Null
  )(fill: (Table[T, L], TopRows) => Unit): Table[T, L] =
    if most < 0 then throw IllegalArgumentException(s"the top $most rows")
    val top = TopRows(table.size.min(most.toLong).toInt, keys)
    try fill(table.slice(0, table.size), top)
    catch case error: Throwable => throw table.explained(error)
    top.sort()
    val made = table.another(top.size, allocator)
    try
      table.confirm()
      RowMoves(table).gather(top, made)
      table.confirm()
    catch case error: Throwable => throw table.explained(error)
    made
  end topOf

  @publicInBinary private[struct] def put(top: TopRows, key: Long): Unit = top.put(key)
end Regrouped
