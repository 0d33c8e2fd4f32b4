package undercroft.duckdb
package internal.scan

import undercroft.file.FieldSlices
import undercroft.file.format.BlockStatistics

/** The rows that a query sees: of one table, or of the files of a folder in their order. */
private[duckdb] final class Snapshot(val tables: Vector[ScannedTable]):
  val rows: Long = tables.map(_.rows).sum

  /** Throws if rows that were read were truncated since. */
  def confirm(): Unit = tables.foreach(table => if table.isRead then table.lanes.confirm())
end Snapshot

/** The rows of a table or of a file, and the values in the names of its folders.
  *
  * @param read
  *   the memory of the rows; called once, when a query first reads them
  * @param constants
  *   the values of the columns of partitions, which follow the `fieldCount` fields
  */
private[duckdb] final class ScannedTable(
    val rows: Long,
    fieldCount: Int,
    read: () => FieldSlices,
    ranges: Vector[String] => Vector[BlockStatistics],
    constants: Vector[PartitionConstant] = Vector()
):
  /** Whether a query has read rows. */
  @volatile var isRead = false

  lazy val lanes: FieldSlices = read()

  /** The statistics of a field's values in each block, if the file has some. */
  def statistics(path: Vector[String]): Vector[BlockStatistics] =
    try ranges(path)
    catch case error: Throwable => throw lanes.translate(error)

  /** The value of a column of partitions. */
  def constant(column: Int): PartitionConstant = constants(column - fieldCount)

  /** Whether a filter is about the name of a folder. */
  def isConstant(filter: ColumnFilter): Boolean = filter.column >= fieldCount

  /** Whether the name of a folder fulfils a filter about it. */
  def holds(filter: ColumnFilter): Boolean = constant(filter.column).holds(filter)
end ScannedTable

private[duckdb] object ScannedTable:
  def apply(lanes: FieldSlices, ranges: Vector[String] => Vector[BlockStatistics]): ScannedTable =
    new ScannedTable(lanes.rows, lanes.columns.size, () => lanes, ranges)
