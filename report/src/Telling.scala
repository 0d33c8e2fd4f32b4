package undercroft.report

import java.awt.Graphics2D
import java.awt.geom.Rectangle2D
import org.jfree.chart.axis.ValueAxis
import org.jfree.chart.plot.{CrosshairState, PlotRenderingInfo, XYPlot}
import org.jfree.chart.renderer.xy.{XYItemRenderer, XYItemRendererState}
import org.jfree.data.xy.XYDataset

/** Draws as the renderer it is mixed into, and tells the pointer what it is on. */
private[report] trait Telling extends XYItemRenderer:

  /** What the pointer is told on an item in a pass, if anything. */
  protected def words(series: Int, item: Int, pass: Int): Option[String]

  abstract override def drawItem(
      on: Graphics2D,
      state: XYItemRendererState,
      area: Rectangle2D,
      info: PlotRenderingInfo | Null,
      plot: XYPlot,
      domain: ValueAxis,
      range: ValueAxis,
      data: XYDataset,
      series: Int,
      item: Int,
      cross: CrosshairState | Null,
      pass: Int
  ): Unit =
    def drawn() =
      super.drawItem(on, state, area, info, plot, domain, range, data, series, item, cross, pass)
    words(series, item, pass) match
      case Some(told) => Sheet.told(on, told)(drawn())
      case None       => drawn()
end Telling
