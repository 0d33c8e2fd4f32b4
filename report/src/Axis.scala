package undercroft.report

/** An axis from `low` to `high`; `tell` formats its labels. */
private[report] sealed abstract class Axis(low: Double, high: Double, val tell: Double => String):
  /** A value's position, from 0 at the low end to 1; a value beyond an end is at the end. */
  def fraction(value: Double): Double =
    val within = math.max(low, math.min(value, high))
    (measure(within) - measure(low)) / (measure(high) - measure(low))

  /** The values to label on an axis of `length` pixels on which a label takes `size` pixels. */
  def labels(length: Double, size: Double => Double): Seq[Double]

  protected def measure(value: Double): Double

  /** Whether the labels of two values overlap not. */
  protected def areApart(a: Double, b: Double, length: Double, size: Double => Double): Boolean =
    (fraction(a) - fraction(b)).abs * length >= (size(a) + size(b)) / 2
end Axis

/** A logarithmic axis. It labels those of `levels` for which there is room: the first, the last,
  * and each between them whose label overlaps no other one.
  */
private[report] final class LogAxis(
    levels: Seq[Double],
    low: Double,
    high: Double,
    tell: Double => String
) extends Axis(low, high, tell):
  protected def measure(value: Double): Double = math.log(value)

  def labels(length: Double, size: Double => Double): Seq[Double] =
    val ends = Seq(levels.head, levels.last).distinct
    val accepted = levels.foldLeft(ends): (accepted, level) =>
      if accepted.forall(areApart(_, level, length, size)) then accepted :+ level else accepted
    accepted.sorted
end LogAxis

/** An even axis. It labels the multiples of the smallest round step, at least `leastStep`, whose
  * labels do not overlap.
  */
private[report] final class EvenAxis(
    low: Double,
    high: Double,
    leastStep: Double,
    tell: Double => String
) extends Axis(low, high, tell):
  protected def measure(value: Double): Double = value

  def labels(length: Double, size: Double => Double): Seq[Double] =
    val first = math.log10(high - low).floor.toInt - 2
    val steps =
      for power <- first to first + 3; digit <- Seq(1, 2, 5) yield digit * math.pow(10, power)
    val choices = steps.filter(_ >= leastStep).map(multiples)
    choices.find(isApart(_, length, size)).getOrElse(multiples(leastStep).take(1))

  private def multiples(step: Double): Seq[Double] =
    ((low / step).ceil.toLong to (high / step).floor.toLong).map(_ * step)

  private def isApart(labels: Seq[Double], length: Double, size: Double => Double) =
    labels.zip(labels.drop(1)).forall(areApart(_, _, length, size))
end EvenAxis

/** The axes that curves are drawn between. */
private[report] final class Axes(val across: Axis, val up: Axis)

private[report] object Axes:
  // An interval may be wide, and must not make the curves themselves flat.
  private def ends(curves: Seq[Curve], factor: Double) =
    val values = curves.flatMap(_.points).map(_.value)
    val low = values.map(value => math.max(value.low, value.value / factor)).min
    (low = low, high = values.map(value => math.min(value.high, value.value * factor)).max)

  private def places(curves: Seq[Curve]) = curves.flatMap(_.points).map(_.at).distinct.sorted

  /** Both logarithmic; the values end at the round levels around them. */
  def logarithmic(curves: Seq[Curve], tell: Double => String): Axes =
    val points = places(curves)
    val (low, high) = ends(curves, 3)
    val levels = Levels.around(math.max(low, 1e-12), math.max(high, 1e-12))
    val margin = if points.sizeIs > 1 then math.pow(points.last / points.head, 0.04) else 2.0
    Axes(
      LogAxis(points, points.head / margin, points.last * margin, FigureText.short),
      LogAxis(levels, levels.head, levels.last, tell)
    )

  /** Both even, the values from zero; the labels of the places are whole numbers. */
  def even(curves: Seq[Curve], tell: Double => String): Axes =
    val points = places(curves)
    val top = math.max(ends(curves, 1.5).high, 1e-12) * 1.06
    val margin = math.max((points.last - points.head) * 0.03, 0.1)
    Axes(
      EvenAxis(points.head - margin, points.last + margin, 1, FigureText.short),
      EvenAxis(0, top, 0, tell)
    )
end Axes

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
