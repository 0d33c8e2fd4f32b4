package undercroft.report

import Markup.*

/** Makes the page of a report. */
private[report] object Html:

  def of(report: Report): String =
    "<!doctype html>\n" + html(
      lang := "en",
      head(
        meta(charset := "utf-8"),
        meta(name := "viewport", content := "width=device-width, initial-scale=1"),
        Markup.title(report.title),
        Markup.style(raw(Style.text))
      ),
      body(
        h1(report.title),
        report.lead.map(words => p(kind := "lead", words)),
        Option.when(report.sections.sizeIs > 1)(navigation(report.sections)),
        report.sections.map(section)
      )
    ).render + "\n"

  private def navigation(sections: Seq[Section]): Piece =
    Markup.nav(
      sections.map(one => a(href := s"#${one.name}", b(one.name), " ", span(one.beside)))
    )

  private def section(section: Section): Piece =
    Markup.section(id := section.name, h2(section.name), grouped(section.parts))

  /** Pictures that follow each other stand in a group, side by side where there is room. */
  private def grouped(parts: Seq[Part]): Seq[Piece] =
    val (others, rest) = parts.span(!isPicture(_))
    val (pictures, more) = rest.span(isPicture)
    val here = others.map(part) ++
      Option.when(pictures.nonEmpty)(div(kind := "pictures", pictures.map(part)))
    if more.isEmpty then here else here ++ grouped(more)

  private def isPicture(part: Part): Boolean = part match
    case Part.Picture(_, _) => true
    case _                  => false

  private def part(part: Part): Piece = part match
    case Part.Heading(text)                => h3(text)
    case Part.Words(text)                  => p(text)
    case Part.Small(text)                  => p(kind := "small", text)
    case Part.Command(text)                => pre(code(text))
    case Part.Points(lines)                => ul(lines.map(li(_)))
    case Part.Grid(columns, rows, None)    => grid(columns, rows)
    case Part.Grid(columns, rows, Some(t)) => Markup.details(Markup.summary(t), grid(columns, rows))
    case Part.Picture(title, chart)        => picture(title, chart)

  /** A table in a box of its own, which scrolls where the screen is narrow. */
  private def grid(columns: Seq[String], rows: Seq[Seq[Cell]]): Piece =
    // A column's title stands where its numbers do.
    val ofNumbers = columns.indices.map: column =>
      rows.exists(_.lift(column).exists(_.kind == Kind.Number))
    div(
      kind := "scrolls",
      tabindex := 0,
      table(
        thead(tr(columns.zip(ofNumbers).map: (title, numbers) =>
          th(if numbers then kind := "number" else (), title))),
        tbody(rows.map(row => tr(row.map(cell))))
      )
    )
  end grid

  private def cell(cell: Cell): Piece = cell.kind match
    case Kind.Words => td(cell.text)
    case other      => td(kind := other.toString.toLowerCase, cell.text)

  private def picture(title: String, chart: Chart): Piece =
    val drawn = chart match
      case Chart.Bars(marks, tell) => Bars(title, marks.sortBy(_.value.value), tell).draw
      case Chart.Growth(curves, over, tell) =>
        Lines(title, curves, over, Axes.logarithmic(curves)).draw(tell)
      case Chart.Course(curves, over, tell, happened) =>
        Lines(title, curves, over, Axes.even(curves)).draw(tell, happened)
    figure(figcaption(title), drawn)
end Html
