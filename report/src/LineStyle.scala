package undercroft.report

/** How a curve is drawn: its colour, and how its line is dashed. */
private[report] final case class LineStyle(hue: Hue, dash: Int) derives CanEqual:
  /** The lengths of dashes and gaps in pixels; empty for a whole line. */
  def dashes: String = LineStyle.dashes(dash)

private[report] object LineStyle:
  private val dashes = Seq("", "8 4", "2 4", "10 3 2 3")

  /** Curves with their line styles. A curve keeps its owner's colour if no curve before it has that
    * colour. Otherwise it takes the least used colour, except that our curves always keep ours. A
    * curve whose colour is used already is dashed.
    */
  def dressed(curves: Seq[Curve]): Seq[(Curve, LineStyle)] =
    val owned = curves.map(_.owner.hue).toSet
    val worn = scala.collection.mutable.Map.empty[Hue, Int].withDefaultValue(0)
    def taken(hue: Hue) = math.max(worn(hue), if owned(hue) then 1 else 0)
    curves.map: curve =>
      val ownerHue = curve.owner.hue
      val hue =
        if worn(ownerHue) == 0 || ownerHue == Hue.Teal then ownerHue
        else Hue.values.filter(_ != Hue.Teal).minBy(taken)
      val dash = worn(hue)
      worn(hue) = dash + 1
      (curve, LineStyle(hue, math.min(dash, dashes.size - 1)))
end LineStyle
