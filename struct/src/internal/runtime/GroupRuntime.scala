package undercroft.struct
package internal.runtime

import internal.bytes.{BulkCopy, RowBitmap, RowWriter}
import internal.sort.{RowMover, SortFields, SortKeys, TopK}
import scala.annotation.publicInBinary
import undercroft.memory.Allocator

/** Runtime of the code that is generated for filters, groups and top-k. */
@publicInBinary private[struct] object GroupRuntime:

  @publicInBinary private[struct] def put(writer: RowWriter, within: Boolean): Unit =
    writer.put(within)

  /** A new table of the rows that `choose` puts in the set. */
  @publicInBinary private[struct] def chosen[T, L <: Layout](
      table: Table[T, L],
      allocator: Allocator
  )(choose: (Table[T, L], RowWriter) => Unit): Table[T, L] =
    withSet(table, allocator)(choose): (set, count, rows) =>
      UnfinishedTable.filled(table.another(count, allocator), allocator): target =>
        val _ = set.copy(0, rows, within = true, BulkCopy(table, target), 0, 0)
        table.confirm()

  /** The rows that `choose` puts in the set, and the others, as slices of one new table. */
  @publicInBinary private[struct] def partition[T, L <: Layout](
      table: Table[T, L],
      allocator: Allocator
  )(choose: (Table[T, L], RowWriter) => Unit): (Table[T, L], Table[T, L]) =
    withSet(table, allocator)(choose): (set, _, rows) =>
      var middle = 0L
      val copied = UnfinishedTable.filled(table.another(rows, allocator), allocator): target =>
        val copies = BulkCopy(table, target)
        middle = set.copy(0, rows, within = true, copies, 0, 0)
        val _ = set.copy(0, rows, within = false, copies, middle, 0)
        table.confirm()
      (copied.slice(0, middle), copied.slice(middle, rows))

  private def withSet[T, L <: Layout, R](table: Table[T, L], allocator: Allocator)(
      choose: (Table[T, L], RowWriter) => Unit
  )(use: (RowBitmap, Long, Long) => R): R =
    val rows = table.size
    val set = RowBitmap(rows, allocator.reserve)
    try
      val writer = set.writer(0)
      choose(table.slice(0, rows), writer)
      writer.end()
      table.confirm()
      use(set, writer.count, rows)
    catch case error: Throwable => throw table.translate(error)
    finally set.close()

  /** A new table of the rows with the largest keys that `fill` puts. */
  @publicInBinary private[struct] def top[T, L <: Layout](
      table: Table[T, L],
      count: Int,
      allocator: Allocator
  )(fill: (Table[T, L], TopK) => Unit): Table[T, L] =
    topOf(table, count, allocator, null)(fill)

  /** As `top`, by fields whose keys may have several words. */
  @publicInBinary private[struct] def topByFields[T, L <: Layout](
      table: Table[T, L],
      count: Int,
      fields: Array[Int],
      allocator: Allocator
  ): Table[T, L] =
    val keys = SortFields.of(table, fields).keys(table)
    topOf(table, count, allocator, keys): (rows, top) =>
      var row = 0L
      while row < rows.size do
        top.put(keys.word(row, 0))
        row += 1

  private def topOf[T, L <: Layout](
      table: Table[T, L],
      count: Int,
      allocator: Allocator,
      keys: SortKeys | Null
  )(fill: (Table[T, L], TopK) => Unit): Table[T, L] =
    if count < 0 then throw IllegalArgumentException(s"count must be at least 0, but is $count")
    val rows = table.size
    val top = TopK(rows.min(count.toLong).toInt, keys)
    try
      fill(table.slice(0, rows), top)
      top.sort()
    catch case error: Throwable => throw table.translate(error)
    UnfinishedTable.filled(table.another(top.size, allocator), allocator): target =>
      try
        table.confirm()
        RowMover(table).gather(top, 0, top.size, target)
        table.confirm()
      catch case error: Throwable => throw table.translate(error)
  end topOf

  @publicInBinary private[struct] def put(top: TopK, key: Long): Unit = top.put(key)
end GroupRuntime
