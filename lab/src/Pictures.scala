package undercroft.lab

import undercroft.report
import undercroft.report.{Curve, Mark, Numbers, Part, Point, Value}

/** Makes an experiment's charts of its results. */
object Pictures:

  /** The picture of a chart, or nothing where none of its results is there. */
  def of(chart: Chart, results: Results, rival: Key => Rival): Option[Part] =
    val shown =
      for
        (key, result) <- results.sorted
        name <- chart.of(key)
        nanos <- result.nanosPerUnit
      yield Shown(name, key, result, nanos, rival(key))
    Option.when(shown.nonEmpty):
      val made = chart match
        case Chart.Bars(_, _) => report.Chart.Bars(shown.map(mark), Numbers.time)
        case Chart.Lines(_, _, place, _, _)
            if shown.map(one => place(one.key)).distinct.sizeIs < 2 =>
          // A line needs two places: a quick run may have one.
          report.Chart.Bars(shown.map(mark), Numbers.time)
        case Chart.Lines(_, over, place, _, part) =>
          val parts = shown.map(one => one.copy(nanos = one.nanos * part(one.key)))
          report.Chart.Growth(curves(parts, line(place)), over, Numbers.time)
        case Chart.Course(_, over, _) =>
          report.Chart.Course(curves(shown, course), over, Numbers.time)
      Part.Picture(chart.title, made)
  end of

  private final case class Shown(
      name: String,
      key: Key,
      result: Result,
      nanos: Double,
      rival: Rival
  ):
    def value(samples: Samples): Value =
      val estimate = Estimate.of(samples)
      val (low, high) = estimate.interval.fold((estimate.measured, estimate.measured))(_.toTuple)
      Value(estimate.measured * nanos, math.max(0, low * nanos), high * nanos)

  private def mark(shown: Shown): Mark =
    Mark(shown.name, shown.rival.owner, shown.value(shown.result.time))

  private def curves(shown: Seq[Shown], points: Seq[Shown] => Seq[Point]): Seq[Curve] =
    shown.map(_.name).distinct.map: name =>
      val own = shown.filter(_.name == name)
      Curve(name, own.head.rival.owner, points(own))

  /** A point for each result. */
  private def line(place: Key => Double)(shown: Seq[Shown]): Seq[Point] =
    shown.map(one => Point(place(one.key), one.value(one.result.time)))

  /** A point for each iteration, its interval from the forks. */
  private def course(shown: Seq[Shown]): Seq[Point] =
    for
      one <- shown
      (iteration, index) <- one.result.time.forks.transpose.zipWithIndex
    yield Point(index + 1, one.value(Samples(iteration.map(Seq(_)))))
end Pictures
