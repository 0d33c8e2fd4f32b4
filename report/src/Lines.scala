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
private[report] final class Lines(title: String, unsorted: Seq[Curve], over: String, axes: Axes):
  import Lines.*
  // What comes first lies on top: ours.
  private val dressed = Look
    .dressed(unsorted.map(one => one.copy(points = one.points.sortBy(_.at))))
    .sortBy(_._2.hue != Hue.Teal)
  private val curves = dressed.map(_._1)

  /** Signs mean that `happened`. */
  def draw(tell: Double => String, happened: String = ""): Markup.Piece =
    val plot = Plots.empty(axes.across(over), axes.up(tell))
    plot.setInsets(RectangleInsets(8, 0, 0, 20)) // half of the letters at the axes' ends
    val reaches = dressed.map: (curve, look) =>
      (ink = Ink.of(look.hue), values = curve.points.map(one => (one.at, within(one.value))))
    val lines = Renderer(tell)
    val signs = XYLineAndShapeRenderer(false, true)
    signs.setDrawOutlines(false)
    for ((_, look), number) <- dressed.zipWithIndex do
      signs.setSeriesShape(number, wedge)
      signs.setSeriesPaint(number, Ink.of(look.hue))
    Plots.intervals(plot, 0, reaches)
    plot.setDataset(1, data(_.points.map(one => (one.at, within(one.value).value))))
    plot.setRenderer(1, lines)
    plot.setDataset(2, data(curve => curve.marks.map(at => (at, below(curve, at)))))
    plot.setRenderer(2, signs)
    val sign = Option.when(curves.exists(_.marks.nonEmpty)):
      LegendItem(happened, null, null, null, wedge, Ink.faint)
    Sheet.draw(title, plot, tall, curves.indices.map(lines.getLegendItem(1, _).nn) ++ sign)
  end draw

  private def within(value: Value): Value =
    Value(axes.within(value.value), axes.within(value.low), axes.within(value.high))

  /** The value of a curve at a place, or at the last point before it. */
  private def below(curve: Curve, at: Double): Double =
    val point = curve.points.findLast(_.at <= at).getOrElse(curve.points.head)
    axes.within(point.value.value)

  private def data(places: Curve => Seq[(Double, Double)]): XYDataset =
    val all = XYSeriesCollection()
    for curve <- curves do
      val series = XYSeries(curve.name)
      for (at, value) <- places(curve) do series.add(at, value)
      all.addSeries(series)
    all

  private final class Renderer(tell: Double => String) extends XYLineAndShapeRenderer, Telling:
    setDrawSeriesLineAsPath(true)
    setDrawOutlines(false)
    setLegendLine(sample)
    for ((curve, look), number) <- dressed.zipWithIndex do
      setSeriesPaint(number, Ink.of(look.hue))
      setSeriesStroke(number, look.stroke)
      setSeriesShape(number, dot)
      setSeriesShapesVisible(number, curve.points.sizeIs <= mostDots)
    protected def words(series: Int, item: Int, pass: Int): Option[String] =
      Option.when(isItemPass(pass) && getItemShapeVisible(series, item)):
        val (curve, point) = (curves(series), curves(series).points(item))
        s"${curve.name}: ${point.value.told(tell)} at $over ${Numbers.short(point.at)}"
  end Renderer
end Lines

private[report] object Lines:
  private val tall = 300

  /** A curve of more points is a line alone. */
  private val mostDots = 60

  private val dot: Shape = Ellipse2D.Double(-3.5, -3.5, 7, 7)
  private val sample: Shape = Line2D.Double(-13, 0, 13, 0)

  /** Stands on a place, its point below. */
  private val wedge: Shape =
    val path = Path2D.Double()
    path.moveTo(0, 0)
    path.lineTo(-4, -8)
    path.lineTo(4, -8)
    path.closePath()
    path
end Lines
