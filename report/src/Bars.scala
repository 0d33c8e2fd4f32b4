package undercroft.report

import Markup.*

/** Draws a bar for each mark, its name above it, its value behind it, its interval on it. */
private[report] object Bars:
  private val pitch = 40.0
  private val thick = 15.0
  private val widest = 0.82 // the rest is for the value behind the longest bar

  def draw(title: String, marks: Seq[Mark], tell: Double => String): Piece =
    // A wide interval must not make the bars themselves short.
    val most = marks.map(mark => math.min(mark.value.high, mark.value.value * 1.5)).max
    def place(value: Double) =
      if most <= 0 then 0 else widest * math.max(0, math.min(value / most, 1))
    val rows = marks.sortBy(_.value.value).zipWithIndex.map: (mark, row) =>
      val top = row * pitch
      val middle = top + 20 + thick / 2
      val Value(value, low, high) = mark.value
      val interval = if high > low then s" (${tell(low)} to ${tell(high)})" else ""
      g(
        Svg.hint(s"${mark.name}: ${tell(value)}$interval"),
        Svg.words(0, top + 14, "start", mark.name),
        rect(
          kind := s"fill-${mark.owner.hue.style}",
          x := 0,
          y := top + 20,
          width := Svg.share(math.max(place(value), 0.002)),
          height := thick,
          rx := 2
        ),
        Option.when(high > low)(reach(place(low), place(high), middle)),
        Svg.words(math.max(place(high), place(value)), middle + 5, "start", tell(value), moved = 7)
      )
    Svg.picture(title, marks.size * pitch, rows)
  end draw

  /** An interval: a line with an end on each side. */
  private def reach(low: Double, high: Double, middle: Double): Piece =
    g(
      Svg.stroke("reach", low, middle, high, middle),
      Svg.stroke("reach", low, middle - 4, low, middle + 4),
      Svg.stroke("reach", high, middle - 4, high, middle + 4)
    )
end Bars
