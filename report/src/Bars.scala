package undercroft.report

import java.awt.geom.Rectangle2D
import java.awt.Paint
import org.jfree.chart.LegendItem
import org.jfree.chart.annotations.XYTextAnnotation
import org.jfree.chart.axis.NumberAxis
import org.jfree.chart.plot.PlotOrientation
import org.jfree.chart.renderer.xy.{StandardXYBarPainter, XYBarRenderer}
import org.jfree.chart.ui.TextAnchor
import org.jfree.data.xy.{XYIntervalSeries, XYIntervalSeriesCollection}

/** Draws a bar for each mark, with its name above, its value behind and its interval on the bar.
  * Rows are numbered from the top, in the order of `marks`.
  */
private[report] final class Bars(title: String, marks: Seq[Mark], tell: Double => String):
  import Bars.*

  /** Where the longest bar ends. A wide interval must not make the bars themselves short. */
  private val longest = marks.map(mark => math.min(mark.value.high, mark.value.value * 1.5)).max

  /** The values that the width stands for, with room for the words behind the longest bar. */
  private val whole =
    val words = marks.map(mark => SvgCanvas.letters.width(tell(mark.value.value))).max + gap * 2
    if longest > 0 then longest / (1 - words / SvgCanvas.width) else 1.0

  def draw: Markup.Piece =
    val (rows, values) = (NumberAxis(), NumberAxis())
    val plot = Plots.empty(rows, values)
    rows.setRange(0, marks.size)
    rows.setInverted(true)
    rows.setVisible(false)
    values.setRange(0, whole)
    values.setVisible(false)
    plot.setOrientation(PlotOrientation.HORIZONTAL)
    plot.setRangeGridlinesVisible(false)
    plot.setDataset(0, bars)
    plot.setRenderer(0, Renderer())
    val intervals = marks.zipWithIndex.map((mark, row) => (row + middle, capped(mark.value)))
    Plots.intervals(plot, 1, Seq((ink = Palette.words, values = intervals)))
    for (mark, (at, value)) <- marks.zip(intervals) do
      plot.addAnnotation(words(mark.name, at - above, 0))
      val end = math.max(value.value, value.high) + whole * gap / SvgCanvas.width
      plot.addAnnotation(words(tell(mark.value.value), at, end))
    SvgCanvas.draw(title, plot, marks.size * pitch, legend)
  end draw

  private def bars =
    val series = XYIntervalSeries("bars")
    for (mark, row) <- marks.zipWithIndex do
      // A value of zero is visible as a thin line.
      val value = math.max(mark.value.value, whole * 0.002)
      val at = row + middle
      series.add(at, at - half, at + half, value, value, value)
    val data = XYIntervalSeriesCollection()
    data.addSeries(series)
    data

  private def capped(value: Value): Value =
    Value(value.value, math.max(0, value.low), math.min(value.high, longest))

  private def words(text: String, row: Double, value: Double): XYTextAnnotation =
    val annotation = XYTextAnnotation(text, row, value)
    annotation.setFont(SvgCanvas.letters)
    annotation.setPaint(Palette.words)
    annotation.setTextAnchor(TextAnchor.CENTER_LEFT)
    annotation

  private def legend: Seq[LegendItem] = marks.map(_.owner).distinct.map: owner =>
    LegendItem(owner.label, null, null, null, box, Palette.of(owner.hue))

  private final class Renderer extends XYBarRenderer, Tooltips:
    setBarPainter(StandardXYBarPainter())
    setShadowVisible(false)
    setDrawBarOutline(false)
    override def getItemPaint(series: Int, item: Int): Paint = Palette.of(marks(item).owner.hue)
    protected def words(series: Int, item: Int, pass: Int): Option[String] =
      Some(s"${marks(item).name}: ${marks(item).value.told(tell)}")
  end Renderer
end Bars

private[report] object Bars:
  private val pitch = 40 // pixels a row
  private val gap = 7.0 // pixels from a bar to its value
  private val middle = 0.68 // the middle of a bar, as a fraction of its row
  private val half = 0.19
  private val above = 0.4 // of a row, from the bar to its name
  private val box = Rectangle2D.Double(0, 0, 11, 11)
end Bars
