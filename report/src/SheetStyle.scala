package undercroft.report

import javax.xml.parsers.DocumentBuilderFactory
import org.apache.batik.svggen.{SVGGeneratorContext, StyleHandler}
import org.w3c.dom.Element
import scala.jdk.CollectionConverters.MapHasAsScala

/** Writes the style of an SVG element for Batik: only the attributes that a chart needs, in the
  * colours of the style sheet.
  */
private[report] final class SheetStyle extends StyleHandler:
  /** The tooltip of the part that is being drawn. */
  var words: Option[String] = None

  val context: SVGGeneratorContext =
    val svg = "http://www.w3.org/2000/svg"
    val builder = DocumentBuilderFactory.newInstance.newDocumentBuilder
    val document = builder.getDOMImplementation.createDocument(svg, "svg", null)
    val context = SVGGeneratorContext.createDefault(document)
    context.setStyleHandler(this)
    context.setComment(null)
    context.setPrecision(1)
    val before = SVGGeneratorContext.GraphicContextDefaults()
    before.setFont(SvgCanvas.letters)
    context.setGraphicContextDefaults(before)
    context

  def setStyle(
      element: Element,
      styles: java.util.Map[?, ?],
      context: SVGGeneratorContext
  ): Unit =
    for case (name: String, value: String) <- styles.asScala if SheetStyle.needed(name) do
      element.setAttribute(name, Palette.named(value))
    for tooltip <- words if element.getTagName != "g" do
      val title = element.getOwnerDocument.createElementNS(element.getNamespaceURI, "title")
      title.setTextContent(tooltip)
      element.appendChild(title): Unit
end SheetStyle

private[report] object SheetStyle:
  private val needed =
    Set("fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray")
