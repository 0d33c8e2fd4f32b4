package undercroft.report

import Markup.{ariaLabel, attr, role, tag, title, viewBox, Piece, given}
import java.util.Locale

/** The shapes of charts as elements of SVG. Lengths are in pixels, from the upper left corner;
  * colours are variables of the style sheet, which has values for light and dark mode.
  */
private[report] object Shapes:
  /** Width of a chart: about its width on a wide screen, and more than its width on a phone. */
  val width = 380

  val ink = "var(--ink)"
  val soft = "var(--soft)"
  val rule = "var(--rule)"
  def colour(hue: Hue): String = s"var(--${hue.style})"

  /** A chart that fills the available width; `text` is for screen readers. */
  def svg(text: String, height: Double, parts: Seq[Piece]): Piece =
    Markup.svg(
      role := "img",
      ariaLabel := text,
      viewBox := s"0 0 $width ${height.ceil.toInt}",
      parts
    )

  def box(
      x: Double,
      y: Double,
      width: Double,
      height: Double,
      fill: String,
      tooltip: String
  ): Piece =
    val corner = Seq("x" -> pixels(x), "y" -> pixels(y))
    val size = Seq("width" -> pixels(width), "height" -> pixels(height))
    shape("rect", corner ++ size :+ ("fill" -> fill), tooltip)

  /** The sign of a point: a circle, or a polygon of `corners`, the first of them at the top. */
  def sign(x: Double, y: Double, fill: String, corners: Int, tooltip: String): Piece =
    if corners == 0 then
      val circle = Seq("cx" -> pixels(x), "cy" -> pixels(y), "r" -> "3.5", "fill" -> fill)
      shape("circle", circle, tooltip)
    else
      val points = (0 until corners).map: i =>
        val angle = 2 * math.Pi * i / corners
        (x + 5 * math.sin(angle), y - 5 * math.cos(angle))
      shape("path", Seq("d" -> (through(points) + "Z"), "fill" -> fill), tooltip)

  /** A line through points. */
  def line(
      points: Seq[(Double, Double)],
      stroke: String,
      width: Double,
      dashes: String = ""
  ): Piece =
    val path = Seq("d" -> through(points), "fill" -> "none", "stroke" -> stroke)
    val dashed = Option.when(dashes.nonEmpty)("stroke-dasharray" -> dashes)
    shape("path", path ++ dashed :+ ("stroke-width" -> pixels(width)), "")

  /** The interval of a value, as a line with caps. */
  def upright(x: Double, low: Double, high: Double, stroke: String): Piece =
    capped(Seq((x, low), (x, high)), ends = at => Seq((x - cap, at._2), (x + cap, at._2)), stroke)

  def level(y: Double, low: Double, high: Double, stroke: String): Piece =
    capped(Seq((low, y), (high, y)), ends = at => Seq((at._1, y - cap), (at._1, y + cap)), stroke)

  private def capped(
      points: Seq[(Double, Double)],
      ends: ((Double, Double)) => Seq[(Double, Double)],
      stroke: String
  ): Piece =
    val path = (points +: points.map(ends)).map(through).mkString
    shape("path", Seq("d" -> path, "stroke" -> stroke, "stroke-width" -> "1.5"), "")

  /** Text whose middle line is at `y`, and whose start, middle or end is at `x`. */
  def text(words: String, x: Double, y: Double, fill: String, anchor: String = "start"): Piece =
    val place = Seq("x" -> pixels(x), "y" -> pixels(y + Letters.size * 0.35), "fill" -> fill)
    val anchored = Option.when(anchor != "start")("text-anchor" -> anchor)
    tag("text")(attributes(place ++ anchored), words)

  /** The explanation of a sign that is `width` pixels wide; `draw` draws it around a middle line.
    */
  final case class LegendItem(label: String, width: Double, draw: (Double, Double) => Seq[Piece])

  /** A legend from `top` down, in as many rows as it needs, and its lower end. */
  def legend(top: Double, items: Seq[LegendItem]): (Seq[Piece], Double) =
    var (x, y) = (0.0, top + legendRow / 2)
    val parts = items.flatMap: item =>
      val needed = item.width + 5 + Letters.width(item.label)
      if x > 0 && x + needed > width then
        x = 0
        y += legendRow
      val drawn = item.draw(x, y) :+ text(item.label, x + item.width + 5, y, soft)
      x += needed + 14
      drawn
    (parts, y + legendRow / 2)

  private val legendRow = 19.0
  private val cap = 3.5

  private def through(points: Seq[(Double, Double)]): String =
    points.map((x, y) => s"${pixels(x)} ${pixels(y)}").mkString("M", "L", "")

  private def shape(name: String, of: Seq[(String, String)], tooltip: String): Piece =
    tag(name)(attributes(of), Option.when(tooltip.nonEmpty)(title(tooltip)))

  private def attributes(of: Seq[(String, String)]) = of.map((name, value) => attr(name) := value)

  /** A tenth of a pixel is enough. */
  private def pixels(length: Double): String =
    val text = String.format(Locale.ROOT, "%.1f", length).nn
    if text == "-0.0" then "0" else text.stripSuffix(".0")
end Shapes
