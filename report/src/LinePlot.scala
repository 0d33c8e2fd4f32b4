package undercroft.report

import Shapes.LegendItem

/** Draws curves between two axes, and the intervals of their points.
  *
  * @param over
  *   the title of the axis of places
  */
private[report] final class LinePlot(title: String, unsorted: Seq[Curve], over: String, axes: Axes):
  import LinePlot.*
  private val tell = axes.up.tell

  // The first curve is drawn on top, and is first in the legend: ours.
  private val dressed = LineStyle
    .dressed(unsorted.map(curve => curve.copy(points = curve.points.sortBy(_.at))))
    .sortBy(_._2.hue != Hue.Teal)

  private val levels = axes.up.labels(bottom - top, _ => labelHeight)
  private val left = levels.map(level => Letters.width(tell(level))).maxOption.getOrElse(0.0) + 6

  private def x(at: Double): Double = left + axes.across.fraction(at) * (right - left)
  private def y(value: Double): Double = bottom - axes.up.fraction(value) * (bottom - top)

  def draw: Markup.Piece =
    val curves = dressed.reverse.flatMap(intervals) ++ dressed.reverse.flatMap(curve)
    val items = dressed.map: (curve, style) =>
      val colour = Shapes.colour(style.hue)
      def draw(x: Double, y: Double) =
        Shapes.line(Seq((x, y), (x + sample, y)), colour, 2, style.dashes) +:
          (if hasDots(curve) then
             Seq(Shapes.sign(x + sample / 2, y, colour, style.corners, tooltip = ""))
           else Seq())
      LegendItem(curve.name, sample, draw)
    val (legend, height) = Shapes.legend(tall + 6, items)
    Shapes.svg(title, height, grid ++ curves ++ legend)

  private def grid: Seq[Markup.Piece] =
    val rows = levels.flatMap: level =>
      Seq(
        Shapes.line(Seq((left, y(level)), (right, y(level))), Shapes.rule, 1),
        Shapes.text(tell(level), left - 6, y(level), Shapes.soft, "end")
      )
    val places = axes.across
      .labels(right - left, place => Letters.width(axes.across.tell(place)) + 10)
      .map(place =>
        Shapes.text(axes.across.tell(place), x(place), bottom + 13, Shapes.soft, "middle")
      )
    rows ++ places :+ Shapes.text(over, (left + right) / 2, bottom + 31, Shapes.soft, "middle")

  private def intervals(curve: Curve, style: LineStyle): Seq[Markup.Piece] =
    for
      point <- curve.points
      (low, high) = (y(point.value.low), y(point.value.high))
      if point.value.high > point.value.low
    yield Shapes.upright(x(point.at), low, high, Shapes.colour(style.hue))

  private def curve(curve: Curve, style: LineStyle): Seq[Markup.Piece] =
    val colour = Shapes.colour(style.hue)
    val points = curve.points.map(point => (x(point.at), y(point.value.value)))
    val dots = curve.points.zip(points).map: (point, place) =>
      val tooltip =
        s"${curve.name}: ${point.value.told(tell)} at $over ${FigureText.short(point.at)}"
      Shapes.sign(place._1, place._2, colour, style.corners, tooltip)
    Shapes.line(points, colour, 2, style.dashes) +: (if hasDots(curve) then dots else Seq())
end LinePlot

private[report] object LinePlot:
  private val tall = 300.0
  private val top = 8.0
  private val bottom = tall - 40
  private val right = Shapes.width - 20.0
  private val labelHeight = 20.0
  private val sample = 26.0

  /** A curve of more points is a line alone. */
  private val mostDots = 60

  private def hasDots(curve: Curve): Boolean = curve.points.sizeIs <= mostDots
end LinePlot
