package undercroft.report

import java.awt.Graphics2D
import java.awt.geom.Rectangle2D
import org.jfree.chart.axis.ValueAxis
import org.jfree.chart.plot.{CrosshairState, PlotRenderingInfo, XYPlot}
import org.jfree.chart.renderer.xy.{XYItemRenderer, XYItemRendererState}
import org.jfree.data.xy.XYDataset

/** Adds tooltips to the renderer that it is mixed into. */
private[report] trait Tooltips extends XYItemRenderer:

  /** The tooltip of an item in a pass, if it has one. */
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
      case Some(tooltip) => SvgCanvas.told(on, tooltip)(drawn())
      case None          => drawn()
end Tooltips
