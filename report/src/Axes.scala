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

  /** A value, or the end of the axis beyond which it lies. */
  def within(value: Double): Double

private[report] object Axes:
  // An interval may be wide, and must not make the curves themselves flat.
  private def ends(curves: Seq[Curve], most: Double) =
    val values = curves.flatMap(_.points).map(_.value)
    val low = values.map(one => math.max(one.low, one.value / most)).min
    (low = low, high = values.map(one => math.min(one.high, one.value * most)).max)

  private def places(curves: Seq[Curve]) = curves.flatMap(_.points).map(_.at).distinct.sorted

  /** Both logarithmic; the values lie between round ones. */
  def logarithmic(curves: Seq[Curve]): Axes = new Axes:
    private val all = places(curves)
    private val (least, most) = ends(curves, 3)
    private val levels = Levels.around(math.max(least, 1e-12), math.max(most, 1e-12))
    def across(over: String) =
      val axis = Levels(all, Numbers.short)
      val margin = if all.sizeIs > 1 then math.pow(all.last / all.head, 0.04) else 2.0
      axis.setRange(all.head / margin, all.last * margin)
      axis.setLabel(over)
      axis
    def up(tell: Double => String) =
      val axis = Levels(levels, tell)
      axis.setRange(levels.head, levels.last)
      axis
    def within(value: Double) = math.max(levels.head, math.min(value, levels.last))

  /** Both even, the values from zero. */
  def even(curves: Seq[Curve]): Axes = new Axes:
    private val all = places(curves)
    private val top = math.max(ends(curves, 1.5).high, 1e-12) * 1.06
    def across(over: String) =
      val axis = NumberAxis(over)
      val margin = math.max((all.last - all.head) * 0.03, 0.1)
      axis.setRange(all.head - margin, all.last + margin)
      axis.setStandardTickUnits(NumberAxis.createIntegerTickUnits())
      axis.setNumberFormatOverride(Told(Numbers.short))
      axis
    def up(tell: Double => String) =
      val axis = NumberAxis()
      axis.setRange(0, top)
      axis.setNumberFormatOverride(Told(tell))
      axis
    def within(value: Double) = math.max(0, math.min(value, top))
end Axes

/** A logarithmic axis that tells those of its levels that have room: the first, the last, and what
  * stands free between.
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
      else (TextAnchor.TOP_CENTER, (level: Double) => Sheet.letters.width(tell(level)) + 10)
    def free(level: Double, others: Seq[Double]) = others.forall: other =>
      val apart = (valueToJava2D(level, area, edge) - valueToJava2D(other, area, edge)).abs
      apart >= (size(level) + size(other)) / 2
    val ends = Seq(levels.head, levels.last).distinct
    val told = levels.foldLeft(ends)((all, one) => if free(one, all) then all :+ one else all)
    val ticks = java.util.ArrayList[NumberTick]()
    for level <- told.sorted do
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
      val all = for power <- powers; step <- steps yield step * math.pow(10, power)
      val (first, last) = (all.lastIndexWhere(_ <= low * 1.001), all.indexWhere(_ >= high * 0.999))
      all.slice(first, math.max(last, first + 1) + 1)
    val fine = between(Seq(1, 2, 5))
    if fine.sizeIs <= 8 then fine else between(Seq(1))
end Levels

/** Numbers as a chart tells them, for axes that find their marks themselves. */
private[report] final class Told(tell: Double => String) extends NumberFormat:
  def format(value: Double, to: StringBuffer, at: FieldPosition): StringBuffer =
    to.append(tell(value)).nn
  def format(value: Long, to: StringBuffer, at: FieldPosition): StringBuffer =
    format(value.toDouble, to, at)
  def parse(text: String, at: ParsePosition): Number =
    throw UnsupportedOperationException(s"'$text' is told, not read")
end Told
