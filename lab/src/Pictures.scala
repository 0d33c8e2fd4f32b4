package undercroft.lab

import undercroft.report
import undercroft.report.{Curve, Mark, FigureText, Block, CurvePoint, Value}

/** Creates an experiment's charts from its results. */
object Pictures:

  /** The picture of a chart; absent if it has no results. */
  def of(chart: Chart, results: Results, rival: Key => Rival): Option[Block] =
    val entries =
      for
        (key, result) <- results.sorted
        name <- chart.of(key)
        nanos <- result.nanosPerUnit
      yield Entry(name, key, result, nanos, rival(key))
    Option.when(entries.nonEmpty):
      val graph = chart match
        case Chart.Bars(_, _) => report.Chart.Bars(entries.map(mark), FigureText.time)
        case Chart.Lines(_, _, place, _, _)
            if entries.map(entry => place(entry.key)).distinct.sizeIs < 2 =>
          // A line needs two places: a quick run may have one.
          report.Chart.Bars(entries.map(mark), FigureText.time)
        case Chart.Lines(_, over, place, _, part) =>
          val parts = entries.map(entry => entry.copy(nanos = entry.nanos * part(entry.key)))
          report.Chart.Growth(curves(parts, line(place)), over, FigureText.time)
        case Chart.Course(_, over, _) =>
          report.Chart.Course(curves(entries, course), over, FigureText.time)
        case Chart.Rates(_, _, calls) =>
          val tell = (rate: Double) => s"${FigureText(FigureText.rounded(rate / 1e6))} M/s"
          report.Chart.Growth(curves(entries, rates(calls)), "milliseconds", tell)
      Block.Picture(chart.title, graph)
  end of

  private final case class Entry(
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

  private def mark(entry: Entry): Mark =
    Mark(entry.name, entry.rival.owner, entry.value(entry.result.time))

  private def curves(entries: Seq[Entry], points: Seq[Entry] => Seq[CurvePoint]): Seq[Curve] =
    entries.map(_.name).distinct.map: name =>
      val series = entries.filter(_.name == name)
      Curve(name, series.head.rival.owner, points(series))

  /** A point for each result. */
  private def line(place: Key => Double)(entries: Seq[Entry]): Seq[CurvePoint] =
    entries.map(entry => CurvePoint(place(entry.key), entry.value(entry.result.time)))

  /** A point for each iteration, its interval from the forks. */
  private def course(entries: Seq[Entry]): Seq[CurvePoint] =
    for
      entry <- entries
      (iteration, index) <- entry.result.time.forks.transpose.zipWithIndex
    yield CurvePoint(index + 1, entry.value(Samples(iteration.map(Seq(_)))))

  /** A point for each iteration of so many calls: the calls per second in it, at its end. */
  private def rates(calls: Double)(entries: Seq[Entry]): Seq[CurvePoint] =
    val times = course(entries).map(_.value)
    val ends = times.map(_.value * calls / 1e6).scanLeft(0.0)(_ + _).drop(1)
    for (time, end) <- times.zip(ends)
    yield CurvePoint(end, Value(1e9 / time.value, 1e9 / time.high, 1e9 / math.max(time.low, 1)))
end Pictures
