package undercroft.report

import java.awt.BasicStroke

/** How a curve is drawn: its colour, and how its line is dashed. */
private[report] final case class Look(hue: Hue, dash: Int) derives CanEqual:
  def stroke: BasicStroke = Plots.stroke(2, Look.dashes(dash)*)

private[report] object Look:
  private val dashes = Seq(Seq(), Seq(8f, 4f), Seq(2f, 4f), Seq(10f, 3f, 2f, 3f))

  /** Curves with their looks. Each keeps its owner's colour if no curve before it has it. The
    * others take the colour that is worn least, but ours, which keep ours; what wears a worn colour
    * is dashed.
    */
  def dressed(curves: Seq[Curve]): Seq[(Curve, Look)] =
    val owned = curves.map(_.owner.hue).toSet
    val worn = scala.collection.mutable.Map.empty[Hue, Int].withDefaultValue(0)
    def taken(hue: Hue) = math.max(worn(hue), if owned(hue) then 1 else 0)
    curves.map: curve =>
      val own = curve.owner.hue
      val hue =
        if worn(own) == 0 || own == Hue.Teal then own
        else Hue.values.filter(_ != Hue.Teal).minBy(taken)
      val dash = worn(hue)
      worn(hue) = dash + 1
      (curve, Look(hue, math.min(dash, dashes.size - 1)))
end Look
