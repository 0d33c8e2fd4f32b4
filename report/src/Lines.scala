package undercroft.report

import Markup.{points as corners, *}

/** Draws curves between two axes, which are both logarithmic or both even. */
private[report] final class Lines(title: String, curves: Seq[Curve], over: String, axes: Axes):
  import Lines.*

  def draw(tell: Double => String): Piece =
    val levels = axes.levels.map: level =>
      val at = y(level)
      g(Svg.stroke("rule", 0, at, 1, at), Svg.words(0, at - 5, "start", tell(level)))
    val ticks = axes.places.map(at => Svg.words(x(at), tall - 24, "middle", Numbers.short(at)))
    val name = Svg.words((left + right) / 2, tall - 4, "middle", over)
    Svg.picture(
      title,
      tall,
      levels ++ ticks ++ Seq(name) ++ Lines.dressed(curves).map(curve(_, _, tell))
    )

  private def curve(curve: Curve, look: Look, tell: Double => String): Piece =
    val points = curve.points.sortBy(_.at)
    // Points of a polyline cannot be shares: a picture within the picture, stretched to its width.
    val path = points.map(one => s"${x(one.at) * 1000},${y(one.value.value)}").mkString(" ")
    val drawn = svg(
      width := "100%",
      height := tall,
      viewBox := s"0 0 1000 $tall",
      preserveAspectRatio := "none",
      polyline(kind := look.style, corners := path)
    )
    val dots = points.map: one =>
      val Value(value, low, high) = one.value
      val interval = if high > low then s" (${tell(low)} to ${tell(high)})" else ""
      g(
        Svg.hint(s"${curve.name}: ${tell(value)}$interval at $over ${Numbers.short(one.at)}"),
        Option.when(high > low)(Svg.stroke("reach", x(one.at), y(low), x(one.at), y(high))),
        circle(
          kind := s"fill-${look.hue.style}",
          cx := Svg.share(x(one.at)),
          cy := y(value),
          r := 3.5
        )
      )
    g(drawn, dots)
  end curve

  private def x(at: Double): Double = left + axes.across(at) * (right - left)
  private def y(value: Double): Double = top + (1 - axes.up(value)) * (tall - top - bottom)
end Lines

private[report] object Lines:
  private val (left, right) = (0.1, 0.96)
  private val (top, bottom, tall) = (22.0, 48.0, 360.0)

  /** How a curve is drawn. */
  final case class Look(hue: Hue, dash: Int) derives CanEqual:
    def style: String = s"line-${hue.style} dash-$dash"

  /** A piece of a line of this look, for a legend. */
  def sample(look: Look): Piece =
    svg(
      width := 26,
      height := 10,
      line(kind := look.style, x1 := 0, y1 := 5, x2 := 26, y2 := 5)
    )

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
      (curve, Look(hue, math.min(dash, 3)))
end Lines

/** Where values lie between two axes, as shares from 0 to 1, and where the axes have marks. */
private[report] trait Axes:
  def across(at: Double): Double
  def up(value: Double): Double
  def places: Seq[Double]
  def levels: Seq[Double]

private[report] object Axes:
  private val mostPlaces = 10

  private def ends(curves: Seq[Curve]) =
    val points = curves.flatMap(_.points)
    val places = points.map(_.at).distinct.sorted
    (places = places, low = points.map(_.value.value).min, high = points.map(_.value.value).max)

  /** Some of many places, evenly, the first and the last among them. */
  private def some(places: Seq[Double]): Seq[Double] =
    if places.sizeIs <= mostPlaces then places
    else (0 until mostPlaces).map(i => places(i * (places.size - 1) / (mostPlaces - 1)))

  /** Both logarithmic, the values between powers of ten. */
  def logarithmic(curves: Seq[Curve]): Axes = new Axes:
    private val found = ends(curves)
    private val (first, last) = (log(found.places.head), log(found.places.last))
    private val floor = math.floor(log(found.low))
    private val ceiling = math.max(math.ceil(log(found.high)), floor + 1)
    private def log(value: Double) = math.log10(math.max(value, 1e-12))
    def across(at: Double) = if last == first then 0.5 else (log(at) - first) / (last - first)
    def up(value: Double) =
      math.max(0, math.min((log(value) - floor) / (ceiling - floor), 1))
    val places = some(found.places)
    val levels = (floor.toInt to ceiling.toInt).map(math.pow(10, _))

  /** Both even, the values from zero. */
  def even(curves: Seq[Curve]): Axes = new Axes:
    private val found = ends(curves)
    private val (first, last) = (found.places.head, found.places.last)
    private val step = round(math.max(found.high, 1e-12) / 4)
    private val ceiling = step * math.ceil(math.max(found.high, 1e-12) / step)
    def across(at: Double) = if last == first then 0.5 else (at - first) / (last - first)
    def up(value: Double) = math.max(0, math.min(value / ceiling, 1))
    val places = some(found.places)
    val levels = (0 to (ceiling / step).round.toInt).map(_ * step)

  /** The next of 1, 2, 5, 10 times a power of ten. */
  private def round(value: Double): Double =
    val power = math.pow(10, math.floor(math.log10(value)))
    Seq(1, 2, 5, 10).map(_ * power).find(_ >= value * 0.999).getOrElse(10 * power)
end Axes
