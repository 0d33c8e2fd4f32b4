package undercroft.report

import java.awt.{BasicStroke, Color, Paint}
import org.jfree.chart.axis.ValueAxis
import org.jfree.chart.plot.{DatasetRenderingOrder, XYPlot}
import org.jfree.chart.renderer.xy.XYErrorRenderer
import org.jfree.chart.ui.RectangleInsets
import org.jfree.data.xy.{YIntervalSeries, YIntervalSeriesCollection}

/** The parts shared by plots of bars and plots of curves. */
private[report] object Plots:

  /** A line of `width` pixels, with the line ends and joins that are SVG's defaults. */
  def stroke(width: Float, dashes: Float*): BasicStroke =
    val pattern = if dashes.isEmpty then null else dashes.toArray
    BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 4f, pattern, 0f)

  /** A plot without anything in it; later data are drawn over earlier ones. */
  def empty(across: ValueAxis, up: ValueAxis): XYPlot =
    val plot = XYPlot(null, across, up, null)
    plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD)
    plot.setBackgroundPaint(null)
    plot.setOutlineVisible(false)
    plot.setInsets(RectangleInsets.ZERO_INSETS)
    plot.setAxisOffset(RectangleInsets.ZERO_INSETS)
    plot.setDomainGridlinesVisible(false)
    plot.setRangeGridlinePaint(Palette.rule)
    plot.setRangeGridlineStroke(stroke(1))
    for axis <- Seq(across, up) do
      axis.setTickLabelFont(SvgCanvas.letters)
      axis.setTickLabelPaint(Palette.faint)
      axis.setLabelFont(SvgCanvas.letters)
      axis.setLabelPaint(Palette.faint)
      axis.setAxisLineVisible(false)
      axis.setTickMarksVisible(false)
    plot

  /** Adds the intervals of values at their places, a row of them in each colour; a value whose
    * interval is not known has none.
    */
  def intervals(plot: XYPlot, index: Int, rows: Seq[(ink: Color, values: Seq[(Double, Value)])])
      : Unit =
    val data = YIntervalSeriesCollection()
    val renderer = XYErrorRenderer()
    renderer.setDrawXError(false)
    renderer.setDefaultLinesVisible(false)
    renderer.setDefaultShapesVisible(false)
    renderer.setErrorStroke(stroke(1.5f))
    renderer.setCapLength(7)
    for (row, number) <- rows.zipWithIndex do
      val series = YIntervalSeries(number)
      for (at, Value(value, low, high)) <- row.values if high > low do
        series.add(at, value, low, high)
      data.addSeries(series)
      renderer.setSeriesPaint(number, row.ink: Paint)
    plot.setDataset(index, data)
    plot.setRenderer(index, renderer)
end Plots
