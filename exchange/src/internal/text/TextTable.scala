package undercroft.exchange
package internal.text

/** Rows of cells as text: the first columns to the left, figures to the right. A longer cell than
  * its column's width moves the rest of its line.
  */
final class TextTable(header: Seq[String], leftColumns: Int, leastWidths: Seq[Int]):
  private val widths =
    header.map(_.length).zip(leastWidths).map((title, least) => math.max(title, least))

  /** The titles of the columns and a rule below, two lines. */
  def head: String = s"${line(header)}\n${widths.map("-" * _).mkString("  ")}"

  /** The first cells of a line up to the figures, padded. */
  def left(cells: Seq[String]): String =
    cells.take(leftColumns).zip(widths).map((cell, width) => cell.padTo(width, ' ') + "  ").mkString

  /** A row as a line. A row with fewer cells than columns ends in text of any width. */
  def line(cells: Seq[String]): String =
    val figures = cells.drop(leftColumns).zip(widths.drop(leftColumns))
    val right =
      if cells.size < header.size then figures.map(_(0))
      else figures.map((cell, width) => cell.reverse.padTo(width, ' ').reverse)
    (left(cells) + right.mkString("  ")).stripTrailing.nn
end TextTable

object TextTable:
  /** All rows, in columns as wide as their widest cells. */
  def render(header: Seq[String], leftColumns: Int, rows: Seq[Seq[String]]): String =
    val widths = header.indices.map(column => rows.map(_(column).length).maxOption.getOrElse(0))
    val table = TextTable(header, leftColumns, widths)
    (table.head +: rows.map(table.line)).mkString("\n")
