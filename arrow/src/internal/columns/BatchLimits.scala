package undercroft.arrow
package internal.columns

import internal.rows.BatchRows
import undercroft.file.ColumnKind

/** The most values of any length of a field in a record batch.
  *
  * @param bytes
  *   the most bytes of strings or of bytes: the largest offset of 32 bits
  * @param preferredItems
  *   the most elements of lists, unless one row has more
  */
private[arrow] final class BatchLimits(val bytes: Long, preferredItems: Int):
  /** The most elements of lists, unless one row has more. */
  def items(item: ColumnKind): Long = BatchRows.most(Vector(item), preferredItems)

  /** The most elements of lists of one row, whose arrays have offsets of 32 bits, too. */
  def mostItems(item: ColumnKind): Long = (Int.MaxValue - 8) / BatchRows.mostItems(item)

private[arrow] object BatchLimits:
  val default: BatchLimits = BatchLimits(Int.MaxValue, 1 << 20)
