package undercroft.lab

/** Goals whose numbers are too uncertain: a bound of the confidence interval is more than
  * [[widest]] times the number, or less than the number divided by it. More rounds narrow it.
  */
object WideIntervals:
  val widest = 2.0

  def isWide(estimate: Estimate): Boolean =
    estimate.interval.exists: interval =>
      val measured = estimate.measured
      measured > 0 && (interval.high > measured * widest || interval.low < measured / widest)

  /** The results that decide such goals, of an experiment's goals and measures. */
  def keys(goals: Seq[Goal], measures: Map[String, Measure], results: Results): Set[Key] =
    val decisive =
      for
        goal <- goals
        measure <- measures.get(goal.name).filter(_.isRelative).toSeq
        (keys, estimate) <- measure.decisive(results, Asked.parse(goal.asked)).toSeq
        if isWide(estimate)
        key <- keys
      yield key.step
    decisive.toSet
end WideIntervals
