package undercroft.report

import java.awt.Graphics2D
import java.awt.geom.Rectangle2D
import java.text.{FieldPosition, NumberFormat, ParsePosition}
import org.jfree.chart.axis.{AxisState, LogAxis, NumberAxis, NumberTick, ValueAxis}
import org.jfree.chart.ui.{RectangleEdge, TextAnchor}

/** The axes that curves are drawn between. */
private[report] trait Axes:
  /** The axis of the places. */
  def across(over: String): ValueAxis

  /** The axis of the values. */
  def up(tell: Double => String): ValueAxis

  /** A value, or the end of the axis that it exceeds. */
  def within(value: Double): Double

private[report] object Axes:
  // An interval may be wide, and must not make the curves themselves flat.
  private def ends(curves: Seq[Curve], factor: Double) =
    val values = curves.flatMap(_.points).map(_.value)
    val low = values.map(value => math.max(value.low, value.value / factor)).min
    (low = low, high = values.map(value => math.min(value.high, value.value * factor)).max)

  private def places(curves: Seq[Curve]) = curves.flatMap(_.points).map(_.at).distinct.sorted

  /** Both logarithmic; each axis ends at the round values around its data. */
  def logarithmic(curves: Seq[Curve]): Axes = new Axes:
    private val points = places(curves)
    private val (low, high) = ends(curves, 3)
    private val levels = Levels.around(math.max(low, 1e-12), math.max(high, 1e-12))
    def across(over: String) =
      val axis = Levels(points, FigureText.short)
      val margin = if points.sizeIs > 1 then math.pow(points.last / points.head, 0.04) else 2.0
      axis.setRange(points.head / margin, points.last * margin)
      axis.setLabel(over)
      axis
    def up(tell: Double => String) =
      val axis = Levels(levels, tell)
      axis.setRange(levels.head, levels.last)
      axis
    def within(value: Double) = math.max(levels.head, math.min(value, levels.last))

  /** Both even, the values from zero. */
  def even(curves: Seq[Curve]): Axes = new Axes:
    private val points = places(curves)
    private val top = math.max(ends(curves, 1.5).high, 1e-12) * 1.06
    def across(over: String) =
      val axis = NumberAxis(over)
      val margin = math.max((points.last - points.head) * 0.03, 0.1)
      axis.setRange(points.head - margin, points.last + margin)
      axis.setStandardTickUnits(NumberAxis.createIntegerTickUnits())
      axis.setNumberFormatOverride(Tooltip(FigureText.short))
      axis
    def up(tell: Double => String) =
      val axis = NumberAxis()
      axis.setRange(0, top)
      axis.setNumberFormatOverride(Tooltip(tell))
      axis
    def within(value: Double) = math.max(0, math.min(value, top))
end Axes

/** A logarithmic axis that labels only the levels with enough room: the first, the last, and each
  * level between them whose label overlaps no other label.
  */
private[report] final class Levels(levels: Seq[Double], tell: Double => String) extends LogAxis:
  override def refreshTicks(
      on: Graphics2D,
      state: AxisState,
      area: Rectangle2D,
      edge: RectangleEdge
  ): java.util.List[NumberTick] =
    val upright = RectangleEdge.isLeftOrRight(edge)
    val (anchor, size) =
      if upright then (TextAnchor.CENTER_RIGHT, (_: Double) => 20.0)
      else (TextAnchor.TOP_CENTER, (level: Double) => SvgCanvas.letters.width(tell(level)) + 10)
    def free(level: Double, neighbours: Seq[Double]) = neighbours.forall: neighbour =>
      val apart = (valueToJava2D(level, area, edge) - valueToJava2D(neighbour, area, edge)).abs
      apart >= (size(level) + size(neighbour)) / 2
    val ends = Seq(levels.head, levels.last).distinct
    val labels = levels.foldLeft(ends): (accepted, level) =>
      if free(level, accepted) then accepted :+ level else accepted
    val ticks = java.util.ArrayList[NumberTick]()
    for level <- labels.sorted do
      ticks.add(NumberTick(level, tell(level), anchor, TextAnchor.CENTER, 0)): Unit
    ticks
  end refreshTicks
end Levels

private[report] object Levels:
  /** Round values from one at or below `low` to one at or above `high`, and beyond: powers of ten,
    * with their doubles and fives where there are few of them.
    */
  def around(low: Double, high: Double): Seq[Double] =
    val powers = (math.log10(low).floor.toInt - 1 to math.log10(high).ceil.toInt + 1)
    def between(steps: Seq[Int]) =
      val grid = for power <- powers; step <- steps yield step * math.pow(10, power)
      val first = grid.lastIndexWhere(_ <= low * 1.001)
      val last = grid.indexWhere(_ >= high * 0.999)
      grid.slice(first, math.max(last, first + 1) + 1)
    val fine = between(Seq(1, 2, 5))
    if fine.sizeIs <= 8 then fine else between(Seq(1))
end Levels

/** Numbers as a chart tells them, for axes that find their marks themselves. */
private[report] final class Tooltip(tell: Double => String) extends NumberFormat:
  def format(value: Double, to: StringBuffer, at: FieldPosition): StringBuffer =
    to.append(tell(value)).nn
  def format(value: Long, to: StringBuffer, at: FieldPosition): StringBuffer =
    format(value.toDouble, to, at)
  def parse(text: String, at: ParsePosition): Number =
    throw UnsupportedOperationException(s"cannot parse '$text': this format only writes")
end Tooltip
