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

/** What a chart is drawn on: JFreeChart's picture as SVG by Batik, which fills the width it gets.
  *
  * Letters are measured by [[Lettering]], and nothing is clipped, as nothing lies outside: so the
  * same chart is always the same text, without an id that the page might have twice.
  */
private[report] final class Sheet(style: SheetStyle) extends SVGGraphics2D(style.context, false):
  override def getFontMetrics(font: Font): FontMetrics = font match
    case lettering: Lettering => lettering.metrics
    case other                => throw IllegalStateException(s"$other is a font of the system")
  override def clip(shape: Shape): Unit = ()
  override def setClip(shape: Shape): Unit = ()

  /** Draws a part of which the pointer is told something. */
  def telling(words: String)(draw: => Unit): Unit =
    style.words = Some(words)
    draw
    style.words = None
end Sheet

private[report] object Sheet:
  // A page is made on machines with a screen and on others, alike.
  if System.getProperty("java.awt.headless") == null then
    System.setProperty("java.awt.headless", "true"): Unit

  /** In pixels: about what the page gives to a chart on a wide screen, and more than on a phone. */
  val width = 380

  /** The letters of all charts. */
  val letters = Lettering(13)

  /** Draws a plot of so many pixels with its legend below; `words` are for those who do not see it.
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
    val height = tall + below.arrange(Sheet(SheetStyle()), space).getHeight.ceil.toInt
    val sheet = Sheet(SheetStyle())
    chart.draw(sheet, Rectangle2D.Double(0, 0, width, height))
    val drawn = StringWriter()
    sheet.stream(drawn, false)
    svg(words, height, drawn.toString)

  private def explained(plot: XYPlot): LegendTitle =
    val legend = LegendTitle(plot)
    legend.setPosition(RectangleEdge.BOTTOM)
    legend.setHorizontalAlignment(HorizontalAlignment.LEFT)
    legend.setFrame(BlockBorder.NONE)
    legend.setMargin(RectangleInsets(6, 0, 0, 0))
    legend.setItemFont(letters)
    legend.setItemPaint(Ink.faint)
    legend.setItemLabelPadding(RectangleInsets(2, 4, 2, 10))
    legend

  private def svg(words: String, height: Int, drawn: String): Markup.Piece =
    import Markup.*
    val inner = drawn.substring(drawn.indexOf("<g"), drawn.lastIndexOf("</svg"))
    // Batik breaks lines within tags, and says of every text that its blanks count.
    val lean = inner.replaceAll("\n *", "").nn.replace(" xml:space=\"preserve\"", "").nn
    Markup.svg(role := "img", ariaLabel := words, viewBox := s"0 0 $width $height", raw(lean))

  /** Draws a part of which the pointer is told something. */
  def told(on: Graphics2D, words: String)(draw: => Unit): Unit = on match
    case sheet: Sheet => sheet.telling(words)(draw)
    case _            => draw
end Sheet
