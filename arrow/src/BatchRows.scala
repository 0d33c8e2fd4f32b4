package undercroft.arrow

import undercroft.file.{ColumnKind, TextSlice}

/** The number of rows of a record batch. */
private[arrow] object BatchRows:
  /** Rows per batch, limited so that the text of one column stays below 2 GiB. */
  def most(columns: Vector[ColumnKind], mostRows: Int): Int =
    val longest = columns.map(longestText).maxOption.getOrElse(0)
    if longest == 0 then mostRows
    else Math.min(mostRows, Int.MaxValue / (longest.toLong * TextSlice.Replaced)).toInt

  private def longestText(column: ColumnKind): Int = column match
    case ColumnKind.Text(_, _, size)      => size
    case ColumnKind.Record(_, fields)     => fields.map(longestText).maxOption.getOrElse(0)
    case ColumnKind.Optional(_, _, value) => longestText(value)
    case ColumnKind.Logical(_, _, of)     => longestText(of)
    case ColumnKind.OneOf(_, _, members)  => members.map(longestText).maxOption.getOrElse(0)
    case _                                => 0
end BatchRows
