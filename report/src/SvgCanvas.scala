package undercroft.report

import java.awt.geom.Rectangle2D
import java.awt.{Font, FontMetrics, Graphics2D, Shape}
import java.io.StringWriter
import org.apache.batik.svggen.SVGGraphics2D
import org.jfree.chart.block.{BlockBorder, RectangleConstraint}
import org.jfree.chart.plot.XYPlot
import org.jfree.chart.title.LegendTitle
import org.jfree.chart.ui.{HorizontalAlignment, RectangleEdge, RectangleInsets}
import org.jfree.chart.{JFreeChart, LegendItem, LegendItemCollection}
import org.jfree.data.Range

/** The canvas of a chart: Batik writes JFreeChart's drawing as SVG, which fills the available
  * width.
  *
  * [[TextMetrics]] measures the letters, and nothing is clipped, because nothing is drawn outside
  * the chart. So equal charts are equal text, without an id that could occur twice in a page.
  */
private[report] final class SvgCanvas(style: SheetStyle)
    extends SVGGraphics2D(style.context, false):
  override def getFontMetrics(font: Font): FontMetrics = font match
    case lettering: TextMetrics => lettering.metrics
    case systemFont => throw IllegalStateException(s"the font must be a TextMetrics: $systemFont")
  override def clip(shape: Shape): Unit = ()
  override def setClip(shape: Shape): Unit = ()

  /** Draws a part that has a tooltip. */
  def telling(words: String)(draw: => Unit): Unit =
    style.words = Some(words)
    draw
    style.words = None
end SvgCanvas

private[report] object SvgCanvas:
  // A page is made on machines with a screen and on others, alike.
  if System.getProperty("java.awt.headless") == null then
    System.setProperty("java.awt.headless", "true"): Unit

  /** In pixels: about the width of a chart on a wide screen, and more than its width on a phone. */
  val width = 380

  /** The letters of all charts. */
  val letters = TextMetrics(13)

  /** Draws a plot of height `tall` in pixels with its legend below; `words` is the text for screen
    * readers.
    */
  def draw(words: String, plot: XYPlot, tall: Int, legend: Seq[LegendItem]): Markup.Piece =
    val items = LegendItemCollection()
    legend.foreach(items.add)
    plot.setFixedLegendItems(items)
    val chart = JFreeChart(null, null, plot, false)
    chart.setBackgroundPaint(null)
    chart.setPadding(RectangleInsets.ZERO_INSETS)
    val below = explained(plot)
    chart.addSubtitle(below)
    val space = RectangleConstraint(Range(0, width), Range(0, 10_000))
    val height = tall + below.arrange(SvgCanvas(SheetStyle()), space).getHeight.ceil.toInt
    val sheet = SvgCanvas(SheetStyle())
    chart.draw(sheet, Rectangle2D.Double(0, 0, width, height))
    val writer = StringWriter()
    sheet.stream(writer, false)
    svg(words, height, writer.toString)

  private def explained(plot: XYPlot): LegendTitle =
    val legend = LegendTitle(plot)
    legend.setPosition(RectangleEdge.BOTTOM)
    legend.setHorizontalAlignment(HorizontalAlignment.LEFT)
    legend.setFrame(BlockBorder.NONE)
    legend.setMargin(RectangleInsets(6, 0, 0, 0))
    legend.setItemFont(letters)
    legend.setItemPaint(Palette.faint)
    legend.setItemLabelPadding(RectangleInsets(2, 4, 2, 10))
    legend

  private def svg(words: String, height: Int, drawing: String): Markup.Piece =
    import Markup.*
    val inner = drawing.substring(drawing.indexOf("<g"), drawing.lastIndexOf("</svg"))
    // Batik breaks lines within tags, and says of every text that its blanks count.
    val lean = inner.replaceAll("\n *", "").nn.replace(" xml:space=\"preserve\"", "").nn
    Markup.svg(role := "img", ariaLabel := words, viewBox := s"0 0 $width $height", raw(lean))

  /** Draws a part that has a tooltip. */
  def told(on: Graphics2D, words: String)(draw: => Unit): Unit = on match
    case sheet: SvgCanvas => sheet.telling(words)(draw)
    case _                => draw
end SvgCanvas
