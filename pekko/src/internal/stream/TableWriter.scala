package undercroft.pekko
package internal.stream

import java.util.{Collections, IdentityHashMap}
import undercroft.file.FileTable
import undercroft.struct.{GrowingTable, Layout, Table, View}

/** Appends batches to a table, to which no other stream may append meanwhile. */
private[pekko] abstract class TableWriter[T](table: Table[T, ?])
    extends Target[View[T] | IterableOnce[T]]:
  TableWriter.claim(table)

  def append(values: IterableOnce[T]): Unit

  /** Called after each batch, and with `isLast` after the last one. */
  def appended(isLast: Boolean): Unit

  final def write(batch: View[T] | IterableOnce[T]): Long =
    val before = table.size
    batch match
      case view: View[T] @unchecked           => append(view.toList)
      case values: IterableOnce[T] @unchecked => append(values)
    appended(isLast = false)
    table.size - before

  final def complete(): Unit = appended(isLast = true)
  final def close(): Unit = TableWriter.release(table)
end TableWriter

private[pekko] object TableWriter:
  /** The tables to which streams append now. */
  private val claimed = Collections.synchronizedSet(
    Collections.newSetFromMap(IdentityHashMap[Table[?, ?], java.lang.Boolean]())
  )

  private def claim(table: Table[?, ?]): Unit =
    if !claimed.add(table) then
      throw IllegalStateException("another stream appends to the table; only one may at a time")

  private def release(table: Table[?, ?]): Unit = claimed.remove(table): Unit

  /** Appends to memory. */
  final class Growing[T, L <: Layout](table: GrowingTable[T, L]) extends TableWriter[T](table):
    def append(values: IterableOnce[T]): Unit = table.appendAll(values)
    def appended(isLast: Boolean): Unit = ()

  /** Appends to a file, and commits when `commitRows` rows are not committed. */
  final class Filed[T, L <: Layout](table: FileTable[T, L], commitRows: Long)
      extends TableWriter[T](table):
    private var committed = table.size

    def append(values: IterableOnce[T]): Unit = table.appendAll(values)

    def appended(isLast: Boolean): Unit =
      if isLast || table.size - committed >= commitRows then
        table.commit()
        committed = table.size
end TableWriter
