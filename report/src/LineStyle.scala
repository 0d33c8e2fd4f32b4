package undercroft.report

import java.awt.BasicStroke

/** How a curve is drawn: its colour, and how its line is dashed. */
private[report] final case class LineStyle(hue: Hue, dash: Int) derives CanEqual:
  def stroke: BasicStroke = Plots.stroke(2, LineStyle.dashes(dash)*)

private[report] object LineStyle:
  private val dashes = Seq(Seq(), Seq(8f, 4f), Seq(2f, 4f), Seq(10f, 3f, 2f, 3f))

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
