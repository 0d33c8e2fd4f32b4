package undercroft.lab

/** Goals whose confidence interval spans the bound: further rounds may decide them. */
object Undecided:

  /** The steps of the results that decide such goals, of an experiment's goals and measures. */
  def steps(goals: Seq[Goal], measures: Map[String, Measure], results: Results): Set[Key] =
    val decisive =
      for
        goal <- goals
        bound = Asked.parse(goal.asked)
        measure <- measures.get(goal.name).toSeq
        (keys, estimate) <- measure.decisive(results, bound).toSeq
        if estimate.interval.exists(bound.spans)
        key <- keys
      yield key.step
    decisive.toSet
end Undecided
