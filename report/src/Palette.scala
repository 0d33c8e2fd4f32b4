package undercroft.report

import java.awt.Color

/** The colours that charts are drawn in: each stands for a colour of the style sheet, which has one
  * for the day and one for the night.
  */
private[report] object Palette:
  private val names = Seq("ink", "soft", "rule") ++ Hue.values.map(_.style)

  val words: Color = of("ink")
  val faint: Color = of("soft")
  val rule: Color = of("rule")
  def of(hue: Hue): Color = of(hue.style)

  // Black as the eye sees it, and different for each name.
  private def of(name: String): Color = Color(0, 0, names.indexOf(name) + 1)

  /** A colour as SVG writes it, or the style sheet's that it stands for. */
  def named(written: String): String = written match
    case s"rgb(0,0,$number)" => s"var(--${names(number.toInt - 1)})"
    case other               => other
end Palette
