package undercroft.lab

import undercroft.report.FigureText

/** How one result changed from one run to another: new time by old, with its interval. */
final case class Change(experiment: String, key: Key, ratio: Estimate) derives CanEqual

/** The changes between two folders of results that exceed the noise.
  *
  * Only times are compared, in the same unit; the counters beside them are not.
  *
  * A change is significant if its whole 95 % interval is on one side of 1; a result with a single
  * observation has no interval and is never significant. A regression is a significant change
  * larger than the threshold.
  */
final class Comparison(changes: Seq[Change], val unmatched: Int, threshold: Double):
  val slower: Seq[Change] =
    changes.filter(_.ratio.interval.exists(_.low > 1)).sortBy(-_.ratio.measured)
  val faster: Seq[Change] =
    changes.filter(_.ratio.interval.exists(_.high < 1)).sortBy(_.ratio.measured)
  val regressions: Seq[Change] = slower.filter(_.ratio.measured > 1 + threshold)
  val compared: Int = changes.size

  def lines: Seq[String] =
    def told(change: Change) =
      val interval =
        change.ratio.interval.fold("")(i => s" (${FigureText(i.low)} to ${FigureText(i.high)})")
      s"  ${change.experiment} ${change.key.show}: ${FigureText(change.ratio.measured)}x$interval"
    Seq(s"$compared times in both, $unmatched in one only") ++
      Seq(s"${slower.size} slower beyond the noise") ++ slower.map(told) ++
      Seq(s"${faster.size} faster beyond the noise") ++ faster.map(told) ++
      Seq(s"${regressions.size} regressions of more than ${FigureText(threshold * 100)} %")
end Comparison

object Comparison:
  /** Compares results by experiment; `old` and `recent` are read from their folders. */
  def of(
      old: String => Results,
      recent: String => Results,
      experiments: Seq[String],
      threshold: Double
  ): Comparison =
    val pairs = experiments.map(name => (name, old(name).times, recent(name).times))
    val changes =
      for
        (name, before, after) <- pairs
        key <- before.keySet.intersect(after.keySet).toSeq
      yield Change(name, key, ratio(after(key), before(key)))
    val unmatched = pairs.map((_, before, after) =>
      (before.keySet ++ after.keySet).size - before.keySet.intersect(after.keySet).size
    )
    Comparison(changes, unmatched.sum, threshold)

  /** New time by old time, both in the unit of the old one. */
  private def ratio(after: Result, before: Result): Estimate =
    val units = for a <- after.nanosPerUnit; b <- before.nanosPerUnit yield b / a
    Estimate.ratio(after.time / units.getOrElse(1.0), before.time)
end Comparison
