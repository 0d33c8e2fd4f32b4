package undercroft.report

import Shapes.LegendItem

/** Draws a bar for each mark, with its name above, its value behind and its interval on the bar. */
private[report] object Bars:
  private val pitch = 40.0 // pixels a row
  private val gap = 7.0 // pixels from a bar to its value
  private val name = 11.0 // pixels from a row's upper end to the middle of its name
  private val middle = 27.0 // and to the middle of its bar
  private val thickness = 15.0
  private val sign = 11.0 // pixels of a coloured box in the legend

  /** From the top in the order of `marks`; `title` is the text for screen readers. */
  def draw(title: String, marks: Seq[Mark], tell: Double => String): Markup.Piece =
    // A wide interval must not make the bars themselves short.
    val longest = marks.map(mark => math.min(mark.value.high, mark.value.value * 1.5)).max
    val room = marks.map(mark => Letters.width(tell(mark.value.value))).max + gap * 2
    def reach(value: Double) =
      if longest <= 0 then 0.0
      else math.max(0, math.min(value, longest)) / longest * (Shapes.width - room)
    val rows = marks.zipWithIndex.flatMap: (mark, row) =>
      val (top, value) = (row * pitch, mark.value)
      val end = reach(value.value)
      val tooltip = s"${mark.name}: ${value.told(tell)}"
      val fill = Shapes.colour(mark.owner.hue)
      // A value of zero is visible as a thin line.
      val bar =
        Shapes.box(0, top + middle - thickness / 2, math.max(end, 0.8), thickness, fill, tooltip)
      val interval = Option.when(value.high > value.low):
        Shapes.level(top + middle, reach(value.low), reach(value.high), Shapes.ink)
      val behind = math.max(end, if interval.isEmpty then 0 else reach(value.high)) + gap
      Seq(bar) ++ interval ++ Seq(
        Shapes.text(mark.name, 0, top + name, Shapes.ink),
        Shapes.text(tell(value.value), behind, top + middle, Shapes.ink)
      )
    val owners = marks.map(_.owner).distinct.map: owner =>
      LegendItem(
        owner.label,
        sign,
        (x, y) =>
          Seq(Shapes.box(x, y - sign / 2, sign, sign, Shapes.colour(owner.hue), tooltip = ""))
      )
    val (legend, height) = Shapes.legend(marks.size * pitch + 6, owners)
    Shapes.svg(title, height, rows ++ legend)
  end draw
end Bars
