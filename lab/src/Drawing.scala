package undercroft.lab

import scalatags.Text.{Frag, Modifier}
import scalatags.Text.implicits.*
import scalatags.Text.svgAttrs.*
import scalatags.Text.svgTags.*

/** Draws a [[Chart]] as SVG; colours are classes that the page's style gives a dark and a light
  * value. Times are told where the pointer rests.
  */
object Drawing:
  private val breadth = 960.0

  /** One mark of a chart. */
  private final case class Mark(name: String, at: Double, whose: Rival, value: Estimate):
    def low: Double = value.interval.fold(value.measured)(_.low)
    def high: Double = value.interval.fold(value.measured)(_.high)
    def told: String =
      val interval = value.interval.fold("")(i => s" (${Numbers(i.low)} to ${Numbers(i.high)})")
      s"$name: ${Numbers(value.measured)}$interval"

  /** The picture of a chart, or nothing where none of its results is there. */
  def of(chart: Chart, results: Results, rival: Key => Rival): Option[Frag] =
    def marks(over: Option[String], of: Key => Option[String]) =
      for
        (key, result) <- results.sorted
        name <- of(key)
      yield Mark(
        name,
        over.fold(0.0)(key.params(_).toDouble),
        rival(key),
        Estimate.of(result.time)
      )
    val (found, draw) = chart match
      case Chart.Bars(_, of)        => (marks(None, of), bars)
      case Chart.Lines(_, over, of) => (marks(Some(over), of), lines(over, _))
    Option.when(found.nonEmpty)(draw(found))

  /** Horizontal bars from the quickest to the slowest, each with its interval. */
  private def bars(marks: Seq[Mark]): Frag =
    val (left, right, pitch) = (250.0, 90.0, 24.0)
    val most =
      marks.map(mark => math.max(mark.value.measured, mark.high.min(mark.value.measured * 2))).max
    def x(value: Double) = left + math.max(0, math.min(value / most, 1)) * (breadth - left - right)
    val rows = marks.sortBy(_.value.measured).zipWithIndex.map: (mark, row) =>
      val y = row * pitch + 4
      val middle = y + pitch / 2 - 2
      g(
        title(mark.told),
        words(left - 8, middle + 4, "end", mark.name),
        rect(
          cls := s"fill-${mark.whose.style}",
          box(left, y, x(mark.value.measured) - left, pitch - 6)
        ),
        stroke("reach", x(mark.low), middle, x(mark.high), middle),
        words(
          x(math.max(mark.high, mark.value.measured)) + 6,
          middle + 4,
          "start",
          Numbers(mark.value.measured)
        )
      )
    picture(marks.size * pitch + 8, rows)
  end bars

  /** A line for each name over the marks' places, both axes logarithmic. */
  private def lines(over: String, marks: Seq[Mark]): Frag =
    val (left, right, top, bottom, tall) = (70.0, 20.0, 10.0, 44.0, 380.0)
    val places = marks.map(_.at).distinct.sorted
    val (first, last) = (math.log10(places.head), math.log10(places.last))
    val floor = math.floor(math.log10(marks.map(_.value.measured).min))
    val ceiling = math.max(math.ceil(math.log10(marks.map(_.value.measured).max)), floor + 1)
    def x(at: Double) =
      val share = if last == first then 0.5 else (math.log10(at) - first) / (last - first)
      left + share * (breadth - left - right)
    def y(value: Double) =
      val share = (math.log10(math.max(value, 1e-12)) - floor) / (ceiling - floor)
      top + (1 - math.max(0, math.min(share, 1))) * (tall - top - bottom)
    val levels = (floor.toInt to ceiling.toInt).map(math.pow(10, _))
    val grid = levels.map: level =>
      Seq(
        stroke("grid", left, y(level), breadth - right, y(level)),
        words(left - 8, y(level) + 4, "end", Numbers.short(level))
      )
    val ticks = places.map(at => words(x(at), tall - bottom + 18, "middle", Numbers.short(at)))
    val names = marks.map(_.name).distinct
    val curves = names.zipWithIndex.map: (name, index) =>
      val own = marks.filter(_.name == name).sortBy(_.at)
      val kind = s"line-${own.head.whose.style} dash-${index % 4}"
      val path = own.map(mark => s"${x(mark.at)},${y(mark.value.measured)}").mkString(" ")
      val dots = own.map: mark =>
        g(
          title(s"${mark.told} at $over ${Numbers.short(mark.at)}"),
          stroke("reach", x(mark.at), y(mark.low), x(mark.at), y(mark.high)),
          circle(
            cls := s"fill-${mark.whose.style}",
            cx := x(mark.at),
            cy := y(mark.value.measured),
            r := 4
          )
        )
      g(polyline(cls := kind, points := path), dots)
    val legend = names.zipWithIndex.map: (name, index) =>
      val at = (left + index % 4 * 220, tall + index / 4 * 22.0)
      val kind = s"line-${marks.find(_.name == name).get.whose.style} dash-${index % 4}"
      g(stroke(kind, at._1, at._2, at._1 + 28, at._2), words(at._1 + 34, at._2 + 4, "start", name))
    val axis = words((left + breadth) / 2, tall - bottom + 38, "middle", over)
    picture(
      tall + (names.size + 3) / 4 * 22.0,
      Seq(grid.flatten, ticks, curves, legend, Seq(axis)).flatten
    )
  end lines

  private def title(text: String): Frag = scalatags.Text.svgTags.tag("title")(text)

  private val cls = scalatags.Text.all.cls

  private def picture(tall: Double, parts: Seq[Frag]): Frag =
    svg(xmlns := "http://www.w3.org/2000/svg", viewBox := s"0 0 $breadth $tall", parts)

  private def words(left: Double, base: Double, anchor: String, text: String): Frag =
    scalatags.Text.svgTags.text(x := left, y := base, textAnchor := anchor, text)

  private def box(left: Double, top: Double, wide: Double, tall: Double): Modifier =
    Seq[Modifier](x := left, y := top, width := math.max(wide, 1), height := tall)

  private def stroke(kind: String, fromX: Double, fromY: Double, toX: Double, toY: Double): Frag =
    line(cls := kind, x1 := fromX, y1 := fromY, x2 := toX, y2 := toY)
end Drawing
