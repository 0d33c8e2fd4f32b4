package undercroft.exchange

/** Rows of cells as text: the first columns to the left, figures to the right. */
final class TextTable(header: Seq[String], leftColumns: Int):

  /** Renders rows of cells. A row with fewer cells than columns ends in text that may be wider than
    * its column.
    */
  def render(rows: Seq[Seq[String]]): String =
    val full = header +: rows.filter(_.size == header.size)
    val named = header +: rows.map(_.take(leftColumns))
    val widths = header.indices.map: column =>
      (full ++ named).flatMap(_.lift(column)).map(_.length).max
    def line(cells: Seq[String]) =
      cells.zipWithIndex
        .map: (cell, column) =>
          if column >= leftColumns && cells.size == header.size then
            cell.reverse.padTo(widths(column), ' ').reverse
          else cell.padTo(widths(column), ' ')
        .mkString("  ")
        .stripTrailing
        .nn
    val rule = widths.map("-" * _).mkString("  ")
    (line(header) +: rule +: rows.map(line)).mkString("\n")
end TextTable
