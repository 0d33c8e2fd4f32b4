package undercroft.report

/** A page of results: one HTML file that needs nothing else, dark and light, for screens of every
  * width.
  *
  * @param lead
  *   what a reader needs to know first, a paragraph each
  */
final case class Report(title: String, lead: Seq[String], sections: Seq[Section]):

  /** The whole file. */
  def html: String = Html.of(this)

/** A part of a page with a name, which the navigation shows with a few words beside it. */
final case class Section(name: String, beside: String, parts: Seq[Part])

/** What sections are made of. */
enum Part:
  case Heading(text: String)
  case Words(text: String)

  /** Words of which most readers need none. */
  case Small(text: String)

  /** A command to copy. */
  case Command(text: String)
  case Points(lines: Seq[String])

  /** A table; with a title of its own it is folded away until it is asked for. */
  case Grid(columns: Seq[String], rows: Seq[Seq[Cell]], folded: Option[String] = None)
  case Picture(title: String, chart: Chart)
end Part

/** A cell of a table. */
final case class Cell(text: String, kind: Kind) derives CanEqual

object Cell:
  def words(text: String): Cell = Cell(text, Kind.Words)
  def number(text: String): Cell = Cell(text, Kind.Number)

/** How a cell is shown. */
enum Kind derives CanEqual:
  case Words, Number, Good, Bad, Faint
