package undercroft.report

/** How a curve is drawn: in the colour of its owner, and unlike the other curves of that owner. */
private[report] final case class LineStyle(hue: Hue, number: Int) derives CanEqual:
  /** The lengths of dashes and gaps in pixels; empty for a whole line. */
  def dashes: String = LineStyle.dashes(number % LineStyle.dashes.size)

  /** The number of corners of the sign at each point; a circle has none. */
  def corners: Int = LineStyle.corners(number / LineStyle.dashes.size % LineStyle.corners.size)

private[report] object LineStyle:
  private val dashes = Seq("", "8 4", "2 4", "10 3 2 3", "16 4")
  private val corners = Seq(0, 4, 3)

  /** Curves with their line styles: the first curve of an owner is a whole line, the others are
    * dashed, and beyond five they have another sign at each point.
    */
  def dressed(curves: Seq[Curve]): Seq[(Curve, LineStyle)] =
    val worn = scala.collection.mutable.Map.empty[Hue, Int].withDefaultValue(0)
    curves.map: curve =>
      val hue = curve.owner.hue
      worn(hue) += 1
      (curve, LineStyle(hue, worn(hue) - 1))
end LineStyle
