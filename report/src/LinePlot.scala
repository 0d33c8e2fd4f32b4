package undercroft.report

import java.awt.geom.{Ellipse2D, Line2D, Path2D}
import java.awt.Shape
import org.jfree.chart.LegendItem
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer
import org.jfree.chart.ui.RectangleInsets
import org.jfree.data.xy.{XYDataset, XYSeries, XYSeriesCollection}

/** Draws curves between two axes, the intervals of their points, and signs where something
  * happened.
  */
private[report] final class LinePlot(title: String, unsorted: Seq[Curve], over: String, axes: Axes):
  import LinePlot.*
  // The first curve is drawn on top: ours.
  private val dressed = LineStyle
    .dressed(unsorted.map(curve => curve.copy(points = curve.points.sortBy(_.at))))
    .sortBy(_._2.hue != Hue.Teal)
  private val curves = dressed.map(_._1)

  /** Signs mean that `happened`. */
  def draw(tell: Double => String, happened: String = ""): Markup.Piece =
    val plot = Plots.empty(axes.across(over), axes.up(tell))
    plot.setInsets(RectangleInsets(8, 0, 0, 20)) // half of the letters at the axes' ends
    val reaches = dressed.map: (curve, look) =>
      val values = curve.points.map(point => (point.at, within(point.value)))
      (ink = Palette.of(look.hue), values = values)
    val lines = Renderer(tell)
    val signs = XYLineAndShapeRenderer(false, true)
    signs.setDrawOutlines(false)
    for ((_, look), number) <- dressed.zipWithIndex do
      signs.setSeriesShape(number, wedge)
      signs.setSeriesPaint(number, Palette.of(look.hue))
    Plots.intervals(plot, 0, reaches)
    plot.setDataset(1, data(_.points.map(point => (point.at, within(point.value).value))))
    plot.setRenderer(1, lines)
    plot.setDataset(2, data(curve => curve.marks.map(at => (at, below(curve, at)))))
    plot.setRenderer(2, signs)
    val sign = Option.when(curves.exists(_.marks.nonEmpty)):
      LegendItem(happened, null, null, null, wedge, Palette.faint)
    SvgCanvas.draw(title, plot, tall, curves.indices.map(lines.getLegendItem(1, _).nn) ++ sign)
  end draw

  private def within(value: Value): Value =
    Value(axes.within(value.value), axes.within(value.low), axes.within(value.high))

  /** The value of a curve at a place, or at the last point before it. */
  private def below(curve: Curve, at: Double): Double =
    val point = curve.points.findLast(_.at <= at).getOrElse(curve.points.head)
    axes.within(point.value.value)

  private def data(places: Curve => Seq[(Double, Double)]): XYDataset =
    val dataset = XYSeriesCollection()
    for curve <- curves do
      val series = XYSeries(curve.name)
      for (at, value) <- places(curve) do series.add(at, value)
      dataset.addSeries(series)
    dataset

  private final class Renderer(tell: Double => String) extends XYLineAndShapeRenderer, Tooltips:
    setDrawSeriesLineAsPath(true)
    setDrawOutlines(false)
    setLegendLine(sample)
    for ((curve, look), number) <- dressed.zipWithIndex do
      setSeriesPaint(number, Palette.of(look.hue))
      setSeriesStroke(number, look.stroke)
      setSeriesShape(number, dot)
      setSeriesShapesVisible(number, curve.points.sizeIs <= mostDots)
    protected def words(series: Int, item: Int, pass: Int): Option[String] =
      Option.when(isItemPass(pass) && getItemShapeVisible(series, item)):
        val (curve, point) = (curves(series), curves(series).points(item))
        s"${curve.name}: ${point.value.told(tell)} at $over ${FigureText.short(point.at)}"
  end Renderer
end LinePlot

private[report] object LinePlot:
  private val tall = 300

  /** A curve of more points is a line alone. */
  private val mostDots = 60

  private val dot: Shape = Ellipse2D.Double(-3.5, -3.5, 7, 7)
  private val sample: Shape = Line2D.Double(-13, 0, 13, 0)

  /** A triangle above its position; the position is its lower corner. */
  private val wedge: Shape =
    val path = Path2D.Double()
    path.moveTo(0, 0)
    path.lineTo(-4, -8)
    path.lineTo(4, -8)
    path.closePath()
    path
end LinePlot
