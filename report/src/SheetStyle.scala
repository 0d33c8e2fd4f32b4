package undercroft.report

import javax.xml.parsers.DocumentBuilderFactory
import org.apache.batik.svggen.{SVGGeneratorContext, StyleHandler}
import org.w3c.dom.Element
import scala.jdk.CollectionConverters.MapHasAsScala

/** What Batik writes of an element's style: what a chart needs, in the style sheet's colours. */
private[report] final class SheetStyle extends StyleHandler:
  /** What the pointer is told of what is drawn now. */
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
    before.setFont(Sheet.letters)
    context.setGraphicContextDefaults(before)
    context

  def setStyle(
      element: Element,
      styles: java.util.Map[?, ?],
      context: SVGGeneratorContext
  ): Unit =
    for case (name: String, value: String) <- styles.asScala if SheetStyle.needed(name) do
      element.setAttribute(name, Ink.named(value))
    for told <- words if element.getTagName != "g" do
      val title = element.getOwnerDocument.createElementNS(element.getNamespaceURI, "title")
      title.setTextContent(told)
      element.appendChild(title): Unit
end SheetStyle

private[report] object SheetStyle:
  private val needed =
    Set("fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray")
