package undercroft.report

import Markup.*
import java.util.Locale

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
      sections.map(entry => a(href := s"#${entry.name}", b(entry.name), " ", span(entry.beside)))
    )

  private def section(section: Section): Piece =
    Markup.section(id := section.name, h2(section.name), grouped(section.parts))

  /** Puts adjacent charts into one group, which shows them side by side if the page is wide enough.
    */
  private def grouped(parts: Seq[Block]): Seq[Piece] =
    val (blocks, rest) = parts.span(!isPicture(_))
    val (pictures, tail) = rest.span(isPicture)
    val here = blocks.map(part) ++
      Option.when(pictures.nonEmpty)(div(kind := "pictures", pictures.map(part)))
    if tail.isEmpty then here else here ++ grouped(tail)

  private def isPicture(part: Block): Boolean = part match
    case Block.Picture(_, _) => true
    case _                   => false

  private def part(part: Block): Piece = part match
    case Block.Heading(text)             => h3(text)
    case Block.Words(text)               => p(marked(text))
    case Block.Small(text)               => p(kind := "small", marked(text))
    case Block.Command(text)             => pre(code(text))
    case Block.Points(lines)             => ul(lines.map(line => li(marked(line))))
    case Block.Grid(columns, rows, None) => grid(columns, rows)
    case Block.Grid(columns, rows, Some(t)) =>
      Markup.details(Markup.summary(t), grid(columns, rows))
    case Block.Picture(title, chart) => picture(title, chart)

  /** Text whose parts between backquotes are code. */
  private def marked(text: String): Seq[Piece] =
    text.split("`", -1).nn.toSeq.zipWithIndex.map: (part, index) =>
      val piece: Piece = if index % 2 == 1 then code(part.nn) else part.nn
      piece

  /** A table in a box of its own, which scrolls where the screen is narrow. */
  private def grid(columns: Seq[String], rows: Seq[Seq[TableCell]]): Piece =
    // The title of a column is aligned like its cells.
    val ofNumbers = columns.indices.map: column =>
      rows.exists(_.lift(column).exists(_.kind == CellKind.Number))
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

  private def cell(cell: TableCell): Piece = cell.kind match
    case CellKind.Words => td(cell.text)
    case emphasis       => td(kind := emphasis.toString.toLowerCase(Locale.ROOT), cell.text)

  private def picture(title: String, chart: Chart): Piece =
    val piece = chart match
      case Chart.Bars(marks, tell) => Bars.draw(title, marks.sortBy(_.value.value), tell)
      case Chart.Growth(curves, over, tell) =>
        LinePlot(title, curves, over, Axes.logarithmic(curves, tell)).draw
      case Chart.Course(curves, over, tell) =>
        LinePlot(title, curves, over, Axes.even(curves, tell)).draw
    figure(figcaption(title), piece)
end Html
