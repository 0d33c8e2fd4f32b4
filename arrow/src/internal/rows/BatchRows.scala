package undercroft.arrow
package internal.rows

import undercroft.file.{ColumnKind, TextSlice}

/** The number of rows of a record batch. */
private[arrow] object BatchRows:
  /** The most items of an array field in a batch, unless one row has more. */
  private inline val MostItems = 1 << 20

  /** Rows per batch, limited so that the text of one column stays below 2 GiB, and so that the
    * items of an array are as many as the rows of a large batch.
    */
  def most(columns: Vector[ColumnKind], mostRows: Int): Int =
    val longest = columns.map(longestText).maxOption.getOrElse(0L)
    val items = columns.map(mostItems).maxOption.getOrElse(1L)
    val ofTexts: Long =
      if longest == 0 then mostRows else Int.MaxValue / (longest * TextSlice.Replaced)
    val ofItems: Long =
      if items == 1 && !columns.exists(hasOutOfLine) then mostRows else MostItems / items
    Math.max(1, Math.min(mostRows, Math.min(ofTexts, ofItems))).toInt

  /** Whether a column has values out of line, whose addresses are on the heap for each batch. */
  private def hasOutOfLine(column: ColumnKind): Boolean = column match
    case ColumnKind.OutOfLine(_, _, _)      => true
    case ColumnKind.Items(_, _, _, _, item) => hasOutOfLine(item)
    case ColumnKind.Record(_, fields)       => fields.exists(hasOutOfLine)
    case ColumnKind.Optional(_, _, value)   => hasOutOfLine(value)
    case ColumnKind.Logical(_, _, of)       => hasOutOfLine(of)
    case ColumnKind.OneOf(_, _, members)    => members.exists(hasOutOfLine)
    case _                                  => false

  /** The most items of arrays in a slot. */
  def mostItems(column: ColumnKind): Long = column match
    case ColumnKind.Items(_, _, dimensions, _, item) => product(dimensions) * mostItems(item)
    case ColumnKind.Record(_, fields)                => fields.map(mostItems).maxOption.getOrElse(1)
    case ColumnKind.Optional(_, _, value)            => mostItems(value)
    case ColumnKind.OneOf(_, _, members) => members.map(mostItems).maxOption.getOrElse(1)
    case _                               => 1

  private def product(dimensions: Vector[Int]): Long = dimensions.foldLeft(1L)(_ * _)

  private def longestText(column: ColumnKind): Long = column match
    case ColumnKind.Text(_, _, size)                 => size
    case ColumnKind.Items(_, _, dimensions, _, item) => product(dimensions) * longestText(item)
    case ColumnKind.Record(_, fields)     => fields.map(longestText).maxOption.getOrElse(0)
    case ColumnKind.Optional(_, _, value) => longestText(value)
    case ColumnKind.Logical(_, _, of)     => longestText(of)
    case ColumnKind.OneOf(_, _, members)  => members.map(longestText).maxOption.getOrElse(0)
    case _                                => 0
end BatchRows
