package undercroft.report

/** A page of results: one HTML file that needs nothing else, dark and light, for screens of every
  * width.
  *
  * @param lead
  *   the introduction, one element for each paragraph
  */
final case class Report(title: String, lead: Seq[String], sections: Seq[Section]):

  /** The whole file. */
  def html: String = Html.of(this)

/** A part of a page with a name, which the navigation shows with a few words beside it. */
final case class Section(name: String, beside: String, parts: Seq[Block])

/** A part of a section. */
enum Block:
  case Heading(text: String)
  case Words(text: String)

  /** Text in small print, which most readers skip. */
  case Small(text: String)

  /** A command to copy. */
  case Command(text: String)
  case Points(lines: Seq[String])

  /** A table; with a title of its own it is folded away until it is asked for. */
  case Grid(columns: Seq[String], rows: Seq[Seq[TableCell]], folded: Option[String] = None)
  case Picture(title: String, chart: Chart)
end Block

/** A cell of a table. */
final case class TableCell(text: String, kind: CellKind) derives CanEqual

object TableCell:
  def words(text: String): TableCell = TableCell(text, CellKind.Words)
  def number(text: String): TableCell = TableCell(text, CellKind.Number)

/** How a cell is shown. */
enum CellKind derives CanEqual:
  case Words, Number, Good, Bad, Faint
