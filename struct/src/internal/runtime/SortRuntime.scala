package undercroft.struct
package internal.runtime

import internal.parallel.SharedTable
import internal.sort.{AmericanFlagSort, LsdRadixSort, ParallelRadixSort, RowMover, SortFields}
import scala.annotation.publicInBinary
import undercroft.memory.Allocator

/** Runtime of the code that is generated for sorting. */
@publicInBinary private[struct] object SortRuntime:

  @publicInBinary private[struct] def inPlace(table: Table[?, ?], fields: Array[Int]): Unit =
    changed(table, fields)(AmericanFlagSort(table, _).sort())

  /** As `inPlace`, by several threads. */
  @publicInBinary private[struct] def together(
      table: Table[?, ?],
      fields: Array[Int],
      grain: Long
  ): Unit =
    val serialRows = SharedTable.grain(grain, ParallelRadixSort.Least)
    changed(table, fields)(ParallelRadixSort(SharedTable(table), _, serialRows).sort())

  private def changed(table: Table[?, ?], fields: Array[Int])(sort: SortFields => Unit): Unit =
    try
      sort(SortFields.of(table, fields).withoutCommonBits(table))
      table.confirm()
    catch case error: Throwable => throw table.translate(error)

  @publicInBinary private[struct] def put(buffer: LsdRadixSort, key: Long): Unit = buffer.put(key)

  /** A new table of the rows, sorted by the keys that `fill` puts. */
  @publicInBinary private[struct] def stable[T, L <: Layout](
      table: Table[T, L],
      keyBytes: Int,
      allocator: Allocator
  )(fill: (Table[T, L], LsdRadixSort) => Unit): Table[T, L] =
    ordered(table, keyBytes, allocator)(fill(table, _))(_.copySorted(table, _))

  @publicInBinary private[struct] def stableByFields[T, L <: Layout](
      table: Table[T, L],
      fields: Array[Int],
      allocator: Allocator
  ): Table[T, L] =
    val keys = SortFields.of(table, fields).keys(table)
    ordered(table, keys.bytes, allocator)(_.sortBy(keys)): (buffer, result) =>
      RowMover(table).gather(buffer, 0, buffer.size, result)

  private def ordered[T, L <: Layout](
      table: Table[T, L],
      keyBytes: Int,
      allocator: Allocator
  )(fill: LsdRadixSort => Unit)(copy: (LsdRadixSort, Table[T, L]) => Unit): Table[T, L] =
    val rows = table.size
    val buffer = LsdRadixSort(rows, keyBytes, allocator)
    try
      fill(buffer)
      table.confirm()
      UnfinishedTable.filled(table.another(rows, allocator), allocator): result =>
        copy(buffer, result)
        table.confirm()
    catch case error: Throwable => throw table.translate(error)
    finally buffer.close()
end SortRuntime
